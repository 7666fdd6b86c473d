/** The number of characters of a cut value that may stay legible; masks do not find shorter parts. */
const LEGIBLE = 7;
/** A longer word counts as binary data, and its end is shown. */
const LONGEST_WORD = 4096;

/**
 * Returns the text from `start` on, without the rest of a word that the cut divides. No mask recognises a secret whose beginning
 * was cut off, even if its value becomes known later. Up to 7 characters of the word stay.
 */
export function fromWholeWord(text: string, start: number): string {
  const end = text.slice(start);
  if (start <= 0 || /\s/.test(text[start - 1] ?? '')) return end;
  const [rest = ''] = /^\S*/.exec(end.slice(0, LONGEST_WORD + 1)) ?? [];
  return rest.length > LEGIBLE && rest.length <= LONGEST_WORD ? end.slice(rest.length) : end;
}
