import { amount } from '../text/amounts.ts';
import { bounded } from '../text/fold.ts';
import { type Line, span, type Style, textLines } from '../text/span.ts';
import type { FileChange } from '../timeline/call-content.ts';
import { type DiffLine, fileDiff } from '../timeline/file-diff.ts';

/** A change, counted and shown. */
export interface DiffView {
  /** `+3 −1`. */
  readonly counts: Line;
  readonly lines: readonly Line[];
}

/** Returns the difference between two texts, with signs as well as colours. */
export function diffView(change: FileChange): DiffView {
  const { added, removed, hunks } = fileDiff(change);
  const lines = hunks?.flatMap((hunk, index) => [
    ...(index > 0 ? [[span('⋯', 'dim')]] : []),
    ...hunk.map(diffLine),
  ]) ?? [[span(`${amount(removed, 'line')} replaced by ${added.toLocaleString('en-US')}`, 'dim')]];
  return { counts: counts(added, removed), lines };
}

/** Returns the view of a text whose earlier version is unknown: all lines count as new. */
export function addedLines(text: string): DiffView {
  const lines = textLines(text).map((line) => diffLine({ sign: '+', text: line[0]?.text ?? '' }));
  return { counts: counts(lines.length, 0), lines };
}

function diffLine({ sign, text, before, after }: DiffLine): Line {
  const styles: Style[] = sign === '+' ? ['green'] : sign === '-' ? ['red'] : ['dim'];
  const number = sign === '-' ? before : after;
  const gutter = number === undefined ? [] : [span(`${String(number).padStart(4)} `, 'dim')];
  const body = textLines(text, ...styles)[0] ?? [];
  return [...gutter, { text: `${sign} `, styles }, ...bounded(body)];
}

function counts(added: number, removed: number): Line {
  const parts: Line = [span(`+${added}`, 'green')];
  return removed === 0 ? parts : [...parts, span(' '), span(`−${removed}`, 'red')];
}
