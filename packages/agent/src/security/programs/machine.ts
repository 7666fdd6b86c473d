import { namesOf, type Program, valueOf } from '../commands/call.ts';

const RAW = /^\/dev\/(?:[shv]d[a-z]|xvd|nvme|mmcblk|r?disk|dm-|mapper\/|md\d|loop)/;

/** Programs that lay out disks: with an argument they act. */
const disk: Program = ({ name, texts, shell }) => {
  const isAct =
    name.startsWith('mkfs') || name === 'mke2fs' || name === 'newfs'
      ? texts.some((text) => /^[-/$\0]/.test(text))
      : texts.some((text) => RAW.test(text));
  const isMac = name === 'diskutil' && /^(?:erase|partition|zero|secureErase|reformat)/i.test(texts[0] ?? '');
  if (isAct || isMac) shell.report('raw-disk-op');
};

/** Judges managers of volumes by what they destroy. */
const volumes: Program = ({ name, texts, shell }) => {
  const words = texts.filter((text) => !text.startsWith('-'));
  const isGone =
    /^(?:lv|vg|pv)(?:remove|reduce)$/.test(name) ||
    /^(?:destroy|rollback|labelclear)$/.test(words[0] ?? '') ||
    (words[0]?.startsWith('su') === true && words[1]?.startsWith('d') === true) ||
    texts.some((text) => /^--(?:zero-superblock|stop)$/.test(text));
  if (isGone && words.length > 0) shell.report('raw-disk-op');
};

/** Judges programs that put a package file into the system or an editor, or take a package out. */
const packageFiles: Program = ({ name, texts, shell }) => {
  const isEditor = /^(?:code|codium|cursor)$/.test(name);
  const [install, remove] = isEditor
    ? [/^--install-extension/, /^--uninstall-extension/]
    : [/^(?:-[iUF]\w*|--(?:install|upgrade|freshen|unpack))$/, /^(?:-[rPe]\w*|--(?:remove|purge|erase))$/];
  if (texts.some((text) => install.test(text))) shell.report('install');
  if (texts.some((text) => remove.test(text))) shell.report('machine');
};

const BECOMES = /^(?:su|login|newgrp|sg)$/;

const become: Program = (call) => {
  if (!BECOMES.test(call.name)) return;
  const command = valueOf(call, '-c', '--command');
  call.shell.report('root-shell');
  if (command) call.shell.read(command.text);
};

const power: Program = ({ texts, name, shell }) => {
  if (texts.some((text) => text === '--help' || text === '-c')) return;
  if (name !== 'init' || /^[06]$/.test(texts[0] ?? '')) shell.report('power');
  // the others do not wait, as `shutdown` does
  const isNow = name === 'init' || name === 'telinit' ? /^[06]$/.test(texts[0] ?? '') : name !== 'shutdown';
  if (shell.isRoot || texts.includes('now') || isNow) shell.report('kill-supervisor');
};

const PROTECTIONS =
  /firewalld|ufw|apparmor|auditd|fail2ban|clamav|iptables|nftables|selinux|falcon|crowdstrike|rsyslog|sshd/;

const service: Program = ({ texts, shell }) => {
  const words = texts.join(' ');
  if (/\b(?:stop|disable|mask|kill)\b/.test(words) && PROTECTIONS.test(words)) shell.report('protection-off');
  else if (/\b(?:enable|link|edit|start|restart|load|bootstrap)\b/.test(words))
    shell.report(/\b(?:enable|link|edit|load|bootstrap)\b/.test(words) ? 'write-guard' : 'machine');
  else if (/\b(?:reboot|poweroff|halt|stop|disable)\b/.test(words)) shell.report('power');
};

