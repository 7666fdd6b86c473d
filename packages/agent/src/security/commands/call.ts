import type { ShellReader } from '../shell/reader.ts';
import type { Output, ShellWord } from '../shell/word.ts';

/** A command that is about to be judged. */
export interface Call {
  /** Name of the program, without its folder. */
  readonly name: string;
  /** Arguments. */
  readonly words: readonly ShellWord[];
  /** The texts of the arguments. */
  readonly texts: readonly string[];
  /** The input of the program, from a pipe or a file. */
  readonly input: Output | undefined;
  readonly shell: ShellReader;
}

/** Judges a call and returns its output; nothing, if nothing of it is known. */
export type Program = (call: Call) => Output | undefined | void;

const DASH = 45;

const sets = new Map<string, ReadonlySet<string>>();

/** Returns the words of a constant text as a set, which is cached. */
export function wordSet(words: string): ReadonlySet<string> {
  let set = sets.get(words);
  if (set === undefined) {
    set = new Set(words.split(' '));
    sets.set(words, set);
  }
  return set;
}

/** Returns the arguments that are neither options nor values of the options in `withValue`. */
export function operandsOf(call: Pick<Call, 'words'>, withValue = ''): readonly ShellWord[] {
  const found: ShellWord[] = [];
  const values = withValue === '' ? undefined : wordSet(withValue);
  let isEnded = false;
  for (let at = 0; at < call.words.length; at += 1) {
    const word = call.words[at] as ShellWord;
    const { text } = word;
    if (isEnded || text.length < 2 || text.charCodeAt(0) !== DASH) found.push(word);
    else if (text === '--') isEnded = true;
    else if (values?.has(text) === true) at += 1;
  }
  return found;
}

/** Returns the value of an option, behind it or joined to it. */
export function valueOf(call: Pick<Call, 'words'>, ...names: readonly string[]): ShellWord | undefined {
  for (let at = 0; at < call.words.length; at += 1) {
    const word = call.words[at] as ShellWord;
    if (word.text.charCodeAt(0) !== DASH) continue;
    if (names.includes(word.text)) return call.words[at + 1];
    const name = names.find((one) =>
      one.startsWith('--')
        ? word.text.startsWith(`${one}=`)
        : word.text.startsWith(one) && word.text.length > one.length,
    );
    if (name !== undefined) return { ...word, text: word.text.slice(name.length + (name.startsWith('--') ? 1 : 0)) };
  }
  return undefined;
}

/** True if an option is given: a letter of it in a group of short options, or a beginning of its long name. */
export function hasOption(texts: readonly string[], letters: string, long: string): boolean {
  for (const text of texts) {
    if (text.charCodeAt(0) !== DASH) continue;
    if (text === '--') return false;
    if (text.startsWith('--') ? text.length > 3 && long.startsWith(text.slice(2)) : isGroup(text, letters)) return true;
  }
  return false;
}

function isGroup(text: string, letters: string): boolean {
  const code = text.charCodeAt(1) | 32;
  if (code < 97 || code > 122) return false;
  for (const letter of letters) if (text.includes(letter, 1)) return true;
  return false;
}

export function namesOf(program: Program, names: string): Readonly<Record<string, Program>> {
  return Object.fromEntries(names.split(' ').map((name) => [name, program]));
}
