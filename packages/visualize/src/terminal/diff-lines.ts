import { structuredPatch } from 'diff';
import { amount } from '../text/amounts.ts';
import { bounded } from '../text/fold.ts';
import { type Line, span, type Style, textLines } from '../text/span.ts';

/** A change that a call makes to a file. */
interface Change {
  readonly before: string;
  readonly after: string;
  /** The texts are whole files: line numbers mean something. */
  readonly whole: boolean;
}

/** A change, counted and shown. */
export interface DiffView {
  /** `+3 −1`. */
  readonly counts: Line;
  readonly lines: readonly Line[];
}

const CONTEXT = 2;
/** Above this many changed lines finding the shortest diff takes noticeably long. */
const MOST_CHANGES = 1000;

/** The difference between two texts; signs say what colours say. */
export function diffView(change: Change): DiffView {
  const patch = structuredPatch('', '', change.before, change.after, '', '', {
    context: CONTEXT,
    maxEditLength: MOST_CHANGES,
  });
  if (patch === undefined) return replaced(change);
  let added = 0;
  let removed = 0;
  const lines: Line[] = [];
  for (const [index, hunk] of patch.hunks.entries()) {
    if (index > 0) lines.push([span('⋯', 'dim')]);
    let oldNumber = hunk.oldStart;
    let newNumber = hunk.newStart;
    for (const entry of hunk.lines) {
      const sign = entry[0];
      if (sign === '\\') continue;
      if (sign === '+') added += 1;
      if (sign === '-') removed += 1;
      const number = change.whole ? (sign === '-' ? oldNumber : newNumber) : undefined;
      lines.push(diffLine(sign, entry.slice(1), number));
      if (sign !== '+') oldNumber += 1;
      if (sign !== '-') newNumber += 1;
    }
  }
  return { counts: counts(added, removed), lines };
}

/** Lines that are all new, as far as is known. */
export function addedLines(text: string): DiffView {
  const lines = textLines(text).map((line) => diffLine('+', line[0]?.text ?? '', undefined));
  return { counts: counts(lines.length, 0), lines };
}

function replaced({ before, after }: Change): DiffView {
  const [removed, added] = [before.split('\n').length, after.split('\n').length];
  return {
    counts: counts(added, removed),
    lines: [[span(`${amount(removed, 'line')} replaced by ${added.toLocaleString('en-US')}`, 'dim')]],
  };
}

function diffLine(sign: string | undefined, text: string, number: number | undefined): Line {
  const styles: Style[] = sign === '+' ? ['green'] : sign === '-' ? ['red'] : ['dim'];
  const gutter = number === undefined ? [] : [span(`${String(number).padStart(4)} `, 'dim')];
  const mark = sign === '-' ? '- ' : sign === '+' ? '+ ' : '  ';
  const body = textLines(text, ...styles)[0] ?? [];
  return [...gutter, { text: mark, styles }, ...bounded(body)];
}

function counts(added: number, removed: number): Line {
  const parts: Line = [span(`+${added}`, 'green')];
  return removed === 0 ? parts : [...parts, span(' '), span(`−${removed}`, 'red')];
}
