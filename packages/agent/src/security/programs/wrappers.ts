import { UNKNOWN } from '../facts/places.ts';
import { NOTHING_KNOWN, type Output, plainWord, type ShellWord } from '../shell/word.ts';
import { assign } from '../commands/assignments.ts';
import { type Call, hasOption, type Program, valueOf, wordSet } from '../commands/call.ts';
import { scriptOf, unwrapped, type Wrapper, WRAPPERS } from '../commands/unwrapped.ts';

const SHELL_TEXT = wordSet('watch scl');

const wrapper: Program = (call) => {
  const { name, shell, input } = call;
  const line = name === 'env' ? splitLine(call) : undefined;
  if (line !== undefined) return shell.read(line, { input });
  const spec = WRAPPERS[name] as Wrapper;
  if (/(?:trace|db|heaptrack)$/.test(name) && valueOf(call, '-p', '--attach', '--pid') !== undefined)
    shell.report('process-memory');
  let rest = unwrapped(call.words, spec);
  const own = call.texts.slice(0, call.texts.length - rest.length);
  if (own.some((text) => text === '--help' || text === '--version')) return;
  const script = spec.script === undefined ? undefined : scriptOf(call.words, spec.script);
  if (script !== undefined) return shell.read(script.text, { input });
  if (name.endsWith('db')) readDebugger(call);
  if (name === 'hyperfine') return readMeasured(call, rest);
  if (spec.isRoot === true && isOnlyAsking(call)) return;
  if (spec.isRoot === true && hasOption(own, 'is', 'login')) shell.report('root-shell');
  if (spec.report) shell.report(spec.report);
  if (name === 'env' || spec.isRoot === true || name === 'cross-env' || name === 'dotenv')
    rest = afterAssignments(call, rest);
  if (rest.length === 0 && name === 'xargs') rest = [plainWord('echo')];
  if (rest.length === 0) return name === 'env' ? { text: undefined, origin: 4 } : undefined;
  const outer = shell.isRoot;
  shell.isRoot ||= spec.isRoot === true;
  const output = started(call, rest, input);
  shell.isRoot = outer;
  return output;
};

/** Returns the command line that `env -S` makes of its text and of the words behind it. */
function splitLine({ words, texts }: Call): string | undefined {
  for (const [at, text] of texts.entries()) {
    if (!text.startsWith('-') || text === '--') return undefined;
    const [found, joined = ''] = /^(?:-[a-zA-RT-Z0]*S|--s[a-z-]*(?:=|$))(.*)$/s.exec(text) ?? [];
    if (found === undefined) continue;
    const next = joined === '' ? at + 2 : at + 1;
    const first = joined === '' ? (texts[at + 1] ?? '') : joined;
    const rest = words.slice(next).map((word) => `'${word.text.replaceAll("'", "'\\''")}'`);
    return ['env', first, ...rest].join(' ');
  }
  return undefined;
}

/** Reads commands by which debuggers start programs: `gdb -ex 'shell …'`. */
function readDebugger({ texts, shell }: Call): void {
  for (const text of texts) {
    if (/^attach\b/.test(text)) shell.report('process-memory');
    const run = /^(?:-{0,2}[a-z-]*=)?\s*(?:shell|!|platform shell|pipe)\s*(\S.*)$/s.exec(text)?.[1];
    if (run !== undefined) shell.read(run, { isScript: false });
  }
}

/** Judges what hyperfine measures, and what it does before and behind: each is a command line. */
function readMeasured({ texts, shell, input }: Call, rest: readonly ShellWord[]): Output | undefined {
  for (const [at, text] of texts.entries()) {
    const [found, joined] = /^(?:-[pscC]|--(?:prepare|setup|cleanup|conclude|reference))(?:=(.*))?$/s.exec(text) ?? [];
    if (found !== undefined) shell.read(joined ?? texts[at + 1] ?? '', { isScript: false });
  }
  let output: Output | undefined;
  for (const { text } of rest) if (!text.startsWith('-')) output = shell.read(text, { input, isScript: false });
  return output;
}

