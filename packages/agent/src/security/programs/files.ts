import { isAbsoluteKind } from './risks.ts';
import type { FindingId } from '../findings.ts';
import { type Place, UNKNOWN } from '../places.ts';
import { type Privacy, privacyOf } from '../private-files.ts';
import type { ShellReader } from '../shell/reader.ts';
import { NOTHING_KNOWN, Origin, type Output, type ShellWord } from '../shell/word.ts';
import { type Call, hasOption, operandsOf, type Program, valueOf } from './call.ts';
import { callsServer } from './connections.ts';
import { setsUserId } from './options.ts';

const PRIVACY: Readonly<Record<Privacy, FindingId>> = {
  process: 'process-memory',
  protected: 'read-keys',
  keys: 'read-keys',
  private: 'read-private',
};

/** Files that guard the agent, or that run by themselves. */
const GUARDS =
  /(?:^|\/)(?:\.git\/(?:hooks\/.+|config|info\/attributes)|\.openhands\/(?:hooks(?:\/|\.json)|setup\.sh|pre-commit\.sh).*)$/;
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

/** The input that a redirection from a file gives. */
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
}

/** Reports a path that is written, or made to be something else. */
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
    // its lines will run at the next login
    shell.read(output.text, { isScript: false });
    return shell.report('write-settings');
  }
  if (GUARDS.test(full) || LOGIN.test(full) || STARTS.test(full)) return shell.report('write-guard');
  if (privacyOf(place, shell.world.guarded, false) === 'protected') return shell.report('write-guard');
  if (place.kind === 'device') return shell.report('raw-disk-op');
  if (place.kind === 'system' || place.kind === 'above') return shell.report('write-system');
  if (OWN_SETTINGS.test(full)) return shell.report('write-settings');
  if (place.kind === 'git') return shell.report('write-settings');
  if (place.kind === 'personal' || place.kind === 'home' || place.kind === 'outside') shell.report('write-outside');
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

const rm: Program = (call) => {
  const isRecursive = hasOption(call.texts, 'rR', 'recursive');
  if (call.texts.includes('--no-preserve-root')) call.shell.report('catastrophic-delete');
  if (call.shell.isRoot) call.shell.report('root-delete');
  for (const word of operandsOf(call)) deletes(word, call.shell, isRecursive);
  return undefined;
};

const rimraf: Program = (call) => {
  for (const word of operandsOf(call)) deletes(word, call.shell, true);
  return undefined;
};

const unlink: Program = (call) => {
  for (const word of operandsOf(call, '-s -r --size --reference')) deletes(word, call.shell, false);
  return undefined;
};

const shred: Program = (call) => {
  for (const word of operandsOf(call, '-n -s')) {
    call.shell.report(call.shell.place(word.text).kind === 'device' ? 'raw-disk-op' : 'shred');
  }
  return undefined;
};

/** Windows: `rd /s`, `del /s`, `Remove-Item -Recurse`, `format c:`. */
const windowsDelete: Program = ({ name, texts, words, shell }) => {
  const isAll = texts.some((text) => /^\/s$/i.test(text) || /^-r(?:e(?:c\w*)?)?$/i.test(text));
  if (name === 'format' ? texts.some((text) => /^[a-z]:/i.test(text)) : isAll) shell.report('catastrophic-delete');
  else if (name !== 'format') for (const word of words) if (!word.text.startsWith('/')) deletes(word, shell, false);
  return undefined;
};

const mv: Program = (call) => {
  const given = operandsOf(call, '-t --target-directory -S');
  const target = valueOf(call, '-t', '--target-directory') ?? given.at(-1);
  const isVoid = target?.text === '/dev/null';
  for (const word of target === given.at(-1) ? given.slice(0, -1) : given) {
    const { kind } = call.shell.place(word.text);
    if (isVoid || kind === 'system' || kind === 'above' || kind === 'home' || kind === 'workspace')
      call.shell.report('catastrophic-delete');
    else if (kind === 'personal' || kind === 'outside') call.shell.report('delete-unnamed');
    readFrom(word.text, call.shell, true);
  }
  if (target && !isVoid) writeTo(target.text, call.shell);
  return undefined;
};

