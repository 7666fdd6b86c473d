import { UNKNOWN } from '../facts/places.ts';
import { MAX_WORD, plainWord, type ShellWord } from './word.ts';

/** Longer texts are scripts. */
const MAX_LENGTH = 10_000;
const BLANK = 32;
const DOUBLE = 34;
const SINGLE = 39;

/** Characters that stand for themselves wherever they are in a word. */
const PLAIN = codes(/[\w./:@%+,~^*?=-]/);
/** Characters that stand for themselves between double quotes. */
const PLAIN_IN_QUOTES = codes(/[^"$`\\]/);

function codes(characters: RegExp): readonly boolean[] {
  return Array.from({ length: 128 }, (_, code) => characters.test(String.fromCharCode(code)));
}

/** Words with which a shell begins something else than a command. */
const RESERVED = new Set(
  'if then else elif fi for while until do done case esac select function time coproc in'.split(' '),
);

/**
 * Returns the words of one command in which nothing is replaced, redirected or joined to another. Returns `undefined` for any other
 * text, which is the grammar's. Most commands are as plain as this, and need no tree.
 */
export function plainCommand(text: string): readonly ShellWord[] | undefined {
  const words: ShellWord[] = [];
  const { length } = text;
  if (length > MAX_LENGTH) return undefined;
  let at = 0;
  while (at < length) {
    const start = at;
    let code = text.charCodeAt(at);
    while (at < length && code < 128 && PLAIN[code] === true) code = text.charCodeAt(++at);
    if (at < length && code !== BLANK) {
      at = endOfQuoted(text, start, at);
      if (at === -1) return undefined;
      words.push(wordOf(withoutQuotes(text.slice(start, at))));
    } else if (at > start) words.push(wordOf(text.slice(start, at)));
    at += 1;
  }
  return isCommand(words) ? words : undefined;
}

/** Returns the end of a word with quotes; -1 if something in the word is not plain. */
function endOfQuoted(text: string, start: number, from: number): number {
  let at = from;
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === BLANK) return at;
    if (code === SINGLE) at = text.indexOf("'", at + 1);
    else if (code === DOUBLE) at = endOfDouble(text, at + 1);
    else if (code >= 128 || PLAIN[code] !== true) return -1;
    if (at === -1 || at - start > MAX_WORD) return -1;
  }
  return at;
}

function endOfDouble(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === DOUBLE) return at;
    if (code < 128 && PLAIN_IN_QUOTES[code] !== true) return -1;
  }
  return -1;
}

function withoutQuotes(word: string): string {
  let text = '';
  for (let at = 0; at < word.length;) {
    const quote = word[at] as string;
    const isQuoted = quote === '"' || quote === "'";
    let end = isQuoted ? word.indexOf(quote, at + 1) : at;
    if (!isQuoted) while (end < word.length && word[end] !== '"' && word[end] !== "'") end += 1;
    text += word.slice(isQuoted ? at + 1 : at, end);
    at = isQuoted ? end + 1 : end;
  }
  return text;
}

function wordOf(text: string): ShellWord {
  return plainWord(text.length > MAX_WORD ? UNKNOWN : text);
}

function isCommand(words: readonly ShellWord[]): boolean {
  const first = words[0]?.text;
  if (first === undefined || RESERVED.has(first) || first.includes('=')) return false;
  // an assignment that appends is the grammar's
  return !words.some(({ text }) => text.includes('+='));
}
