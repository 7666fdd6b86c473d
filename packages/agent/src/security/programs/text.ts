import { absolute, UNKNOWN } from '../places.ts';
import { privacyOf } from '../private-files.ts';
import { PARENT } from '../shell/variables.ts';
import { Origin, plainWord, type ShellWord } from '../shell/word.ts';
import { type Call, hasOption, operandsOf, type Program, valueOf } from './call.ts';
import { deletes, listed, reading, readFrom } from './files.ts';
import { assign } from './wrappers.ts';

/** Text that a command prints, when its arguments are known. */
const echo: Program = ({ words, texts }) => {
  let from = 0;
  let isEscaped = false;
  while (from < texts.length && texts[from]?.charCodeAt(0) === DASH && ECHO_OPTION.test(texts[from] as string)) {
    isEscaped ||= texts[from]?.includes('e') === true;
    from += 1;
  }
  const text = from === 0 ? texts.join(' ') : texts.slice(from).join(' ');
  return { text: isEscaped ? unescape(text) : text, origin: originOf(words) };
};

const DASH = 45;
const ECHO_OPTION = /^-[neE]+$/;

function originOf(words: readonly ShellWord[]): number {
  let all = 0;
  for (const { origin } of words) all |= origin;
  return all;
}

/** Programs that look at files or at the shell, and show nothing of what is in them. */
const look: Program = () => undefined;

function unescape(text: string): string {
  return text.replaceAll(
    /\\(?:n|t|r|0?([0-7]{1,3})|x([\da-fA-F]{1,2})|(.))/g,
    (all: string, octal?: string, hex?: string, rest?: string) => {
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
      if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
      return rest ?? (all === '\\t' ? '\t' : '\n');
    },
  );
}

const printf: Program = (call) => {
  const words = call.texts[0] === '-v' ? call.words.slice(2) : call.words;
  const [format, ...values] = words;
  if (format === undefined) return undefined;
  let next = 0;
  let text = unescape(format.text).replaceAll(/%(?:%|[-\d.]*[a-zA-Z])/g, (sign) =>
    sign === '%%' ? '%' : (values[next++]?.text ?? ''),
  );
  if (next > 0) while (next < values.length && next < 50) text += `\n${values[next++]?.text ?? ''}`;
  const output = { text, origin: originOf(words) };
  if (call.texts[0] === '-v') call.shell.variables.set(call.texts[1] ?? '', output);
  return output;
};

const MAX_RUNS = 20;
const FIND_RUNS = /^-(?:exec|execdir|ok|okdir)$/;