/** Programs that read all of their operands but the last, and write that one. */
const copy: Program = (call) => {
  const given = operandsOf(
    call,
    '-m -o -g -S -t --target-directory --mode --owner --group -e --rsh --exclude --include',
  );
  if (call.name === 'install' && setsUserId(valueOf(call, '-m', '--mode')?.text ?? ''))
    call.shell.report('set-user-id');
  const isDeep = call.name === 'rsync' || hasOption(call.texts, 'raR', 'recursive');
  const target = valueOf(call, '-t', '--target-directory') ?? given.at(-1);
  const sources = target === given.at(-1) ? given.slice(0, -1) : given;
  let origin = 0;
  for (const word of sources) origin |= readFrom(word.text, call.shell, isDeep && call.name !== 'ln');
  if (target === undefined) return undefined;
  if (/^[\w.@-]+:(?!\/\/)/.test(target.text) && call.name === 'rsync') {
    call.shell.report('fetch');
    if ((origin & Origin.SECRET) !== 0) call.shell.report('send-secrets');
    return undefined;
  }
  if (call.texts.some((text) => text.startsWith('--delete')))
    deletes({ ...target, text: target.text.replace(/\/+$/, '') }, call.shell, true);
  writeTo(target.text, call.shell);
  const source = sources[0];
  if (call.name === 'ln' && source !== undefined) linked(source, target, call.shell);
  const made = source && (call.shell.madeAt(source.text) ?? { text: undefined, origin, file: source.text });
  if (made) call.shell.make(target.text, made);
  return undefined;
};

/** A link out of the workspace makes every later path through it lie. */
function linked(source: ShellWord, target: ShellWord, shell: ShellReader): void {
  const { kind } = shell.place(source.text);
  const isFar = kind === 'above' || kind === 'home' || kind === 'system';
  if (isFar && shell.place(target.text).kind === 'inside') shell.report('write-guard');
}

const dd: Program = (call) => {
  const part = (name: string): string | undefined =>
    call.texts.find((text) => text.startsWith(name))?.slice(name.length);
  const origin = readFrom(part('if=') ?? '', call.shell);
  const target = part('of=');
  if (target !== undefined) writesTo({ text: target, origin }, call.input ?? NOTHING_KNOWN, call.shell);
  return { text: undefined, origin: origin | (call.input?.origin ?? 0) };
};

/** Programs that write all of their operands. */
const writesAll: Program = (call) => {
  if (call.name === 'mkdir' && setsUserId(valueOf(call, '-m', '--mode')?.text ?? '')) call.shell.report('set-user-id');
  for (const word of operandsOf(call, '-s --size -d -t -r --reference')) {
    writeTo(word.text, call.shell);
    if (call.name === 'mkfifo') call.shell.make(word.text, NOTHING_KNOWN);
    if (call.name === 'tee' && call.input) call.shell.make(word.text, call.input);
  }
  return call.input;
};

const truncate: Program = (call) => {
  for (const word of operandsOf(call, '-s --size -r --reference -o'))
    if (isAbsoluteKind(call.shell.place(word.text).kind)) deletes(word, call.shell, true);
  return undefined;
};

/** `sed -i`, `perl -i`: written in place, else read. */
const sed: Program = (call) => {
  const { texts, shell } = call;
  const files = operandsOf(call, '-e -f --expression --file').slice(valueOf(call, '-e', '--expression', '-f') ? 0 : 1);
  const isInPlace = texts.some((text) => /^-\w*i|^--in-place/.test(text));
  for (const word of files) if (isInPlace) writeTo(word.text, shell);
  const script = valueOf(call, '-e', '--expression')?.text ?? operandsOf(call)[0]?.text ?? '';
  const run = /(?:^|[;{}\d$/!]\s*)e\s+(\S.*)$/m.exec(script)?.[1];
  if (run !== undefined) {
    shell.report('injected-program');
    shell.read(run, { isScript: false });
  }
  return reading(call, files);
};

