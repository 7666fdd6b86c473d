import { amount } from './amounts.ts';
import { type Line, span, textLines } from './span.ts';

/** Rows that one line of output may fill before its end is cut off, at 80 columns. */
const LONGEST_LINE = 240;

/** Returns at most `limit` lines: the first, the number of omitted lines, the last. */
export function fold(lines: readonly Line[], limit: number): readonly Line[] {
  if (lines.length <= limit) return lines;
  const kept = Math.max(0, Math.floor(limit) - 1);
  const head = Math.ceil(kept * 0.6);
  const tail = kept - head;
  const hidden = span(`… ${amount(lines.length - kept, kept === 0 ? 'line' : 'more line')} …`, 'dim');
  return [...lines.slice(0, head), [hidden], ...lines.slice(lines.length - tail)];
}

/** Returns at most `limit` lines of a text, with a limit on each line's length. */
export function foldedLines(text: string, limit: number): readonly Line[] {
  return fold(textLines(text).map(bounded), limit);
}

/** Returns a line with a limit on its length. */
export function bounded(line: Line): Line {
  const [only] = line;
  if (only === undefined || only.text.length <= LONGEST_LINE) return line;
  const start = only.text.slice(0, LONGEST_LINE).toWellFormed();
  const hidden = only.text.length - LONGEST_LINE;
  return [{ text: start, styles: only.styles }, span(` … ${amount(hidden, 'more character')}`, 'dim')];
}
