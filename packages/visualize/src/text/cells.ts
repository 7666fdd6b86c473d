import stringWidth from 'fast-string-width';
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

/**
 * The characters of a line, which are read as they are asked for. So a line of millions of characters needs memory for the row that is
 * made of it alone.
 */
export class Cells {
  readonly #unread: Iterator<Cell>;
  /** Characters that were looked at and not taken. */
  #seen: Cell[] = [];

  constructor(line: Line) {
    this.#unread = cellsOf(line);
  }

  /** Returns the character at a place, counted from the next character to take; `undefined` after the last one. */
  at(place: number): Cell | undefined {
    while (this.#seen.length <= place) {
      const next = this.#unread.next();
      if (next.done) return undefined;
      this.#seen.push(next.value);
    }
    return this.#seen[place];
  }

  /** Takes the next characters. */
  take(count: number): readonly Cell[] {
    this.at(count - 1);
    return this.#seen.splice(0, count);
  }
}

/** Yields the characters of a line. */
export function* cellsOf(line: Line): Generator<Cell, undefined> {
  for (const { text, styles } of line) {
    if (ascii.test(text)) for (const character of text) yield { text: character, width: 1, styles };
    else {
      graphemes ??= new Intl.Segmenter();
      for (const { segment } of graphemes.segment(text)) yield { text: segment, width: stringWidth(segment), styles };
    }
  }
}

/** Returns the line that consists of these characters. */
export function lineOf(cells: readonly Cell[]): Line {
  const line: { readonly texts: string[]; readonly styles: readonly Style[] }[] = [];
  for (const { text, styles } of cells) {
    const last = line.at(-1);
    if (last?.styles === styles) last.texts.push(text);
    else line.push({ texts: [text], styles });
  }
  return line.map(({ texts, styles }): Span => ({ text: texts.join(''), styles }));
}
