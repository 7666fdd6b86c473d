import { UNKNOWN } from '../facts/places.ts';

/** Origins of a text, as bits. `NAMED`: a variable whose name says that it is secret. */
export const Origin = {
  NONE: 0,
  NETWORK: 1,
  DECODED: 2,
  SECRET: 4,
  FOUND: 8,
  SHELL: 16,
  PROCESSES: 32,
  NAMED: 64,
} as const;

/** A word of a command as it will be when the command runs. */
export interface ShellWord {
  /** Parts that are not known are {@link UNKNOWN}. */
  readonly text: string;
  readonly origin: number;
  /** The output that a process substitution stands for. */
  readonly output?: Output | undefined;
}

/** Text that a command writes or is given. */
export interface Output {
  /** `undefined`: nothing of it is known. */
  readonly text: string | undefined;
  readonly origin: number;
  readonly file?: string;
}

/** The output of a command that writes nothing. */
export const NO_TEXT: Output = { text: '', origin: Origin.NONE };

/** An output of which nothing is known. */
export const NOTHING_KNOWN: Output = { text: undefined, origin: Origin.NONE };

/** Outputs of two commands, one behind the other. */
export function joined(one: Output, next: Output): Output {
  const text = one.text === undefined || next.text === undefined ? undefined : one.text + next.text;
  return { text: text !== undefined && text.length > 4096 ? undefined : text, origin: one.origin | next.origin };
}

/** Longest text that variables may make of one word. */
export const MAX_WORD = 8192;

export function plainWord(text: string, origin: number = Origin.NONE, output?: Output): ShellWord {
  return { text, origin, output };
}

/** The words that braces make of one: `{a,b}c`, `{1..3}`. More than a few dozen are left as they stand. */
export function withoutBraces(word: ShellWord, limit = 48): readonly ShellWord[] {
  let texts: readonly string[] = [word.text];
  for (let round = 0; round < 6; round += 1) {
    const next = texts.flatMap(expandedOnce);
    if (next.length === texts.length || next.length > limit) break;
    texts = next;
  }
  return texts.length === 1 ? [word] : texts.filter((text) => text !== '').map((text) => ({ ...word, text }));
}

/** The text with its first innermost braces expanded. */
function expandedOnce(text: string): readonly string[] {
  const end = text.indexOf('}');
  const start = end === -1 ? -1 : text.lastIndexOf('{', end);
  if (start === -1 || text[start - 1] === '$') return [text];
  const body = text.slice(start + 1, end);
  const parts = body.includes(',') ? body.split(',') : body.includes('..') ? [UNKNOWN] : undefined;
  if (parts === undefined || parts.length > 48) return [text];
  return parts.map((part) => text.slice(0, start) + part + text.slice(end + 1));
}
