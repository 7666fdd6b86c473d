import { lineWidth } from '../text/cells.ts';
import { wrap } from '../text/wrap.ts';
import { type Line, type Span, span } from '../text/span.ts';

/** An event as it is shown, before its lines are broken. */
export interface Block {
  /** The symbol of the block, one column wide. */
  readonly glyph: Span;
  /** Source, action, duration, cost: shown one after the other. */
  readonly parts: readonly Line[];
  readonly rows: readonly Row[];
  /** `attached` belongs to the block above; `notice` is one line among others. */
  readonly shape: 'full' | 'attached' | 'notice';
}

/** A line of a block's body. */
export interface Row {
  /** The mark in front of each of its rows. */
  readonly gutter: Span | undefined;
  readonly line: Line;
}

const INDENT = 2;
const separator = span(' · ', 'dim');
const quote = span('│ ', 'dim');
const mumble = span('┊ ', 'dim');

/** Returns rows of messages and requests. */
export function said(lines: readonly Line[]): Row[] {
  return lines.map((line) => ({ gutter: undefined, line }));
}

/** Returns rows of the content of a tool's result or a file. */
export function quoted(lines: readonly Line[]): Row[] {
  return lines.map((line) => ({ gutter: quote, line }));
}

/** Returns rows of the agent's thoughts. */
export function aside(lines: readonly Line[]): Row[] {
  return lines.map((line) => ({ gutter: mumble, line }));
}

/** Returns the lines of a block, each of at most `width` columns. */
export function layOut(block: Block, width: number): Line[] {
  const outer = block.shape === 'attached' ? INDENT : 0;
  const head = block.parts.flatMap((part, index) => (index === 0 ? part : [separator, ...part]));
  const lines = indented([block.glyph, span(' ')], wrap(head, width - outer - INDENT));
  for (const { gutter, line } of block.rows) {
    const margin: Line = [span(' '.repeat(INDENT - outer)), ...(gutter === undefined ? [] : [gutter])];
    for (const row of wrap(line, width - outer - lineWidth(margin))) lines.push([...margin, ...row]);
  }
  return lines.map((line) => withoutEndSpaces(outer === 0 ? line : [span(' '.repeat(outer)), ...line]));
}

function withoutEndSpaces(line: Line): Line {
  const last = line.at(-1);
  if (last === undefined || !last.text.endsWith(' ')) return line;
  const text = last.text.trimEnd();
  return text === '' ? withoutEndSpaces(line.slice(0, -1)) : [...line.slice(0, -1), { ...last, text }];
}

function indented(first: Line, rows: readonly Line[]): Line[] {
  return rows.map((row, index) => (index === 0 ? [...first, ...row] : [span(' '.repeat(INDENT)), ...row]));
}
