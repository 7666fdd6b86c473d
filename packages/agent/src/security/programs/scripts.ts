import { UNKNOWN } from '../places.ts';
import type { ShellReader } from '../shell/reader.ts';
import { NOTHING_KNOWN, Origin, type Output, type ShellWord } from '../shell/word.ts';
import { type Call, operandsOf, type Program, valueOf } from './call.ts';
import { readCode } from './code.ts';
import { readFrom } from './files.ts';
import { commandsIn } from './options.ts';

/** Commands that print settings for a shell, and nothing else. */
const PRINTS_SETTINGS = new Set(
  'ssh-agent|direnv|pyenv|rbenv|nodenv|goenv|jenv|conda|mamba|brew|starship|zoxide|fnm|mise|asdf|rtx|opam|dircolors|lesspipe|minikube|docker-machine|thefuck|gh|kubectl|helm|npm|register-python-argcomplete|pip|luarocks|fzf|nvm|volta|keychain|resize|tset|locale'.split(
    '|',
  ),
);

/** Runs a text whose language and origin are known. */
function runMade(output: Output, language: 'shell' | 'code', shell: ShellReader): Output {
  const { text, origin } = output;
  if ((origin & Origin.NETWORK) !== 0) shell.report('fetch-to-exec');
  else if ((origin & Origin.DECODED) !== 0) shell.report('decode-to-exec');
  if (text !== undefined && text !== UNKNOWN) {
    if (language === 'code') readCode(text, shell);
    else {
      shell.report('piped-code');
      return shell.read(text);
    }
  } else if (output.file !== undefined) runFile({ text: output.file, origin }, language, shell);
  else if ((origin & (Origin.NETWORK | Origin.DECODED)) === 0) shell.report('unseen-code');
  return NOTHING_KNOWN;
}

/** Runs a file. */
export function runFile(word: ShellWord, language: 'shell' | 'code' | 'program', shell: ShellReader): void {
  if (word.output) return void runMade(word.output, language === 'code' ? 'code' : 'shell', shell);
  const made = shell.madeAt(word.text);
  if (made !== undefined) {
    const isKnown = made.text !== undefined && made.file === undefined;
    if (isKnown && language !== 'code') shell.read(made.text ?? '', { isScript: language === 'shell' });
    else if (isKnown) readCode(made.text ?? '', shell);
    else if ((made.origin & (Origin.NETWORK | Origin.DECODED)) !== 0) void runMade(made, 'shell', shell);
    else if (made.file === undefined) shell.report('unseen-code');
    return;
  }
  const { kind } = shell.place(word.text);
  if ((word.origin & Origin.NETWORK) !== 0 || shell.isFetched(word.text)) shell.report('fetch-to-exec');
  if (word.text === '/dev/stdin' || word.text === '-') return;
  if (kind === 'temporary' || kind === 'outside' || kind === 'unknown') shell.report('run-outside');
}

const VALUE_OPTIONS = '-o -O --rcfile --init-file';

/** sh, bash and their like. */
const shellProgram: Program = (call) => {
  const { shell, texts, words, input } = call;
  const at = texts.findIndex((text) => /^-[a-z]*c$/.test(text) || text === '--command');
  if (at !== -1) {
    const script = words[at + 1];
    if (script === undefined) return undefined;
    if ((script.origin & Origin.NETWORK) !== 0) shell.report('fetch-to-exec');
    else if ((script.origin & Origin.DECODED) !== 0) shell.report('decode-to-exec');
    if (script.text.trim() === UNKNOWN) {
      if (script.origin === Origin.NONE) shell.report('unseen-code');
      return undefined;
    }
    return shell.variables.withArguments(words.slice(at + 3), () => shell.read(script.text, { input }));
  }
  if (shell.isRoot) shell.report('root-shell');
  const settings = valueOf(call, '--rcfile', '--init-file');
  if (settings) runFile(settings, 'shell', shell);
  const file = operandsOf(call, VALUE_OPTIONS)[0];
  const readsInput = file === undefined || texts.includes('-s') || file.text === '-' || file.text === '/dev/stdin';
  if (!readsInput) runFile(file, 'shell', shell);
  else if (input !== undefined) runMade(input, 'shell', shell);
  return readsInput ? { text: undefined, origin: Origin.SHELL } : undefined;
};

const CODE_OPTIONS: Readonly<Record<string, RegExp>> = {
  python: /^-[A-Za-bd-z]*c$/,
  node: /^-(?:e|p|pe|-eval|-print)$/,
  deno: /^eval$/,
  bun: /^-(?:e|-eval|p|-print)$/,
  perl: /^-[a-zA-Z0-9]*[eE]$/,
  ruby: /^-[a-z]*e$/,
  php: /^-r$/,
  lua: /^-e$/,
  osascript: /^-e$/,
};

