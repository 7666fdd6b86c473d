import type { ShellReader } from '../shell/reader.ts';
import { Origin, type Output, type ShellWord } from '../shell/word.ts';
import { type Call, namesOf, operandsOf, type Program, valueOf } from '../commands/call.ts';
import { readCode } from '../commands/code.ts';
import { readFrom } from '../commands/file-access.ts';
import { runFile, runMade } from '../commands/made-text.ts';
import { commandsIn } from '../commands/options.ts';

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
  if (texts.some((text) => /^-\w*i(?:\.\w+)?$/.test(text)) && language === 'perl') return;
  if (isCode) return { text: undefined, origin: input?.origin ?? 0 };
  const module = valueOf(call, '-m')?.text;
  if (module !== undefined && language === 'python') return runModule(module, call);
  if (language === 'deno' && texts[0] === 'run' && texts.some((text) => /^https?:/.test(text)))
    shell.report('fetch-to-exec');
  const file = operandsOf(call, '-W -X -r --require --import -I --loader')[0];
  if (file === undefined || file.text === '-' || file.text === '/dev/stdin') {
    if (input === undefined) return;
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

/** Programs that run code of other languages. */
export const interpreterPrograms: Readonly<Record<string, Program>> = {
  ...namesOf(
    interpreter,
    'python python2 python3 ipython pypy pypy3 perl ruby node nodejs deno bun php lua osascript tclsh tsx ts-node',
  ),
  ...namesOf(awk, 'awk gawk mawk nawk'),
};
