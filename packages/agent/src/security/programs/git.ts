import { isAbsolutePath, UNKNOWN } from '../facts/places.ts';
import { privacyOf } from '../facts/private-files.ts';
import { Origin, type ShellWord } from '../shell/word.ts';
import { type Call, hasOption, operandsOf, type Program, valueOf } from '../commands/call.ts';
import { deletes, readFrom, writeTo } from '../commands/file-access.ts';
import { writeNamed } from '../commands/written-places.ts';
import { possiblePaths } from '../commands/possible-paths.ts';
import { runsProgram } from './git-settings.ts';

/** Judges `git`: work that it discards, history that it overwrites on servers, programs that its settings run. */
const git: Program = (call) => {
  const { shell, texts, words } = call;
  let at = 0;
  for (; at < texts.length && texts[at]?.startsWith('-') === true; at += 1) {
    const text = texts[at] ?? '';
    if (text === '-c' || text === '--config-env') setting(words[++at], call);
    else if (text.startsWith('--exec-path=')) shell.report('injected-program');
    else if (/^(?:-C|--git-dir|--work-tree|--namespace)$/.test(text)) at += 1;
  }
  const rest: Call = { ...call, words: words.slice(at + 1), texts: texts.slice(at + 1) };
  if (
    texts.some(
      (text) =>
        /^--(?:upload-pack|receive-pack|exec|ext-diff|textconv)=|^ext::|^-O\S/.test(text) || text.startsWith('ext::'),
    )
  )
    shell.report('injected-program');
  const found = COMMANDS[texts[at] ?? ''];
  found?.(rest);
  if (texts[at] === 'credential') shell.report('read-keys');
  const origin = readFiles(rest, texts[at] ?? '');
  writeFiles(rest, texts[at] ?? '');
  workElsewhere({ shell, words: words.slice(0, at) }, texts[at] ?? '', rest);
  if (/^(?:ls-files|diff|grep)$/.test(texts[at] ?? '')) return { text: `./${UNKNOWN}`, origin: origin | Origin.FOUND };
  if (/^(?:rev-parse|describe|symbolic-ref|merge-base|branch)$/.test(texts[at] ?? ''))
    return { text: texts.includes('--show-toplevel') ? shell.variables.folder : 'name', origin: 0 };
  return origin === 0 ? undefined : { text: undefined, origin: origin | (call.input?.origin ?? 0) };
};

const NAMES_ONLY = /^(?:|status|ls-files|ls-tree|rev-parse|describe|check-ignore|version|help)$/;

const SHOWS_FILES = /^(?:diff|log|show|blame|annotate|grep|cat-file)$/;

const WRITES_FILES =
  /^(?:am|apply|bisect|checkout|checkout-index|cherry-pick|clean|filter-branch|merge|mv|pull|read-tree|rebase|reset|restore|revert|rm|sparse-checkout|stash|switch)$/;

const WRITES_REPOSITORY =
  /^(?:add|commit|fast-import|fetch|gc|init|maintenance|notes|pack-refs|prune|repack|replace|tag|unpack-objects|update-index|update-ref|write-tree)$/;

/** Commands that list or write, as their next word says. */
const WRITES_BY_WORD = /^(?:submodule (?:add|update|deinit|sync|set-)|worktree (?:add|move|prune|remove|repair))/;

/** Variables and options that name a place of a repository. */
const PLACES: Readonly<Record<string, string>> = {
  GIT_DIR: '--git-dir',
  GIT_WORK_TREE: '--work-tree',
  GIT_COMMON_DIR: '',
  GIT_INDEX_FILE: '',
  GIT_OBJECT_DIRECTORY: '',
  GIT_ALTERNATE_OBJECT_DIRECTORIES: '',
};

/** The places of a repository, as variables and the options in front of a command name them. */
interface Repository {
  /** The folder in which git begins to look for it. */
  readonly folder: string;
  readonly named: ReadonlyMap<string, string>;
}

