import stringWidth from 'string-width';
import type { Line, Span, Style } from './span.ts';

/** A character as a reader sees it, and the number of columns that it fills. */
export interface Cell {
  readonly text: string;
  readonly width: number;
  readonly styles: readonly Style[];
}

/** Made at the first use, because it loads the tables of all scripts. */
let graphemes: Intl.Segmenter | undefined;
const ascii = /^[ -~]*$/;

/** Returns the number of columns that a text fills: two for wide characters and emoji, none for combining characters. */
function textWidth(text: string): number {
  return ascii.test(text) ? text.length : stringWidth(text);
}

/** Returns the number of columns that a line fills. */
export function lineWidth(line: Line): number {
  return line.reduce((width, { text }) => width + textWidth(text), 0);
}

/** Returns the characters of a line. */
export function cellsOf(line: Line): Cell[] {
  return line.flatMap(({ text, styles }) => {
    if (ascii.test(text)) return Array.from(text, (character) => ({ text: character, width: 1, styles }));
    graphemes ??= new Intl.Segmenter();
    return Array.from(graphemes.segment(text), ({ segment }) => ({
      text: segment,
      width: stringWidth(segment),
      styles,
    }));
  });
}

/** Returns the line that consists of these characters. */
export function lineOf(cells: readonly Cell[]): Line {
  const line: Span[] = [];
  for (const { text, styles } of cells) {
    const last = line.at(-1);
    if (last?.styles === styles) line[line.length - 1] = { text: last.text + text, styles };
    else line.push({ text, styles });
  }
  return line;
}
