/** Characters of a value that may stay legible: masks find no fewer. */
const LEGIBLE = 7;
/** A longer word is a blob, of which the end is shown all the same. */
const LONGEST_WORD = 4096;

/**
 * The end of a text that begins at `start`, without the rest of the word that the cut goes through: the end of a secret whose beginning
 * was cut off is recognised by no mask, not even when its value becomes known later. Up to 7 characters of the word stay.
 */
export function fromWholeWord(text: string, start: number): string {
  const end = text.slice(start);
  if (start <= 0 || /\s/.test(text[start - 1] ?? '')) return end;
  const [rest = ''] = /^\S*/.exec(end.slice(0, LONGEST_WORD + 1)) ?? [];
  return rest.length > LEGIBLE && rest.length <= LONGEST_WORD ? end.slice(rest.length) : end;
}