/** Judges `parallel`: what stands behind `:::` becomes the last argument of the command, or replaces `{}`. */
function inParallel({ shell, input }: Call, rest: readonly ShellWord[]): Output {
  const at = rest.findIndex(({ text }) => /^:::+\+?$/.test(text));
  const program = at === -1 ? rest : rest.slice(0, at);
  const given = at === -1 ? [plainWord(UNKNOWN)] : rest.slice(at + 1).filter(({ text }) => !text.startsWith(':::'));
  if (program.length === 0) {
    let output: Output = NOTHING_KNOWN;
    for (const { text } of given) output = shell.read(text, { input, isScript: false });
    return output;
  }
  const isNamed = program.some(({ text }) => IN_PARALLEL.test(text));
  const line = program.length === 1 ? program[0]?.text : undefined;
  if (!isNamed && line === undefined) return shell.run([...program, ...given], input);
  let output: Output = NOTHING_KNOWN;
  for (const { text, origin } of given.slice(0, 40)) {
    const filled = (one: string): string => one.replaceAll(new RegExp(IN_PARALLEL, 'g'), () => text);
    output =
      line === undefined
        ? shell.run(
            program.map((word) => ({ ...word, text: filled(word.text), origin: word.origin | origin })),
            input,
          )
        : shell.read(isNamed ? filled(line) : `${line} ${text}`, { input, isScript: false });
  }
  return output;
}

const IN_PARALLEL = /\{(?:\d+|[./]+|#|%)?\}/;

function isOnlyAsking({ texts, words }: Call): boolean {
  return words.length === 0 || texts.every((text) => /^-[lvkKnA]+$/.test(text));
}

function started(call: Call, rest: readonly ShellWord[], input: Output | undefined): Output {
  const { name, shell } = call;
  if (name === 'xargs') return fed(call, rest);
  if (name === 'command' && hasOption(call.texts, 'vV', 'command')) return NOTHING_KNOWN;
  if (name === 'parallel') return inParallel(call, rest);
  if (SHELL_TEXT.has(name) && rest.length === 1) return shell.read(rest[0]?.text ?? '', { input });
  return shell.run(rest, input);
}

/** Judges `xargs`: its input becomes the last arguments of the command, or replaces `{}`. */
function fed(call: Call, rest: readonly ShellWord[]): Output {
  const { shell, input, texts } = call;
  const text = input?.text;
  const isList = text !== undefined && text.length < 2000;
  const words: readonly ShellWord[] = isList
    ? text
        .split(/\s+/)
        .filter((one) => one !== '')
        .slice(0, 40)
        .map((one) => ({ text: one, origin: input?.origin ?? 0 }))
    : [{ text: UNKNOWN, origin: input?.origin ?? 0 }];
  const at = texts.findIndex((one) => /^-[IiJ]/.test(one));
  const file = texts.indexOf('-a') === -1 ? undefined : texts[texts.indexOf('-a') + 1];
  if (file !== undefined) shell.run([plainWord('cat'), plainWord(file)], undefined);
  if (at === -1) return shell.run([...rest, ...words], undefined);
  const mark = texts[at]?.slice(2) || (texts[at] === '-I' || texts[at] === '-J' ? texts[at + 1] : '{}') || '{}';
  const value = words.length === 1 ? (words[0] as ShellWord) : { text: UNKNOWN, origin: input?.origin ?? 0 };
  return shell.run(
    rest.map((word) =>
      word.text.includes(mark)
        ? { text: word.text.replaceAll(mark, value.text), origin: word.origin | value.origin }
        : word,
    ),
    undefined,
  );
}

function afterAssignments(call: Call, words: readonly ShellWord[]): readonly ShellWord[] {
  let at = 0;
  while (at < words.length && /^[A-Za-z_]\w*=/.test(words[at]?.text ?? '')) {
    assign(call, words[at] as ShellWord);
    at += 1;
  }
  return words.slice(at);
}

/** Programs that start others. */
export const wrapperPrograms: Readonly<Record<string, Program>> = Object.fromEntries(
  Object.keys(WRAPPERS).map((name) => [name, wrapper]),
);