/** Reports work in a repository of the supervisor's files, or outside of the workspace. `rest`: the command and its words. */
function workElsewhere({ words, shell }: Pick<Call, 'words' | 'shell'>, command: string, rest: Call): void {
  if (NAMES_ONLY.test(command)) return;
  const { folder, named } = repositoryOf(words, shell);
  const isProtected = [`${folder}/.git`, ...named.values()].some(
    (path) => privacyOf(shell.place(path), shell.world.guarded, false) === 'protected',
  );
  if (isProtected) shell.report(SHOWS_FILES.test(command) ? 'read-keys' : 'write-guard');
  const writesFiles = WRITES_FILES.test(command) || WRITES_BY_WORD.test(`${command} ${rest.texts[0] ?? ''}`);
  if (!writesFiles && !WRITES_REPOSITORY.test(command)) return;
  const tree = named.get('GIT_WORK_TREE');
  for (const path of [folder, ...named.values()])
    if (/^(?:above|home|outside|personal|system)$/.test(shell.place(path).kind)) writeTo(path, shell);
  const behind = rest.texts.lastIndexOf('--');
  if (!writesFiles || tree === undefined || behind === -1) return;
  for (const text of rest.texts.slice(behind + 1)) writeTo(`${tree}/${text}`, shell);
}

function repositoryOf(words: readonly ShellWord[], { variables }: Call['shell']): Repository {
  let folder = '.';
  const named = new Map<string, string>();
  for (const name of Object.keys(PLACES)) {
    const value = variables.has(name) ? variables.get(name).text : '';
    if (value !== '') named.set(name, value);
  }
  for (const [at, { text }] of words.entries()) {
    const [, option = text, joined] = /^(--git-dir|--work-tree)=(.*)$/s.exec(text) ?? [];
    const value = joined ?? words[at + 1]?.text ?? '';
    // each folder starts from the one before
    if (option === '-C') folder = isAbsolutePath(value) ? value : `${folder}/${value}`;
    const name = Object.keys(PLACES).find((each) => PLACES[each] === option);
    if (name !== undefined) named.set(name, value);
  }
  for (const [name, path] of named) if (!isAbsolutePath(path)) named.set(name, `${folder}/${path}`);
  return { folder, named };
}

/** Commands whose option `-o` names where they write. */
const WRITES_TO_O = /^(?:format-patch|archive|bugreport|diagnose|index-pack|mailsplit)$/;

/** Reports places that git is told to write its output to. */
function writeFiles(call: Call, command: string): void {
  if (/^(?:config|commit|ls-files|push|clone)$/.test(command)) return;
  writeNamed(call, WRITES_TO_O.test(command) ? 'o' : '');
}

/** Reports files that git may show. Those of the workspace are read by the commands that take any file alone. */
function readFiles(call: Call, command: string): number {
  const { words, texts, shell } = call;
  const settings = command === 'config' ? valueOf(call, '-f', '--file') : undefined;
  const files = command === 'config' ? (settings ? [settings] : []) : possiblePaths(words);
  const isDeep = texts.includes('--no-index');
  const takesAny = command === 'hash-object' || command === 'config' || isDeep;
  let origin = 0;
  for (const { text } of files)
    if (/[/.~]/.test(text) && (takesAny || shell.place(text).kind !== 'inside'))
      origin |= readFrom(text, shell, isDeep);
  return origin;
}

function setting(word: ShellWord | undefined, { shell }: Call): void {
  const text = word?.text ?? '';
  if (!runsProgram(text)) return;
  shell.report('injected-program');
  const value = text.slice(text.indexOf('=') + 1).replace(/^!/, '');
  shell.read(value, { isScript: false });
}

const PUBLIC_REMOTE = /^(?:https?|ssh|git|ftp):\/\/|^[\w.-]+@[\w.-]+:|^[/~.]/;