const chmod: Program = (call) => {
  const [mode, ...files] = operandsOf(call, '--reference');
  const text = mode?.text ?? '';
  const isUserId = setsUserId(text);
  const isOpen = /^0?\d?\d[2367]$|^0?777$|^(?:[ugo]*[oa][ugoa]*)?[+=][rx]*w/.test(text) && !/^[ug]+[+=]/.test(text);
  for (const word of files) {
    const { kind } = call.shell.place(word.text);
    const isDeep = hasOption(call.texts, 'R', 'recursive');
    if (isUserId) call.shell.report('set-user-id');
    else if (
      kind !== 'inside' &&
      kind !== 'workspace' &&
      kind !== 'temporary' &&
      (isOpen || isDeep || kind === 'system')
    )
      call.shell.report('open-system');
    else if (isOpen && isDeep) call.shell.report('open-files');
  }
  return undefined;
};

const setcap: Program = ({ shell }) => {
  shell.report('set-user-id');
  return undefined;
};

const chown: Program = (call) => {
  for (const word of operandsOf(call).slice(1)) {
    const { kind } = call.shell.place(word.text);
    if (kind === 'system' || kind === 'above' || kind === 'home') call.shell.report('open-system');
    else if (kind === 'outside' || kind === 'personal') call.shell.report('write-outside');
  }
  return undefined;
};

/** Programs that show their operands. */
export const reading = (call: Call, files: readonly ShellWord[]): Output => {
  let origin = call.input?.origin ?? 0;
  const isDeep =
    hasOption(call.texts, 'rR', 'recursive') ||
    call.name === 'rg' ||
    call.name === 'ag' ||
    call.name === 'zip' ||
    call.name === 'tar';
  for (const word of files)
    origin |= word.origin | (word.output?.origin ?? 0) | readFrom(word.text, call.shell, isDeep);
  const first = files[0];
  if (files.length === 1 && first !== undefined && call.name === 'cat') {
    const made = call.shell.madeAt(first.text);
    return made ?? first.output ?? { text: undefined, origin, file: first.text };
  }
  return { text: undefined, origin };
};

const cat: Program = (call) => {
  const files = operandsOf(call);
  return files.length === 0 && call.input ? call.input : reading(call, files);
};

const grep: Program = (call) => {
  const { shell } = call;
  const given = operandsOf(call, '-e -f -A -B -C -m --include --exclude --exclude-dir -g --glob -t --type --pre');
  const files = given.slice(valueOf(call, '-e', '-f') ? 0 : 1);
  const pre = valueOf(call, '--pre');
  if (pre !== undefined) shell.read(pre.text);
  const { origin } = reading(call, files);
  const isList = call.texts.some((text) => /^-\w*[lL]|^--files/.test(text));
  return { text: isList ? listed(files[0]?.text) : undefined, origin };
};

/** Names below a folder, none of which is known. */
export function listed(folder: string | undefined): string {
  return folder === undefined || folder === '.' ? `./${UNKNOWN}` : `${folder.replace(/\/+$/, '')}/${UNKNOWN}`;
}

/** Programs about files. */
export const filePrograms: Readonly<Record<string, Program>> = {
  rm,
  rimraf,
  unlink,
  shred,
  mv,
  dd,
  sed,
  chmod,
  chown,
  cat,
  truncate,
  grep,
  setcap,
  srm: shred,
  wipe: shred,
  gsed: sed,
  chgrp: chown,
  rd: windowsDelete,
  rmdir: windowsDelete,
  del: windowsDelete,
  erase: windowsDelete,
  'remove-item': windowsDelete,
  ri: windowsDelete,
  format: windowsDelete,
  cp: copy,
  install: copy,
  ln: copy,
  rsync: copy,
  tee: writesAll,
  touch: writesAll,
  mkdir: writesAll,
  chattr: writesAll,
  setfacl: writesAll,
  mkfifo: writesAll,
  egrep: grep,
  fgrep: grep,
  zgrep: grep,
  rg: grep,
  ag: grep,
  ack: grep,
};
