import pc from 'picocolors';
import { plainLine, plainText } from '@conv/core';

/** The style of a piece of text; without colour no meaning depends on it. */
export type Style = 'bold' | 'dim' | 'underline' | 'inverse' | 'red' | 'green' | 'yellow' | 'blue' | 'magenta' | 'cyan';

/** A piece of one line. Made by {@link span} and {@link textLines} alone, so that its text is always plain. */
export interface Span {
  readonly text: string;
  readonly styles: readonly Style[];
}

/** One line of output before it is wrapped. */
export type Line = readonly Span[];

/** A piece of a line; line ends in `text` become spaces. */
export function span(text: string, ...styles: readonly Style[]): Span {
  return { text: plainLine(text), styles };
}

/** The lines of a text, without empty ones at its end. */
export function textLines(text: string, ...styles: readonly Style[]): Line[] {
  const plain = plainText(text).trimEnd();
  if (plain === '') return [];
  return plain.split('\n').map((line) => (line === '' ? [] : [{ text: line.trimEnd(), styles }]));
}

/** A line as characters, with colour sequences only if `color`. */
export function paint(line: Line, color: boolean): string {
  const colors = pc.createColors(color);
  return line.map(({ text, styles }) => styles.reduce((painted, style) => colors[style](painted), text)).join('');
}