const COMMANDS: Readonly<Record<string, (call: Call) => void>> = {
  clean: (call) => {
    const { texts, shell } = call;
    if (!hasOption(texts, 'f', 'force') || hasOption(texts, 'n', 'dry-run')) return;
    const paths = operandsOf(call, '-e --exclude');
    if (paths.length === 0) shell.report('git-discard');
    for (const path of paths) {
      const { kind } = shell.place(path.text);
      if (kind === 'workspace') shell.report('git-discard');
      else if (kind !== 'inside') deletes(path, shell, hasOption(texts, 'd', ''));
    }
  },
  reset: ({ texts, shell }) => {
    if (texts.includes('--hard') || texts.includes('--merge')) shell.report('git-discard');
  },
  'filter-repo': ({ shell }) => shell.report('delete-history'),
  stash: ({ texts, shell }) => {
    if (texts[0] === 'drop' || texts[0] === 'clear') shell.report('git-discard');
  },
  checkout: ({ texts, shell }) => {
    const at = texts.indexOf('--');
    if (texts.includes('.') || (at !== -1 && texts[at + 1] === '.') || hasOption(texts, 'f', 'force'))
      shell.report('git-discard');
  },
  restore: ({ texts, shell }) => {
    if (texts.includes('.') && !texts.includes('--staged')) shell.report('git-discard');
  },
  branch: ({ texts, shell }) => {
    if (texts.some((text) => /^-\w*D/.test(text))) shell.report('git-discard');
  },
  rm: (call) => {
    if (call.texts.includes('--cached')) return;
    const isDeep = hasOption(call.texts, 'r', 'recursive');
    for (const word of operandsOf(call))
      if (call.shell.place(word.text).kind !== 'inside') deletes(word, call.shell, isDeep);
  },
  push: (call) => {
    const { texts, shell } = call;
    const [remote, ...refs] = operandsOf(call, '-o --push-option --repo --receive-pack');
    const isDeleting =
      texts.some((text) => /^--(?:delete|mirror|prune)$|^-\w*d/.test(text)) ||
      refs.some(({ text }) => text.startsWith(':'));
    const isForced =
      hasOption(texts, 'f', 'force') ||
      texts.some((text) => text.startsWith('--force')) ||
      refs.some(({ text }) => text.startsWith('+'));
    const path = remote?.text.replace(/^file:\/\//, '') ?? '';
    const isPath = /^[/~.]/.test(path);
    const isElsewhere = PUBLIC_REMOTE.test(path) && !(isPath && shell.place(path).kind === 'inside');
    if (isForced && (texts.includes('--all') || texts.includes('--mirror'))) shell.report('destroy-service');
    else if (isForced || isDeleting) shell.report('git-force');
    if (isElsewhere) shell.report(isPath ? 'write-outside' : 'send-secrets');
  },
  clone: (call) => {
    const [from, to] = operandsOf(
      call,
      '-b --branch --depth -o --origin -c --config --reference -j --jobs --filter --separate-git-dir --template',
    );
    const value = valueOf(call, '-c', '--config');
    if (value) setting(value, call);
    writeValue(call, '--separate-git-dir');
    takesTemplate(call);
    if (hasOption(call.texts, '', 'recurse-submodules') || (from && !/^[/.]/.test(from.text)))
      call.shell.report('fetch');
    const folder =
      to?.text ??
      from?.text
        .replace(/\/+$/, '')
        .split(/[/:]/)
        .at(-1)
        ?.replace(/\.git$/, '') ??
      '';
    if (to) writeTo(to.text, call.shell);
    // the folder was fetched, so programs that run from it were fetched as well
    call.shell.make(folder, { text: undefined, origin: 1 });
  },
  remote: ({ texts, shell }) => {
    if (texts[0] === 'add' || texts[0] === 'set-url') shell.report('write-settings');
  },
  config: (call) => {
    const [name, value] = operandsOf(call, '-f --file --blob --type').filter(
      ({ text }) => !/^(?:set|unset|add)$/.test(text),
    );
    if (value === undefined || name === undefined) return;
    const file = valueOf(call, '-f', '--file');
    if (file) writeTo(file.text, call.shell);
    if (runsProgram(`${name.text}=${value.text}`)) call.shell.report('write-guard');
    else if (call.texts.includes('--global') || call.texts.includes('--system')) call.shell.report('write-settings');
  },
  'filter-branch': ({ shell, texts }) => {
    shell.report('git-discard');
    for (const [at, text] of texts.entries())
      if (/^--[a-z]+-filter$/.test(text)) shell.read(texts[at + 1] ?? '', { isScript: false });
  },
  'update-ref': ({ shell, texts }) => {
    if (texts[0] === '-d') shell.report('git-discard');
  },
  reflog: ({ texts, shell }) => {
    if (
      texts[0] === 'delete' ||
      (texts[0] === 'expire' && texts.some((text) => /^--expire(?:-unreachable)?=(?:now|all|0)/.test(text)))
    )
      shell.report('git-discard');
  },
  gc: ({ texts, shell }) => {
    if (texts.some((text) => /^--prune=(?:now|all)/.test(text))) shell.report('git-discard');
  },
  worktree: (call) => {
    const { texts, words, shell } = call;
    if (texts[0] === 'remove') shellDelete(call, words.slice(1));
    if (texts[0] === 'remove' && hasOption(texts, 'f', 'force')) shell.report('git-discard');
    const places = operandsOf({ words: words.slice(1) }, '-b -B --reason');
    const written = texts[0] === 'add' ? places.slice(0, 1) : texts[0] === 'move' ? places : [];
    for (const { text } of written) writeTo(text, shell);
  },
  init: (call) => {
    writeOperand(call, 0, '-b --initial-branch --template --separate-git-dir --object-format --ref-format');
    takesTemplate(call);
  },
  bundle: ({ texts, words, shell }) => {
    if (texts[0] === 'create') writeOperand({ words: words.slice(1), shell }, 0);
  },
  'merge-file': (call) => {
    if (!hasOption(call.texts, 'p', 'stdout')) writeOperand(call, 0, '-L --marker-size --diff-algorithm');
  },
  'pack-objects': (call) => writeOperand(call, 0),
  mailinfo: (call) => {
    for (const at of [0, 1]) writeOperand(call, at);
  },
  apply: (call) => {
    // the patch names the files
    if (call.texts.includes('--unsafe-paths')) call.shell.report('write-outside');
    writeValue(call, '--build-fake-ancestor');
  },
  'fast-export': (call) => writeValue(call, '--export-marks'),
  'fast-import': (call) => writeValue(call, '--export-marks'),
  svn: (call) => {
    if (call.texts[0] !== 'clone') return;
    call.shell.report('fetch');
    writeOperand(call, 2);
  },
  daemon: ({ shell }) => shell.report('expose'),
  instaweb: ({ texts, shell }) => shell.report(hasOption(texts, 'l', 'local') ? 'loopback' : 'expose'),
  'send-email': ({ texts, shell }) => {
    if (!hasOption(texts, '', 'dry-run')) shell.report('publish');
  },
  'imap-send': ({ shell }) => shell.report('publish'),
  maintenance: ({ texts, shell }) => {
    if (texts[0] === 'start' || texts[0] === 'register')
      shell.report(texts[0] === 'start' ? 'later' : 'write-settings');
  },
  bisect: (call) => runRest(call, 'run'),
  submodule: (call) => {
    const at = call.texts.indexOf('foreach');
    const text = call.texts.slice(at + 1).join(' ');
    if (at !== -1) call.shell.read(text, { isScript: false });
    if (call.texts[0] === 'add') call.shell.report('fetch');
  },
  difftool: (call) => {
    const text = valueOf(call, '-x', '--extcmd');
    if (text) call.shell.read(text.text);
  },
  rebase: (call) => {
    const text = valueOf(call, '-x', '--exec');
    if (text) call.shell.read(text.text);
  },
};

/** Reports a template of a new repository, which may hold hooks. */
function takesTemplate(call: Call): void {
  if (valueOf(call, '--template')?.text) call.shell.report('write-guard');
}

/** Reports the operand at a place as written. `withValue`: options in front of it that have a value. */
function writeOperand({ words, shell }: Pick<Call, 'words' | 'shell'>, at: number, withValue = ''): void {
  const word = operandsOf({ words }, withValue)[at];
  if (word) writeTo(word.text, shell);
}

/** Reports the value of an option as written. */
function writeValue(call: Call, name: string): void {
  const value = valueOf(call, name);
  if (value) writeTo(value.text, call.shell);
}

function shellDelete({ shell }: Call, words: readonly ShellWord[]): void {
  for (const word of words) if (shell.place(word.text).kind === 'above') deletes(word, shell, true);
}

function runRest(call: Call, word: string): void {
  const at = call.texts.indexOf(word);
  if (at !== -1) call.shell.run(call.words.slice(at + 1), call.input);
}

/** Tools of repositories. */
export const gitPrograms: Readonly<Record<string, Program>> = { git };
