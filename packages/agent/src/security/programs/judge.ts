import { UNKNOWN } from '../facts/places.ts';
import type { ShellReader } from '../shell/reader.ts';
import { PARENT } from '../shell/variables.ts';
import { NOTHING_KNOWN, Origin, type Output, plainWord, type ShellWord } from '../shell/word.ts';
import { archivePrograms } from './archives.ts';
import { builtinPrograms } from './builtins.ts';
import { cloudPrograms } from './clouds.ts';
import { connectingPrograms } from './connecting.ts';
import { containerPrograms } from './containers.ts';
import { conversationPrograms } from './conversations.ts';
import { copyingPrograms } from './copying.ts';
import { databasePrograms } from './databases.ts';
import { deletingPrograms } from './deleting.ts';
import { editorPrograms } from './editors.ts';
import { environmentPrograms } from './environments.ts';
import { fetchingPrograms } from './fetching.ts';
import { reportForeignCode } from './foreign-code.ts';
import { gitPrograms } from './git.ts';
import { interpreterPrograms } from './interpreters.ts';
import { linkingPrograms } from './linking.ts';
import { asksForHelp, machinePrograms } from './machine.ts';
import { packageRunnerPrograms } from './package-runners.ts';
import { packagePrograms } from './packages.ts';
import { permissionPrograms } from './permissions.ts';
import { printingPrograms } from './printing.ts';
import { processPrograms } from './processes.ts';
import { readingPrograms } from './reading.ts';
import { searchingPrograms } from './searching.ts';
import { sedPrograms } from './sed.ts';
import { servingPrograms } from './serving.ts';
import { shellPrograms } from './shells.ts';
import { taskPrograms } from './tasks.ts';
import { terminalPrograms } from './terminals.ts';
import { wrapperPrograms } from './wrappers.ts';
import { readFrom, writeTo } from '../commands/file-access.ts';
import { possiblePaths } from '../commands/possible-paths.ts';
import { printsSettings, runFile } from '../commands/made-text.ts';
import { type Call, type Program, valueOf, wordSet } from '../commands/call.ts';
import { writeNamed } from '../commands/written-places.ts';
import { commandsIn, isLinker, type OptionRules, optionRules, readOptions } from '../commands/options.ts';

/** Known programs that take command lines as arguments. */
const TAKES_COMMANDS = new Set('less more tar bsdtar zip rsync make gmake gdb npm pnpm yarn ansible'.split(' '));

/** A known program, with the facts about all of its calls. */
interface Known {
  readonly judge: Program;
  readonly options: OptionRules;
  readonly takesCommands: boolean;
  readonly printsSettings: boolean;
}

const PROGRAMS: ReadonlyMap<string, Known> = new Map(
  [
    archivePrograms,
    builtinPrograms,
    cloudPrograms,
    connectingPrograms,
    containerPrograms,
    conversationPrograms,
    copyingPrograms,
    databasePrograms,
    deletingPrograms,
    editorPrograms,
    environmentPrograms,
    fetchingPrograms,
    gitPrograms,
    interpreterPrograms,
    linkingPrograms,
    machinePrograms,
    packagePrograms,
    packageRunnerPrograms,
    permissionPrograms,
    printingPrograms,
    processPrograms,
    readingPrograms,
    searchingPrograms,
    sedPrograms,
    servingPrograms,
    shellPrograms,
    taskPrograms,
    terminalPrograms,
    wrapperPrograms,
  ].flatMap((list) => Object.entries(list).map(([name, program]) => [name, knownAs(name, program)] as const)),
);

function knownAs(name: string, judge: Program): Known {
  return {
    judge,
    options: optionRules(name),
    takesCommands: TAKES_COMMANDS.has(name),
    printsSettings: printsSettings(name),
  };
}

const PROGRAM_FOLDER =
  /^(?:\/usr)?(?:\/local)?\/s?bin\/|\/(?:node_modules\/)?\.?bin\/[^/]*$|\/\.venv\/|^\/opt\/homebrew\/bin\//;

const RUNNABLE =
  /^(?:\S*\/)?(?:rm|dd|sh|bash|zsh|curl|wget|nc|ncat|sudo|chmod|chown|mkfs\S*|python3?|perl|node|eval|shred|mv|kill|pkill|cat|tee)\s/;

/** Judges one command: reports findings to its shell and gives its output. */
export function judge(words: readonly ShellWord[], input: Output | undefined, shell: ShellReader): Output {
  const first = words[0] as ShellWord;
  const known = first.origin === 0 && first.output === undefined ? PROGRAMS.get(first.text) : undefined;
  const name = known === undefined ? programOf(first, shell) : first.text;
  if (name === undefined) return NOTHING_KNOWN;
  const rest = words.slice(1);
  const call: Call = { name, words: rest, texts: textsOf(rest), input, shell };
  reportForeignCode(call);
  const program = known ?? PROGRAMS.get(name) ?? PROGRAMS.get(name.replace(VERSION, ''));
  return program === undefined ? judgeOther(call, first, words) : judgeKnown(program, call);
}

