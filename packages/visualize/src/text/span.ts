import pc from 'picocolors';
import { plainLine, plainText } from './plain-text.ts';

/** The style of a piece of text. No meaning depends on it, because output may be without colour. */
export type Style = 'bold' | 'dim' | 'underline' | 'inverse' | 'red' | 'green' | 'yellow' | 'blue' | 'magenta' | 'cyan';

/** A piece of one line. Made only by {@link span} and {@link textLines}, so that its text is always plain. */
export interface Span {
  readonly text: string;
  readonly styles: readonly Style[];
}

/** A line of output before it is wrapped. */
export type Line = readonly Span[];

/** Returns a piece of a line; line ends in `text` become spaces. */
export function span(text: string, ...styles: readonly Style[]): Span {
  return { text: plainLine(text), styles };
}

/** Returns the lines of a text, without empty lines at its end. */
export function textLines(text: string, ...styles: readonly Style[]): Line[] {
  const plain = plainText(text).trimEnd();
  if (plain === '') return [];
  return plain.split('\n').map((line) => (line === '' ? [] : [{ text: line.trimEnd(), styles }]));
}

/** Returns a line as characters, with colour sequences only if `color` is true. */
export function paint(line: Line, color: boolean): string {
  const colors = pc.createColors(color);
  return line.map(({ text, styles }) => styles.reduce((painted, style) => colors[style](painted), text)).join('');
}
