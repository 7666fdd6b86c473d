import { truncateToWidth, wrapTextWithAnsi } from '@earendil-works/pi-tui';
import { plainLine, plainText } from '@conv/visualize/text';
import pc from 'picocolors';

import type { ScreenView } from './chat-screen.ts';

/** Characters of a text under way that are looked at: more than fits on a screen, so that long answers stay cheap. */
const TAIL = 8_000;
/** The part of the screen that an answer under way may fill; the log keeps the rest. */
const ANSWER_SHARE = 0.5;
const OUTPUT_ROWS = 5;
const REASONING_ROWS = 3;
const QUEUED = 3;
const CHILDREN = 3;

/** Size and colour of the terminal. */
export interface AreaSize {
  readonly columns: number;
  readonly rows: number;
  readonly color: boolean;
}

/** Returns the rows above the input: what is being written and printed, what waits, and the question. */
export function rowsAbove(view: ScreenView, size: AreaSize): readonly string[] {
  const { dim, cyan, yellow, bold } = pc.createColors(size.color);
  const width = size.columns - 1;
  const most = Math.max(3, Math.floor(size.rows * ANSWER_SHARE));
  const rows = [
    ...ends(view.reasoning, width - 4, REASONING_ROWS).map((row) => `  ${dim('┊')} ${dim(row)}`),
    ...ends(view.answer, width - 2, most).map((row, at) => `${at === 0 ? cyan('●') : ' '} ${row}`),
    ...ends(view.output, width - 4, OUTPUT_ROWS).map((row) => `  ${dim('│')} ${row}`),
    ...[...someOf(view.children, CHILDREN, '  ↳ '), ...someOf(view.queued, QUEUED, '  waits: ')].map((row) =>
      truncateToWidth(dim(row), width, '…'),
    ),
  ];
  // a blank row between the log and the input, to set it apart
  rows.push('');
  if (view.question === undefined) return rows;
  return [...rows, ...wrapTextWithAnsi(view.question, width).map((row) => bold(yellow(row)))];
}

/** Returns the row below the input: as many facts as fit. */
export function statusRow(facts: readonly string[], { columns, color }: AreaSize): string {
  const width = columns - 1;
  let line = '';
  for (const fact of facts) {
    const longer = line === '' ? plainLine(fact) : `${line} · ${plainLine(fact)}`;
    if (line !== '' && longer.length > width) break;
    line = longer;
  }
  return pc.createColors(color).dim(truncateToWidth(line, width, '…'));
}

/** The last rows of a text that is still growing, made safe. */
function ends(text: string, width: number, most: number): readonly string[] {
  if (text.trim() === '') return [];
  const plain = plainText(text.slice(-TAIL)).trimEnd();
  return wrapTextWithAnsi(plain, Math.max(1, width)).slice(-most);
}

/** The first texts behind a mark, made safe, and the number of the others. */
function someOf(texts: readonly string[], most: number, mark: string): readonly string[] {
  const shown = texts.slice(0, most).map((text) => `${mark}${plainLine(text)}`);
  const more = texts.length - shown.length;
  return more > 0 ? [...shown, `  and ${more} more`] : shown;
}