const protection: Program = ({ name, texts, shell }) => {
  const words = texts.join(' ');
  const isOff =
    (name === 'setenforce' && texts[0] === '0') ||
    (name === 'ufw' && /\b(?:disable|reset)\b/.test(words)) ||
    (/^(?:ip6?tables|nft)$/.test(name) && /(?:^| )(?:-F|--flush|flush|-P|-X|-D)(?: |$)/.test(words)) ||
    (/^(?:csrutil|spctl|netsh|auditctl|aa-disable|aa-teardown)$/.test(name) && /disable|off|-e ?0|^/.test(words));
  if (isOff) shell.report('protection-off');
  else if (!/^(?:-L|--list|status|list|-S|-n|-v)/.test(words)) shell.report('machine');
};

const sessions: Program = ({ texts, shell }) => {
  if (texts.some((text) => /^(?:terminate|kill)-/.test(text))) shell.report('kill-supervisor');
  else if (texts.some((text) => /^(?:reboot|poweroff|halt|suspend|hibernate)$/.test(text))) shell.report('power');
};

const defaults: Program = ({ texts, shell }) => {
  if (/^(?:write|delete|import)$/.test(texts[0] ?? '')) shell.report('write-settings');
};

const traces: Program = ({ name, texts, shell }) => {
  if (name === 'wevtutil' || texts.some((text) => text.startsWith('--vacuum'))) shell.report('hide-traces');
};

const accounts: Program = ({ shell }) => shell.report('write-system');

const kernel: Program = ({ name, texts, shell }) => {
  if (name === 'sysctl' ? texts.some((text) => /^-w|=/.test(text)) : texts.length > 0)
    shell.report(name === 'mount' && !shell.isRoot ? 'machine' : 'take-machine');
};

const cron: Program = ({ texts, shell, input }) => {
  if (texts.includes('-l') && input === undefined) return { text: undefined, origin: 0 };
  shell.report('write-guard');
  if (input?.text !== undefined) shell.read(input.text, { isScript: false });
};

const later: Program = (call) => {
  call.shell.report('write-guard');
  if (call.input?.text !== undefined) call.shell.read(call.input.text, { isScript: false });
};

const keychain: Program = ({ name, texts, shell }) => {
  const words = texts.join(' ');
  if (
    name === 'gpg'
      ? /--export-secret/.test(words)
      : /find-\w+-password|dump-keychain|lookup|show|^(?:-\S+ )*(?:get|read|item get|document get|export)\b/.test(words)
  )
    shell.report('read-keys');
};

/** True if an option is one of help. */
export function asksForHelp(texts: readonly string[]): boolean {
  return texts.length === 1 && /^(?:-h|-\?|-V|--he(?:lp?)?|--version)$/.test(texts[0] as string);
}

/** Programs about the machine and its users. */
export const machinePrograms: Readonly<Record<string, Program>> = {
  ...namesOf(
    disk,
    'mke2fs newfs mkswap wipefs blkdiscard sgdisk sfdisk fdisk gdisk parted badblocks hdparm cryptsetup diskutil',
  ),
  ...namesOf(become, 'su login newgrp sg'),
  ...namesOf(power, 'shutdown reboot poweroff halt init telinit'),
  ...namesOf(service, 'systemctl service rc-service launchctl'),
  ...namesOf(protection, 'setenforce ufw iptables ip6tables nft csrutil spctl netsh auditctl aa-disable aa-teardown'),
  ...namesOf(traces, 'wevtutil journalctl'),
  ...namesOf(accounts, 'useradd userdel usermod adduser deluser groupadd visudo chpasswd passwd chsh'),
  ...namesOf(kernel, 'insmod modprobe rmmod mount umount sysctl swapoff pivot_root kexec'),
  ...namesOf(cron, 'crontab'),
  ...namesOf(later, 'at batch atq2'),
  ...namesOf(keychain, 'security gpg secret-tool pass op bw lpass'),
  ...namesOf(volumes, 'lvremove lvreduce vgremove vgreduce pvremove zfs zpool btrfs mdadm'),
  ...namesOf(packageFiles, 'dpkg rpm code codium cursor'),
  ...namesOf(sessions, 'loginctl'),
  ...namesOf(defaults, 'defaults'),
};