const interpreter: Program = (call) => {
  const { shell, texts, words, input } = call;
  const language = call.name
    .replace(/[\d.]+$/, '')
    .replace(/^nodejs$/, 'node')
    .replace(/^(?:ipython|pypy|tsx|ts-node)$/, 'python');
  const option = CODE_OPTIONS[language];
  let isCode = false;
  if (option) {
    for (const [at, text] of texts.entries()) {
      const code = words[at + 1];
      if (!option.test(text) || code === undefined) continue;
      isCode = true;
      codeOf(code, shell);
    }
  }
  const loaded =
    language === 'node' || language === 'bun' ? valueOf(call, '-r', '--require', '--import', '--loader') : undefined;
  if (loaded && /^[/.~]/.test(loaded.text)) runFile(loaded, 'code', shell);
  if (texts.some((text) => /^-\w*i(?:\.\w+)?$/.test(text)) && language === 'perl') return undefined;
  if (isCode) return { text: undefined, origin: input?.origin ?? 0 };
  const module = valueOf(call, '-m')?.text;
  if (module !== undefined && language === 'python') return runModule(module, call);
  if (language === 'deno' && texts[0] === 'run' && texts.some((text) => /^https?:/.test(text)))
    shell.report('fetch-to-exec');
  const file = operandsOf(call, '-W -X -r --require --import -I --loader')[0];
  if (file === undefined || file.text === '-' || file.text === '/dev/stdin') {
    if (input === undefined) return undefined;
    if (language === 'tclsh') for (const line of commandsIn(input.text ?? '')) shell.read(line, { isScript: false });
    return runMade(input, 'code', shell);
  }
  if (/^https?:\/\//.test(file.text)) shell.report('fetch-to-exec');
  runFile(file, 'code', shell);
  return { text: undefined, origin: input?.origin ?? 0 };
};

function codeOf(word: ShellWord, shell: ShellReader): void {
  if ((word.origin & Origin.NETWORK) !== 0) shell.report('fetch-to-exec');
  else if ((word.origin & Origin.DECODED) !== 0) shell.report('decode-to-exec');
  readCode(word.text, shell);
}

function runModule(module: string, call: Call): Output | undefined {
  const at = call.texts.indexOf('-m');
  const rest = call.words.slice(at + 2);
  if (/^(?:pip|pytest|poetry|uv|http\.server|ensurepip)$/.test(module))
    return call.shell.run([{ text: module, origin: 0 }, ...rest], call.input);
  if (module === 'venv' || module === 'virtualenv') call.shell.run([{ text: 'mkdir', origin: 0 }, ...rest], undefined);
  return { text: undefined, origin: call.input?.origin ?? 0 };
}

const evaluate: Program = (call) => {
  const { shell, words, texts, input } = call;
  if (words.length === 0) return input && call.name !== 'eval' ? runMade(input, 'shell', shell) : undefined;
  const text = texts.join(' ');
  const origin = words.reduce((all, word) => all | word.origin, 0);
  if ((origin & Origin.NETWORK) !== 0) shell.report('fetch-to-exec');
  else if ((origin & Origin.DECODED) !== 0) shell.report('decode-to-exec');
  else if (text.trim() === UNKNOWN && (origin & Origin.FOUND) === 0) shell.report('unseen-code');
  if (text.trim() !== UNKNOWN) return shell.read(text);
  return undefined;
};

/** powershell and cmd: the text behind `-Command` is read as far as bash would read it. */
const powershell: Program = ({ shell, texts, words, input }) => {
  if (texts.some((text) => /^[-/]e(?:nc?|ncodedcommand)?$/i.test(text))) shell.report('decode-to-exec');
  const at = texts.findIndex((text) => /^(?:-c(?:ommand)?|\/c|\/k)$/i.test(text));
  if (at === -1) return input ? runMade(input, 'shell', shell) : undefined;
  const text = words
    .slice(at + 1)
    .map((word) => word.text)
    .join(' ');
  if (FETCHES_AND_RUNS.test(text)) shell.report('fetch-to-exec');
  return shell.read(text, { isScript: false });
};

const FETCHES_AND_RUNS =
  /\b(?:iex|invoke-expression)\b.*\b(?:iwr|irm|invoke-(?:webrequest|restmethod)|downloadstring|curl|wget)\b/is;

const source: Program = ({ shell, words, input }) => {
  const [file] = words;
  if (file === undefined) return undefined;
  if (file.text === '/dev/stdin') runMade(input ?? NOTHING_KNOWN, 'shell', shell);
  else runFile(file, 'shell', shell);
  return undefined;
};

/** awk: its first operand is a program. */
const awk: Program = (call) => {
  const [program, ...files] = operandsOf(call, '-F -v -f --field-separator --assign --file');
  if (program && valueOf(call, '-f', '--file') === undefined) readAwk(program.text, call.shell);
  let origin = call.input?.origin ?? 0;
  for (const file of files) origin |= readFrom(file.text, call.shell);
  return { text: undefined, origin };
};

function readAwk(program: string, shell: ShellReader): void {
  if (/\bsystem\s*\(|\|\s*getline|\|\s*"|"\s*\|/.test(program) || /\/inet\//.test(program)) readCode(program, shell);
}

/** Commands whose output is meant to be evaluated. */
export function printsSettings(name: string): boolean {
  return PRINTS_SETTINGS.has(name);
}

const names = (program: Program, list: string): Record<string, Program> =>
  Object.fromEntries(list.split(' ').map((name) => [name, program]));

/** Programs that run other programs' text. */
export const scriptPrograms: Readonly<Record<string, Program>> = {
  ...names(shellProgram, 'sh bash zsh dash ksh mksh ash fish csh tcsh rbash'),
  ...names(
    interpreter,
    'python python2 python3 ipython pypy pypy3 perl ruby node nodejs deno bun php lua osascript tclsh tsx ts-node',
  ),
  ...names(evaluate, 'eval iex invoke-expression'),
  ...names(powershell, 'powershell pwsh cmd'),
  ...names(source, 'source .'),
  ...names(awk, 'awk gawk mawk nawk'),
};
