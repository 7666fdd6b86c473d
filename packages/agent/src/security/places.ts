/** Disks, their parts, and memory as files. */
export const RAW_DEVICE: RegExp =
  /^\/dev\/(?:[shv]d[a-z]|xvd[a-z]|nvme\d|mmcblk\d|r?disk\d|dm-\d|mapper\/|md\d|loop\d|sr\d|by-|mem\b|kmem\b|port\b|disk\/)/;

/** Folders whose loss is the loss of a system or of everything that a user has. */
const CATASTROPHIC =
  /^(?:\/+|\/+\.?\*+|~(?:\w+)?\/*\**|\$\{?home\}?\/*\**|\/+(?:bin|boot|dev|etc|home|lib\w*|opt|proc|root|run|sbin|srv|sys|usr|var|users|system|library|applications|mnt|media)(?:\/+\**|\/+(?:bin|sbin|lib\w*|local|log|share))?\/*|\/+(?:home|users)\/+[^/]+\/*\**|\*|\.|\.\.|\.\/|\.\.\/|\.\/\*|\.\*|[a-z]:[\\/]*\**|%\w+%|c:.*windows.*)$/;

/** Whether deleting or opening up this path costs a system, a home, or whatever the command happens to stand in. */
export function isCatastrophic(path: string): boolean {
  return CATASTROPHIC.test(path.replaceAll(/\/\.(?=\/|$)/g, ''));
}

/** Files that decide who may do what on a machine. */
const SYSTEM_FILE =
  /^\/+(?:etc\/+(?:passwd|shadow|gshadow|group|sudoers|ssh\/|pam|cron|hosts|fstab|ld\.so|profile|environment|systemd|init|rc|security|apt\/|resolv)|boot\/|bin\/|sbin\/|lib\w*\/|usr\/+(?:bin|sbin|lib\w*)\/|proc\/+sys|sys\/|selinux\/|system\/|var\/+spool\/+cron)/;
const OTHER_SYSTEM_FILE = /^\/+(?:etc|usr|var\/+(?:lib|www))\//;
const LOGIN_FILE =
  /(?:^|\/)(?:\.ssh\/(?:authorized_keys|config)|\.(?:bash|zsh)(?:rc|_profile|_login|env)|\.profile|\.gitconfig|\.git\/hooks\/.+)$/;

/** How bad it is to write this file. */
export function riskOfWriting(path: string): 'HIGH' | 'MEDIUM' | undefined {
  if (RAW_DEVICE.test(path) || SYSTEM_FILE.test(path) || path.endsWith('.ssh/authorized_keys')) return 'HIGH';
  return OTHER_SYSTEM_FILE.test(path) || LOGIN_FILE.test(path) ? 'MEDIUM' : undefined;
}

/** Where keys, passwords and what somebody typed are kept. */
const SENSITIVE =
  /(?:\.ssh\b|\bid_(?:rsa|dsa|ecdsa|ed25519)\b|\.aws(?:\/|$)|\.gnupg|\.netrc|\.npmrc|\.pypirc|\.git-credentials|\.kube(?:\/|$)|\.docker\/config|\.(?:bash|zsh|sh|python|psql|mysql)_history|\/etc\/(?:passwd|shadow|gshadow|sudoers)|(?:^|[@/=])\.env(?:\.\w+)?$|\.pem$|\.keychain|login\.keychain|\/proc\/(?:self|\d+)\/environ)/;

/** Whether this word names a place of secrets. */
export function isSensitive(word: string): boolean {
  return SENSITIVE.test(word);
}

const KEY_FILE =
  /(?:\.ssh\/(?:id_|\w*key)|\bid_(?:rsa|dsa|ecdsa|ed25519)$|\.aws\/credentials|\.gnupg\/|\.netrc|\.pgpass|\.git-credentials|\/etc\/g?shadow|(?:^|\/)\.env(?:\.(?!example|sample|template|dist)\w+)?$|\.pem$|\/proc\/(?:self|\d+)\/environ)/;

/** Whether this word is a file of keys or passwords, which nobody reads by the way. */
export function isKeyFile(word: string): boolean {
  return KEY_FILE.test(word);
}
