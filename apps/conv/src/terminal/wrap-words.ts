import stringWidth from 'fast-string-width';

import { breakRows, breakWords } from './break-rows.ts';

/** Breaks a line between words into rows of at most `width` columns; a longer word has a row of its own. */
export function wrapWords(line: string, width: number): readonly string[] {
  return breakWords(line, width, stringWidth);
}

/** Breaks a line as {@link wrapWords} does, with the blanks at its beginning before each row. */
export function wrapIndented(line: string, width: number): readonly string[] {
  const [indent = ''] = /^ */.exec(line) ?? [];
  return wrapWords(line.slice(indent.length), width - indent.length).map((row) => indent + row);
}

/** Breaks a line into rows of at most `width` columns, wherever that is, so that no character of it is lost. */
export function cutRows(line: string, width: number): readonly string[] {
  return breakRows(line, width, stringWidth);
}

/** Returns the start of a line that fits into `width` columns, with `…` where something was cut off. */
export function fitted(line: string, width: number): string {
  if (stringWidth(line) <= width) return line;
  let cut = '';
  for (const { segment } of new Intl.Segmenter().segment(line)) {
    if (stringWidth(cut + segment) > width - 1) break;
    cut += segment;
  }
  return `${cut}…`;
}
