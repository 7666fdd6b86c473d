import { join } from 'node:path';

/** Folders and files of a home in which programs keep keys, passwords and what was typed. */
const KEYS =
  '.ssh .aws .azure .kube .docker .gnupg .netrc .npmrc .yarnrc.yml .pypirc .git-credentials .pgpass .my.cnf .vault-token .password-store ' +
  '.terraform.d .mozilla .thunderbird .bash_history .zsh_history .cargo/credentials .cargo/credentials.toml .m2/settings.xml ' +
  '.gradle/gradle.properties .config/gcloud .config/gh .config/glab-cli .config/git/credentials .config/op .config/rclone .config/containers ' +
  '.config/google-chrome .config/chromium .config/BraveSoftware .config/microsoft-edge .local/share/keyrings .local/share/kwalletd';

/** Returns the paths of keys in a home, whether or not they are there. */
export function keysOf(home: string): readonly string[] {
  return KEYS.split(' ').map((path) => join(home, path));
}
