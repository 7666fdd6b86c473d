import { lookAlike } from './look-alikes.ts';

/** Sequences that move the cursor and colour the text of a terminal. */
const ESCAPES = /\p{Cc}\[[0-9;?]*[a-zA-Z]/gu;
const LINE_ENDS = /\r\n?|[\u0085\u2028\u2029]/g;
const IGNORABLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{M}\p{Co}\p{Cn}]+/gu;
const SPACES = /[\p{Zs}\t\v\f]+/gu;
const CONTROLS = /[^\P{Cc}\n]+/gu;
const BEYOND_ASCII = /[^\n -~]/gu;
const TAGS = /[\u{e0020}-\u{e007e}]+/gu;

/**
 * Returns a text as a reader perceives it. Invisible characters are gone (zero width, direction marks, tags, accents,
 * controls). Wide and styled letters and look-alikes of other scripts are ASCII. White space is one space or a line
 * end.
 */
export function plainText(text: string): string {
  return text
    .replace(ESCAPES, '')
    .replace(LINE_ENDS, '\n')
    .normalize('NFKD')
    .replace(IGNORABLE, '')
    .replace(BEYOND_ASCII, lookAlike)
    .replace(SPACES, ' ')
    .replace(CONTROLS, '');
}

/** Returns the text in tag characters, which people do not see and models read. */
export function hiddenText(text: string): string {
  return (text.match(TAGS) ?? [])
    .map((tags) => Array.from(tags, (tag) => String.fromCodePoint((tag.codePointAt(0) ?? 0) - 0xe0000)).join(''))
    .join(' ');
}