const VERSION = /[\d.]+$/;

function textsOf(words: readonly ShellWord[]): readonly string[] {
  const texts: string[] = [];
  for (const { text } of words) texts.push(text);
  return texts;
}

function judgeKnown(program: Known, call: Call): Output {
  const { input, texts } = call;
  readOptions(call, program.options);
  if (program.takesCommands) readArguments(call);
  if (texts.length === 1 && asksForHelp(texts)) return NOTHING_KNOWN;
  const output =
    program.judge(call) ?? (input === undefined ? NOTHING_KNOWN : { text: undefined, origin: input.origin });
  return program.printsSettings ? { ...output, origin: output.origin | Origin.FOUND } : output;
}

function judgeOther(call: Call, first: ShellWord, words: readonly ShellWord[]): Output {
  const { name, shell, input } = call;
  if (ASSIGNMENT.test(first.text)) return judge([plainWord('env'), ...words], input, shell);
  if (name.startsWith('mkfs')) return PROGRAMS.get('mkswap')?.judge(call) ?? NOTHING_KNOWN;
  if (isLinker(name)) return shell.run(call.words, input);
  readOptions(call, optionRules(name));
  return other(call, first);
}

const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/;

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
  if (isPath) runFile(plainWord(text, origin), 'program', shell);
  return name.toLowerCase().replace(/\.exe$/, '');
}

/** Reads arguments that are command lines themselves: `man -P "sh -c …"`, `less '+!rm …'`. */
function readArguments({ texts, shell }: Call): void {
  for (const text of texts) {
    // a pager runs it, as an editor does
    const [, run] = /^\+{1,2}[!|]\s*(\S.*)$/s.exec(text) ?? [];
    if (run !== undefined) {
      shell.report('injected-program');
      shell.read(run, { isScript: false });
    }
    const line =
      text.includes(' ') || /\s/.test(text)
        ? /^(?:[+!:]+|-\w|[\w.-]+=)?\s*([\w./-]+\s.*)$/s.exec(text)?.[1]
        : undefined;
    if (line !== undefined && RUNNABLE.test(line)) shell.read(line, { isScript: false });
  }
}

/** Programs that an unknown program is assumed to start if they are among its arguments. */
const STARTED = wordSet(
  'rm rmdir unlink shred truncate dd sh bash zsh dash ksh fish curl wget nc ncat socat sudo doas chmod chown python python3 perl ruby node php eval exec env kill pkill killall tee find xargs rsync scp ssh nohup shutdown reboot crontab systemctl',
);
/** Words behind which a name is a package or a topic. */
const NAMES_A_TOPIC =
  /^(?:-?-?(?:install|add|remove|uninstall|upgrade|update|search|info|show|list|ls|use|plugin|help|create|new|describe|query|depends|which|man|login|from|local|global|set|test|lint|check|build|run-?tests?))$/;

/** Returns the words of the command that an unknown program starts, from the first known program on. */
function startedBy({ name, words, texts }: Call): readonly ShellWord[] | undefined {
  if (SAYS_ONLY.has(name)) return undefined;
  const at = texts.findIndex((text) =>
    STARTED.has(PROGRAM_FOLDER.test(text) ? text.slice(text.lastIndexOf('/') + 1) : text),
  );
  const before = texts.slice(0, at);
  return at === -1 || before.some((text) => NAMES_A_TOPIC.test(text)) ? undefined : words.slice(at);
}

/** Programs that treat the name of a program as plain text. */
const SAYS_ONLY = wordSet(
  'man tldr info apropos whatis say cowsay figlet cheat howdoi jest mocha ava ctest gh glab code command-not-found emerge pkg opkg notify-send logger yes ls cc gcc clang c++ g++ ld ar nm',
);

/** Programs that write nothing. */
const LOOKS_ONLY = wordSet('man tldr info say cowsay figlet ctest logger yes nm lsblk');

/** Judges an unknown program: it may show the files among its arguments, and write one of them. */
function other(call: Call, program: ShellWord): Output {
  const target = valueOf(call, '-o', '--output', '--out');
  if (target !== undefined && /[/~]/.test(target.text)) writeTo(target.text, call.shell);
  if (!LOOKS_ONLY.has(call.name)) writeNamed(call, 'oOCd');
  let origin = call.input?.origin ?? 0;
  readArguments(call);
  const started = startedBy(call);
  if (started !== undefined) call.shell.run(started, call.input);
  if (call.input?.text) for (const line of commandsIn(call.input.text)) call.shell.read(line, { isScript: false });
  if (call.name === 'ssh-keygen' && !call.texts.includes('-y')) return NOTHING_KNOWN;
  for (const { origin: from, output } of call.words) origin |= from | (output?.origin ?? 0);
  for (const { text } of possiblePaths(call.words))
    if (text.length > 3 && /[/.~\0]/.test(text)) origin |= readFrom(text, call.shell);
  return {
    text: undefined,
    origin: printsSettings(call.name) ? origin | Origin.FOUND : origin | (program.origin & Origin.NETWORK),
  };
}
