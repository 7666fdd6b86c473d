import type { ShellReader } from '../shell/reader.ts';
import { Origin, type Output, type ShellWord } from '../shell/word.ts';
import { type Call, namesOf, operandsOf, type Program, valueOf } from '../commands/call.ts';
import { readCode } from '../commands/code.ts';
import { readFrom, writeTo } from '../commands/file-access.ts';
import { givenCode, languageOf } from '../commands/given-code.ts';
import { runFile, runMade } from '../commands/made-text.ts';
import { possiblePaths } from '../commands/possible-paths.ts';
import { commandsIn } from '../commands/options.ts';
import { reportPackage, runPackage } from './package-runners.ts';
import { servesByInterpreter } from './serving.ts';

const interpreter: Program = (call) => {
  const { shell, texts, input } = call;
  const language = languageOf(call.name);
  const codes = givenCode(call, language);
  for (const code of codes) codeOf(code, call);
  servesByInterpreter(call, language);
  const loaded =
    language === 'node' || language === 'bun' ? valueOf(call, '-r', '--require', '--import', '--loader') : undefined;
  if (loaded && /^[/.~]/.test(loaded.text)) runFile(loaded, 'code', shell);
  const isInPlace =
    (language === 'perl' || language === 'ruby') && texts.some((text) => /^-\w*i(?:\.\w+)?$/.test(text));
  if (isInPlace) for (const word of call.words) if (!isCode(word, codes)) writeTo(word.text, shell);
  if (isInPlace && language === 'perl') return;
  const origin = (input?.origin ?? 0) | readArguments(call, codes);
  if (codes.length > 0) return { text: undefined, origin };
  const module = language === 'python' ? moduleOf(call) : undefined;
  if (module !== undefined) return runModule(module, call, origin);
  if (language === 'deno' && judgesPackage(call)) return;
  const file = operandsOf(call, '-W -X -r --require --import -I --loader')[0];
  if (file === undefined || file.text === '-' || file.text === '/dev/stdin') {
    if (input === undefined) return;
    if (language === 'tclsh') for (const line of commandsIn(input.text ?? '')) shell.read(line, { isScript: false });
    return runMade(input, 'code', shell);
  }
  if (/^https?:\/\//.test(file.text)) shell.report('fetch-to-exec');
  runFile(file, 'code', shell);
  return { text: undefined, origin };
};

/** Reports files among the arguments, which the code may show, and gives their origin. */
function readArguments({ words, shell }: Call, codes: readonly ShellWord[]): number {
  let origin = 0;
  for (const { text } of possiblePaths(words.filter((word) => !isCode(word, codes))))
    if (/[/.~]/.test(text)) origin |= readFrom(text, shell);
  return origin;
}

/** True if a word is code, or an option with code joined to it. */
function isCode(word: ShellWord, codes: readonly ShellWord[]): boolean {
  return codes.some((code) => code === word || (word.text.startsWith('-') && word.text.endsWith(code.text)));
}

/** True if a call of deno was about a package or an address. */
function judgesPackage(call: Call): boolean {
  const { texts, words, shell } = call;
  if (texts[0] === 'x') {
    runPackage(call, words.slice(1), true);
    return true;
  }
  const [name] = texts.filter((text) => /^(?:npm:|jsr:|https?:)/.test(text));
  if (name === undefined) return false;
  if (/^(?:add|install)$/.test(texts[0] ?? '')) shell.report(name.startsWith('http') ? 'fetch-to-exec' : 'install');
  else reportPackage(call, name);
  return true;
}

function codeOf(word: ShellWord, { name, shell }: Call): void {
  if ((word.origin & Origin.NETWORK) !== 0) shell.report('fetch-to-exec');
  else if ((word.origin & Origin.DECODED) !== 0) shell.report('decode-to-exec');
  readCode(word.text, shell);
  if (name === 'gnuplot') for (const line of commandsIn(word.text)) shell.read(line, { isScript: false });
  if (!name.startsWith('ipython')) return;
  for (const [, line = ''] of word.text.matchAll(MAGIC)) shell.read(line, { isScript: false });
}

/** Lines that IPython gives to a shell. */
const MAGIC = /^\s*(?:\w+\s*=\s*)?(?:!!?|%{1,2}(?:sx|system|bash|sh|script)\b)\s*(\S.*)$/gm;

/** A module of Python that runs, and the words behind it. */
interface Module {
  readonly name: string;
  readonly rest: readonly ShellWord[];
}

/** Returns the module that `-m` names, alone or in a group of short options: `-Im pip`. */
function moduleOf({ words, texts }: Call): Module | undefined {
  for (let at = 0; at < texts.length; at += 1) {
    const text = texts[at] as string;
    if (!text.startsWith('-') || text === '-' || text === '--') return undefined;
    const joined = /^-[A-VYZa-ln-z]*?m(.*)$/s.exec(text)?.[1];
    if (joined === '') return { name: texts[at + 1] ?? '', rest: words.slice(at + 2) };
    if (joined !== undefined) return { name: joined, rest: words.slice(at + 1) };
    if (text === '-W' || text === '-X') at += 1;
  }
  return undefined;
}

function runModule({ name: module, rest }: Module, call: Call, origin: number): Output | undefined {
  if (/^(?:pip|pipx|pytest|poetry|uv|http\.server|ensurepip)$/.test(module))
    return call.shell.run([{ text: module, origin: 0 }, ...rest], call.input);
  if (module === 'venv' || module === 'virtualenv') call.shell.run([{ text: 'mkdir', origin: 0 }, ...rest], undefined);
  return { text: undefined, origin };
}

/** awk: its first operand is a program. */
const awk: Program = (call) => {
  const source = valueOf(call, '-f', '--file', '-E', '--exec');
  if (source) runFile(source, 'code', call.shell);
  const given = givenTo(call, '-e', '--source');
  for (const text of given) readAwk(text, call.shell);
  const [program, ...files] = operandsOf(
    call,
    '-F -v -f -i -l -e -E --field-separator --assign --file --include --load --source --exec',
  );
  if (program && source === undefined) readAwk(program.text, call.shell);
  const isInPlace = valueOf(call, '-i', '--include')?.text === 'inplace';
  let origin = call.input?.origin ?? 0;
  for (const file of program && (source || given.length > 0) ? [program, ...files] : files) {
    origin |= readFrom(file.text, call.shell);
    if (isInPlace) writeTo(file.text, call.shell);
  }
  return { text: undefined, origin };
};

function givenTo(call: Call, ...names: readonly string[]): readonly string[] {
  const word = valueOf(call, ...names);
  return word === undefined ? [] : [word.text];
}

/** Files that a program of awk writes, and files that it reads. */
const AWK_WRITES = /\bprintf?\b[^;{}|\n]{0,300}?>>?\s*\(?\s*"([^"\n]{1,300})"/g;
const AWK_READS = /\bgetline\b[^;{}|\n<]{0,100}<\s*\(?\s*"([^"\n]{1,300})"/g;

function readAwk(given: string, shell: ShellReader): void {
  const program = given.replaceAll(/ENVIRON\["HOME"\]\s*"/g, '"~');
  for (const [, path = ''] of program.matchAll(AWK_WRITES)) writeTo(path, shell);
  for (const [, path = ''] of program.matchAll(AWK_READS)) readFrom(path, shell);
  if (/\bsystem\s*\(|\|\s*getline|\|\s*"|"\s*\|/.test(program) || /\/inet\//.test(program)) readCode(program, shell);
}

/** Programs that run code of other languages. */
export const interpreterPrograms: Readonly<Record<string, Program>> = {
  ...namesOf(
    interpreter,
    'python python2 python3 ipython ipython3 pypy pypy3 perl ruby node nodejs deno bun php lua luajit osascript tclsh tsx ts-node ts-node-esm esno coffee raku r rscript julia groovy octave octave-cli gnuplot guile racket scala elixir erl ghc swift sbcl clojure clj crystal kotlin ocaml',
  ),
  ...namesOf(awk, 'awk gawk mawk nawk'),
};
