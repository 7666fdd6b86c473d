import type { FindingId } from '../facts/findings.ts';
import { type Place, UNKNOWN } from '../facts/places.ts';
import { type Privacy, privacyOf } from '../facts/private-files.ts';
import type { ShellReader } from '../shell/reader.ts';
import { NOTHING_KNOWN, Origin, type Output, type ShellWord } from '../shell/word.ts';
import { callsServer } from './connections.ts';
import { readMade } from './written-scripts.ts';

const PRIVACY: Readonly<Record<Privacy, FindingId>> = {
  process: 'process-memory',
  protected: 'read-keys',
  keys: 'read-keys',
  private: 'read-private',
};

/** Files that guard the agent, or that run by themselves: at a commit, or when a folder is opened or entered. */
const GUARDS =
  /(?:^|\/)(?:\.git\/(?:hooks\/.+|config|info\/attributes)|\.(?:husky|githooks)\/.+|\.vscode\/tasks\.json|\.devcontainer\/.+|\.envrc|\.openhands\/(?:hooks(?:\/|\.json)|setup\.sh|pre-commit\.sh).*)$/;

const LOGIN = /(?:^|\/)\.(?:(?:bash|zsh)(?:rc|_profile|_login|env|_logout)|profile|xprofile|zprofile)$/;

const STARTS = /(?:^|\/)(?:\.config\/(?:autostart|systemd|fish)|LaunchAgents|LaunchDaemons)(?:\/.+)?$/;

const OWN_SETTINGS = /(?:^|\/)\.(?:gitconfig|npmrc|pypirc|ssh\/config|config\/git\/config)$/;

/** Reports a file that is read, and gives its origin. */
export function readFrom(path: string, shell: ShellReader, isRecursive = false): number {
  const privacy = privacyOf(shell.place(path), shell.world.guarded, isRecursive);
  if (privacy === undefined) return (shell.madeAt(path)?.origin ?? 0) & Origin.SECRET;
  shell.report(PRIVACY[privacy]);
  return Origin.SECRET;
}

/** Returns the input from a redirected file. */
export function readsFrom(word: ShellWord, shell: ShellReader): Output {
  if (callsServer(word.text, shell)) return { text: undefined, origin: Origin.NETWORK };
  const made = shell.madeAt(word.text);
  return made ?? { text: undefined, origin: readFrom(word.text, shell) | word.origin, file: word.text };
}

/** Reports a file that a redirection writes. */
export function writesTo(word: ShellWord, output: Output, shell: ShellReader): void {
  if (callsServer(word.text, shell)) {
    if ((output.origin & Origin.SECRET) !== 0) shell.report('send-secrets');
    return;
  }
  writeTo(word.text, shell, output);
  shell.make(word.text, output);
  readMade(word.text, output.text, shell);
}

/** Reports a path that is written or replaced. */
export function writeTo(path: string, shell: ShellReader, output: Output = NOTHING_KNOWN): void {
  const place = shell.place(path);
  const { kind } = place;
  if (kind === 'stream') return;
  if (place.isPlain && kind === 'inside') {
    if (privacyOf(place, shell.world.guarded, false) === 'protected') shell.report('write-guard');
    return;
  }
  const full = place.names.join('/');
  if (place.names.includes('.ssh') && place.names.at(-1) !== 'config' && place.names.at(-1) !== 'known_hosts')
    return shell.report('write-system');
  if (LOGIN.test(full) && output.text !== undefined && !output.text.includes(UNKNOWN)) {
    // its lines will run at the next login without an approval
    const before = shell.found.length;
    shell.read(output.text, { isScript: false });
    return shell.report(shell.found.length > before ? 'write-guard' : 'write-settings');
  }
  if (GUARDS.test(full) || LOGIN.test(full) || STARTS.test(full)) return shell.report('write-guard');
  if (privacyOf(place, shell.world.guarded, false) === 'protected') return shell.report('write-guard');
  if (place.kind === 'device') return shell.report('raw-disk-op');
  if (place.kind === 'system' || place.kind === 'above') return shell.report('write-system');
  if (OWN_SETTINGS.test(full)) return shell.report('write-settings');
  if (place.kind === 'git') return shell.report('write-settings');
  if (place.kind === 'personal' || place.kind === 'home' || place.kind === 'outside') shell.report('write-outside');
}

/** Reports a link if it can lead out of the workspace: later paths through it are read as paths inside. */
export function linksTo(source: string, link: string, shell: ShellReader): void {
  const at = shell.place(link).kind;
  if (at !== 'inside' && at !== 'workspace' && at !== 'git' && at !== 'temporary') return;
  const { kind } = shell.place(source);
  if (kind !== 'inside' && kind !== 'temporary' && kind !== 'stream') shell.report('link-outside');
}

/** Reports a path that is deleted. */
export function deletes(word: ShellWord, shell: ShellReader, isRecursive: boolean): void {
  const place = shell.place(word.text);
  if (shell.isRoot && place.kind !== 'inside' && place.kind !== 'temporary') shell.report('root-delete');
  if (privacyOf(place, shell.world.guarded, isRecursive) === 'protected') shell.report('write-guard');
  const id = riskOfDeleting(place, word.text, isRecursive);
  if (id !== undefined) shell.report(id);
}

function riskOfDeleting(place: Place, text: string, isRecursive: boolean): FindingId | undefined {
  switch (place.kind) {
    case 'inside':
    case 'temporary':
    case 'stream':
      return undefined;
    case 'workspace':
      return isRecursive || !text.endsWith('*') ? 'catastrophic-delete' : 'delete-unnamed';
    case 'git':
      return isRecursive ? 'delete-history' : undefined;
    case 'above':
    case 'system':
    case 'home':
    case 'device':
      return 'catastrophic-delete';
    case 'unknown':
      return isRecursive ? 'delete-unseen' : 'delete-unnamed';
    case 'personal':
    case 'outside':
      return isRecursive || text.includes('*') ? 'delete-outside' : 'delete-unnamed';
  }
}
