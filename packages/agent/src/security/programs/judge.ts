import { UNKNOWN } from '../places.ts';
import type { ShellReader } from '../shell/reader.ts';
import { PARENT } from '../shell/variables.ts';
import { NOTHING_KNOWN, Origin, type Output, type ShellWord } from '../shell/word.ts';
import { type Call, type Program, valueOf } from './call.ts';
import { filePrograms, readFrom, writeTo } from './files.ts';
import { asksForHelp, machinePrograms } from './machine.ts';
import { networkPrograms } from './network.ts';
import { commandsIn, isLinker, readOptions } from './options.ts';
import { printsSettings, runFile, scriptPrograms } from './scripts.ts';
import { servicePrograms } from './services.ts';
import { textPrograms } from './text.ts';
import { wrapperPrograms } from './wrappers.ts';

const PROGRAMS: ReadonlyMap<string, Program> = new Map(
  [
    textPrograms,
    networkPrograms,
    machinePrograms,
    servicePrograms,
    scriptPrograms,
    filePrograms,
    wrapperPrograms,
  ].flatMap((list) => Object.entries(list)),
);

/** Programs that look at files without showing what is in them. */
const NO_READERS = new Set(
  'test [ [[ file stat du df which type whereis chmod chown mkdir touch ssh-add rm git echo printf true false sleep wait jobs fg bg cd sha256sum'.split(
    ' ',
  ),
);
const PROGRAM_FOLDER =
  /^(?:\/usr)?(?:\/local)?\/s?bin\/|\/(?:node_modules\/)?\.?bin\/[^/]*$|\/\.venv\/|^\/opt\/homebrew\/bin\//;

/** Known programs that take command lines as arguments. */
const TAKES_COMMANDS = /^(?:less|more|tar|bsdtar|zip|rsync|g?make|gdb|npm|pnpm|yarn|ed|ansible)$/;
const RUNNABLE =
  /^(?:\S*\/)?(?:rm|dd|sh|bash|zsh|curl|wget|nc|ncat|sudo|chmod|chown|mkfs\S*|python3?|perl|node|eval|shred|mv|kill|pkill|cat|tee)\s/;

/** Judges one command: reports findings to its shell and gives its output. */
export function judge(given: { words: readonly ShellWord[]; input: Output | undefined; shell: ShellReader }): Output {
  const { words, shell, input } = given;
  const [first, ...rest] = words as readonly [ShellWord, ...ShellWord[]];
  const name = programOf(first, shell);
  if (name === undefined) return NOTHING_KNOWN;
  if (/^[A-Za-z_]\w*\+?=/.test(first.text)) return judge({ ...given, words: [{ text: 'env', origin: 0 }, ...words] });
  const call: Call = { name, words: rest, texts: rest.map(({ text }) => text), input, shell };
  if (name.startsWith('mkfs')) return PROGRAMS.get('mkswap')?.(call) ?? NOTHING_KNOWN;
  if (isLinker(name)) return shell.run(rest, input);
  readOptions(call);
  if (TAKES_COMMANDS.test(name)) readArguments(call);
  const program = PROGRAMS.get(name) ?? PROGRAMS.get(name.replace(/[\d.]+$/, ''));
  if (program !== undefined) {
    if (asksForHelp(call.texts)) return NOTHING_KNOWN;
    const output = program(call) ?? { text: undefined, origin: input?.origin ?? 0 };
    return printsSettings(name) ? { ...output, origin: output.origin | Origin.FOUND } : output;
  }
  return other(call, first);
}

/** The name of the program that a word stands for; `undefined` when it cannot be known. */
function programOf({ text, origin, output }: ShellWord, shell: ShellReader): string | undefined {
  const name = text.slice(text.lastIndexOf('/') + 1);
  if (output !== undefined || name === '' || /[*?[]/.test(name) || name.includes(UNKNOWN) || name.includes(PARENT)) {
    if (text === '[' || text === '[[') return text;
    if ((origin & Origin.NETWORK) !== 0) shell.report('fetch-to-exec');
    else shell.report('unseen-code');
    return undefined;
  }
  if ((origin & Origin.NETWORK) !== 0) shell.report('fetch-to-exec');
  if ((origin & Origin.DECODED) !== 0) shell.report('decode-to-exec');
  const isPath = text.includes('/') && !PROGRAM_FOLDER.test(text) && !text.startsWith(UNKNOWN);
  if (isPath) runFile({ text, origin }, 'program', shell);
  return name.toLowerCase().replace(/\.exe$/, '');
}

/** Reads arguments that are command lines themselves: `man -P "sh -c …"`, `less '+!rm …'`. */
function readArguments({ texts, shell }: Call): void {
  for (const text of texts) {
    const line = /\s/.test(text) ? /^(?:[+!:]+|-\w|[\w.-]+=)?\s*([\w./-]+\s.*)$/s.exec(text)?.[1] : undefined;
    if (line !== undefined && RUNNABLE.test(line)) shell.read(line, { isScript: false });
  }
}

/** A program that nothing is known of: it may show the files that it is given, and write one. */
function other(call: Call, program: ShellWord): Output {
  const target = valueOf(call, '-o', '--output', '--out');
  if (target !== undefined && /[/~]/.test(target.text)) writeTo(target.text, call.shell);
  let origin = call.input?.origin ?? 0;
  readArguments(call);
  for (const line of commandsIn(call.input?.text ?? '')) call.shell.read(line, { isScript: false });
  if (call.name === 'ssh-keygen' && !call.texts.includes('-y')) return NOTHING_KNOWN;
  if (!NO_READERS.has(call.name)) {
    for (const { text, origin: from, output } of call.words) {
      origin |= from | (output?.origin ?? 0);
      if (text.length > 3 && /[/.~\0]/.test(text) && !text.startsWith('-')) origin |= readFrom(text, call.shell);
    }
  }
  return {
    text: undefined,
    origin: printsSettings(call.name) ? origin | Origin.FOUND : origin | (program.origin & Origin.NETWORK),
  };
}
