import { UNKNOWN } from '../facts/places.ts';
import type { ShellWord } from '../shell/word.ts';
import { namesOf, operandsOf, type Program } from '../commands/call.ts';

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

/** `test -v` evaluates the name of a variable. */
const test: Program = ({ texts, shell }) => {
  for (const [at, text] of texts.entries()) if (text === '-v' || text === '-R') shell.evaluate(texts[at + 1] ?? '');
};

/** Stands for programs that look at files or at the shell, and do not print their content. */
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
  if (format === undefined) return;
  let next = 0;
  let text = unescape(format.text).replaceAll(/%(?:%|[-\d.]*[a-zA-Z])/g, (sign) =>
    sign === '%%' ? '%' : (values[next++]?.text ?? ''),
  );
  if (next > 0) while (next < values.length && next < 50) text += `\n${values[next++]?.text ?? ''}`;
  const output = { text, origin: originOf(words) };
  if (call.texts[0] === '-v') {
    call.shell.evaluate(call.texts[1] ?? '');
    call.shell.variables.set(call.texts[1] ?? '', output);
  }
  return output;
};

const pwd: Program = ({ shell }) => ({ text: shell.variables.folder, origin: 0 });

const mktemp: Program = () => ({ text: '/tmp/tmp.made', origin: 0 });

const path: Program = (call) => {
  const text = operandsOf(call)[0]?.text;
  return { text: text ?? UNKNOWN, origin: 0 };
};

const output =
  (text: string): Program =>
  () => ({ text, origin: 0 });

/** Programs that print their arguments, or a few known words. */
export const printingPrograms: Readonly<Record<string, Program>> = {
  echo,
  printf,
  pwd,
  mktemp,
  ...namesOf(test, 'test [ [['),
  ...namesOf(look, 'file stat du df which type whereis ssh-add true false sleep jobs fg bg'),
  ...namesOf(path, 'basename dirname realpath readlink'),
  ...namesOf(output('linux'), 'uname'),
  ...namesOf(output('user'), 'whoami id'),
  ...namesOf(output('localhost'), 'hostname'),
  ...namesOf(output('2026'), 'date'),
};