/** find: its folders, and the commands and deletions that it makes. */
const find: Program = (call) => {
  const { shell, words, texts } = call;
  const first = texts.findIndex((text) => /^[-(!]/.test(text) && !/^-[HLPOD]/.test(text));
  const folders = (first === -1 ? words : words.slice(0, first)).filter(({ text }) => !text.startsWith('-'));
  const roots = folders.length === 0 ? [plainWord('.')] : folders;
  const isNarrow =
    texts.some((text) =>
      /^-(?:i?name|i?path|i?regex|newer|mtime|mmin|size|empty|type|user|perm|depth|maxdepth)/.test(text),
    ) && texts.some((text) => /^-(?:i?name|i?path|i?regex|newer\w*|mtime|mmin|size|empty)$/.test(text));
  if (texts.includes('environ')) shell.report('process-memory');
  if (texts.includes('-delete')) for (const root of roots) deleteFound(root, call, isNarrow);
  let runs = 0;
  for (const [at, text] of texts.entries()) {
    if (!FIND_RUNS.test(text)) continue;
    runs += 1;
    // nobody writes more of them, and each looks at all words behind it
    if (runs > MAX_RUNS) {
      shell.report('unread');
      return undefined;
    }
    const end = texts.findIndex((one, index) => index > at && (one === ';' || one === '+'));
    const command = words.slice(at + 1, end === -1 ? undefined : end);
    for (const root of roots) {
      const found = nameFound(root.text, isNarrow);
      shell.run(
        command.map((word) => (word.text.includes('{}') ? { ...word, text: word.text.replaceAll('{}', found) } : word)),
        undefined,
      );
      if (!/^(?:ls|stat|echo|test|chmod|wc|file|basename|dirname|rm|touch|du)$/.test(command[0]?.text ?? ''))
        readFrom(root.text, shell, true);
    }
  }
  return { text: roots.map(({ text }) => nameFound(text, isNarrow)).join('\n'), origin: Origin.FOUND };
};

/** A name that a search finds; of the whole folder when nothing narrows the search. */
function nameFound(root: string, isNarrow: boolean): string {
  return isNarrow ? listed(root) : `${listed(root).slice(0, -1)}*`;
}

function deleteFound(root: ShellWord, { shell }: Call, isNarrow: boolean): void {
  const { kind } = shell.place(root.text);
  if (kind === 'inside' || kind === 'temporary' || (kind === 'workspace' && isNarrow)) return;
  deletes(root, shell, true);
}

const ls: Program = (call) => {
  const { shell } = call;
  const folders = operandsOf(call, '-I --ignore');
  for (const word of folders)
    if (privacyOf(shell.place(word.text), [], false) === 'process') shell.report('process-memory');
  return { text: folders.length === 0 ? `./${UNKNOWN}` : UNKNOWN, origin: Origin.NONE };
};

const cd: Program = (call) => {
  const { variables, world } = call.shell;
  const target = operandsOf(call)[0]?.text ?? (call.name === 'popd' ? '-' : '~');
  const { folder } = variables;
  variables.folder = target === '-' ? variables.previous : absolute(target, folder, world.home);
  variables.previous = folder;
  return { text: '', origin: 0 };
};

/** Sets variables by name: `read x`, `mapfile x`. */
const read: Program = (call) => {
  const { input, shell } = call;
  const value = { text: (input?.text ?? UNKNOWN).split('\n', 1)[0] ?? UNKNOWN, origin: input?.origin ?? 0 };
  for (const { text } of operandsOf(call, '-d -n -N -p -t -u -i -a')) shell.variables.set(text, value);
  return undefined;
};

/** `export x=y`, `declare`, `local`. */
const declare: Program = (call) => {
  // a reference to another variable may stand for any
  const isReference = call.name !== 'export' && hasOption(call.texts, 'n', '');
  for (const { text } of call.words)
    if (isReference && /^[A-Za-z_]\w*=/.test(text))
      call.shell.variables.set(text.slice(0, text.indexOf('=')), { text: UNKNOWN, origin: 0 });
  for (const word of call.words) if (!isReference && /^[A-Za-z_]\w*\+?=/.test(word.text)) assign(call, word);
  const isAll = call.texts.includes('-p') || call.words.length === 0;
  return { text: call.words.length === 0 ? undefined : '', origin: isAll ? Origin.SECRET : 0 };
};

const unset: Program = ({ texts, shell }) => {
  if (texts.includes('HISTFILE')) shell.report('hide-traces');
  return undefined;
};

/** Prints all variables, which may hold keys; harmless as long as they stay here. */
const environment: Program = ({ words }) =>
  words.length === 0 ? { text: undefined, origin: Origin.SECRET } : { text: undefined, origin: 0 };

const history: Program = ({ texts, shell }) => {
  if (texts.some((text) => /^-[cdw]/.test(text))) shell.report('hide-traces');
  return { text: undefined, origin: Origin.SECRET };
};

const DECODES = /^(?:-d|-di|-D|--d\w*|-r|-rp|-r?p?s?)$/;

/** base64, xxd, gzip: a hidden text becomes legible. */
const decoder: Program = (call) => {
  const { texts, name } = call;
  const files = operandsOf(call, '-w -c -l -s');
  const { origin } = reading(call, files);
  const isDecoding =
    /^(?:rev|tr|uudecode|zcat|gunzip|bzcat|xzcat|unzstd|uncompress|rot13)$/.test(name) ||
    texts.some((text) => DECODES.test(text));
  return { text: undefined, origin: origin | (isDecoding ? Origin.DECODED : 0) };
};

const tr: Program = (call) => {
  const origin = call.input?.origin ?? 0;
  const isTranslation = !call.texts[0]?.startsWith('-') && !/^(?:\\[0nrt]|[ ,:;|])$/.test(call.texts[0] ?? '');
  return { text: undefined, origin: origin | (isTranslation ? Origin.DECODED : 0) };
};

/** Programs that hand on a part of what they are given, or of their files. */
const filter: Program = (call) => reading(call, operandsOf(call, '-n -c -k -t -d -f -F -s -w -b -o'));

const pwd: Program = ({ shell }) => ({ text: shell.variables.folder, origin: 0 });
const mktemp: Program = () => ({ text: '/tmp/tmp.made', origin: 0 });
const count: Program = (call) => ({ ...reading(call, operandsOf(call)), text: '1' });

const trap: Program = ({ words, shell }) => {
  const [script] = words;
  if (script && script.text !== '-' && script.text !== '') shell.read(script.text);
  return undefined;
};

const alias: Program = ({ words, shell }) => {
  for (const { text } of words) {
    const at = text.indexOf('=');
    if (at !== -1) shell.read(text.slice(at + 1));
  }
  return undefined;
};

const path: Program = (call) => {
  const text = operandsOf(call)[0]?.text;
  return { text: text ?? UNKNOWN, origin: 0 };
};

const output =
  (text: string): Program =>
  () => ({ text, origin: 0 });
const names = (program: Program, list: string): Record<string, Program> =>
  Object.fromEntries(list.split(' ').map((name) => [name, program]));

/** Archives: packing reads folders, unpacking writes one. */
const archive: Program = (call) => {
  const { shell, texts } = call;
  const first = texts[0] ?? '';
  const isUnpacking =
    call.name === 'unzip' ||
    call.name === '7z' ||
    /^-?[a-zA-Z]*x|^--(?:extract|get)/.test(first) ||
    /^-?[a-z]*t/.test(first);
  for (const word of call.words) {
    const run = /^--(?:checkpoint-action=exec=|to-command=|use-compress-program=|rsh-command=)(.*)$|^-I(.+ .+)$/.exec(
      word.text,
    );
    if (run === null) continue;
    shell.report('injected-program');
    shell.read(run[1] ?? run[2] ?? '', { isScript: false });
  }
  const files = operandsOf(call, '-C --directory -f --file --exclude -X -d -x -T');
  let origin = call.input?.origin ?? 0;
  if (!isUnpacking)
    for (const word of files.slice(first.startsWith('-') ? 0 : 1)) origin |= readFrom(word.text, shell, true);
  const isWorkspace = files.some((word) => shell.place(word.text).kind === 'workspace');
  const isPrinted = !texts.some((text) => /f/.test(text) && /^-?[a-zA-Z]+$/.test(text));
  const target = valueOf(call, '-C', '--directory', '-d');
  if (isUnpacking && target) shell.run([plainWord('mkdir'), target], undefined);
  const isFetched = [call.input, ...call.texts.map((text) => shell.madeAt(text))].some(
    (source) => ((source?.origin ?? 0) & Origin.NETWORK) !== 0,
  );
  if (isUnpacking && isFetched) shell.make(target?.text ?? '.', { text: undefined, origin: Origin.NETWORK });
  return { text: undefined, origin: origin | (isWorkspace && isPrinted && !isUnpacking ? Origin.SECRET : 0) };
};

/** Programs about texts, folders and variables of the shell. */
export const textPrograms: Readonly<Record<string, Program>> = {
  echo,
  printf,
  find,
  ls,
  cd,
  read,
  unset,
  history,
  tr,
  pwd,
  mktemp,
  trap,
  alias,
  ...names(look, 'test [ [[ file stat du df which type whereis ssh-add true false sleep wait jobs fg bg'),
  ...names(find, 'fd fdfind bfs'),
  ...names(cd, 'pushd popd chdir'),
  ...names(read, 'mapfile readarray'),
  ...names(declare, 'export declare local readonly typeset set'),
  ...names(environment, 'printenv'),
  ...names(decoder, 'base64 base32 basenc xxd uudecode rev zcat gunzip gzip bzcat xzcat bunzip2 unxz unzstd'),
  ...names(
    filter,
    'head tail sort uniq cut less more bat nl tac strings od hexdump jq yq column fold fmt paste comm diff cmp xmllint view vi vim nano code open xdg-open csvcut shuf split iconv file2 tail',
  ),
  ...names(count, 'wc nproc seq expr md5sum sha1sum sha256sum'),
  ...names(path, 'basename dirname realpath readlink'),
  ...names(output('linux'), 'uname'),
  ...names(output('user'), 'whoami id'),
  ...names(output('localhost'), 'hostname'),
  ...names(output('2026'), 'date'),
  ...names(archive, 'tar zip unzip 7z bsdtar cpio'),
  ...names(ls, 'dir tree exa eza lsd'),
};

/** True if a word names the process that started the shell. */
export function namesParent(word: string): boolean {
  return word.includes(PARENT);
}
