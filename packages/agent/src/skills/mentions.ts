/** The most characters of a message that are searched: a longer one is material, and its sender waits. */
const MAX_LOOKED_AT = 100_000;

const WORD_BEFORE = /[\p{L}\p{M}\p{N}_]$/u;
const WORD_AFTER = /^[\p{L}\p{M}\p{N}_]/u;
/** Characters around a command that make it a part of a path, or the beginning of another command. */
const PATH_BEFORE = /[\p{L}\p{M}\p{N}_./:-]$/u;
const PATH_AFTER = /^(?:[\p{L}\p{M}\p{N}_/-]|\.[\p{L}\p{N}_])/u;

/** The longest character that stands beside a word, in code units. */
const CHARACTER = 2;

/** Returns a function that looks for words in a text, whatever their case and the spaces between them. */
export function lookInto(text: string): (word: string) => boolean {
  const plain = normal(text.slice(0, MAX_LOOKED_AT));
  return (word) => mentions(plain, normal(word));
}

/** True if the text holds `word` as a whole word: `git` matches neither in `digit` nor in `github`. */
function mentions(text: string, word: string): boolean {
  if (word === '') return false;
  const [before, after] = word.startsWith('/') ? [PATH_BEFORE, PATH_AFTER] : [WORD_BEFORE, WORD_AFTER];
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    const end = at + word.length;
    if (!before.test(text.slice(Math.max(0, at - CHARACTER), at)) && !after.test(text.slice(end, end + CHARACTER))) {
      return true;
    }
  }
  return false;
}

function normal(text: string): string {
  return text.normalize('NFC').toLowerCase().replaceAll(/\s+/gu, ' ').trim();
}
