import { fromWholeWord } from './from-whole-word.ts';

/** The default text in the place of the text that is left out. */
const TRUNCATION_NOTICE = '\n[… text left out here: the whole was longer than the limit …]\n';

/**
 * Cuts text out of the middle so that at most `limit` characters (Unicode code points) are left, the notice included.
 * The head gets the odd character, and the tail begins with a whole word, see {@link fromWholeWord}. A text within the limit stays as it is; a limit too small for the notice gets the
 * beginning of the notice.
 */
export function truncateMiddle(text: string, limit: number, notice: string = TRUNCATION_NOTICE): string {
  // A code point is one or two units, so most texts need no count.
  if (text.length <= limit) return text;
  const length = countCodePoints(text);
  if (length <= limit) return text;
  const room = limit - countCodePoints(notice);
  if (room <= 0) return notice.slice(0, unitsOf(notice, Math.max(0, limit)));
  const tail = Math.floor(room / 2);
  return text.slice(0, unitsOf(text, room - tail)) + notice + fromWholeWord(text, unitsOf(text, length - tail));
}

function countCodePoints(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index += unitsAt(text, index)) count += 1;
  return count;
}

/** Returns the number of UTF-16 units that the first `codePoints` characters take. */
function unitsOf(text: string, codePoints: number): number {
  let index = 0;
  for (let left = codePoints; left > 0 && index < text.length; left -= 1) index += unitsAt(text, index);
  return index;
}

function unitsAt(text: string, index: number): 1 | 2 {
  return (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1;
}
