import { type Cell, Cells, lineOf, lineWidth } from './cells.ts';
import { type Line, span } from './span.ts';

const listMarker = /^ *(?:(?:[-*•]|\d{1,3}[.)]) +)?/;

/**
 * Breaks a line into rows of at most `width` columns, between words where it can. Rows after the first are indented like
 * the text of the line: behind its spaces and its list marker.
 */
export function wrap(line: Line, width: number): Line[] {
  if (lineWidth(line) <= width) return [line];
  const cells = new Cells(line);
  const marker = listMarker.exec(line[0]?.text ?? '')?.[0].length ?? 0;
  const indent = marker <= width / 3 ? marker : 0;
  const rows: Line[] = [];
  while (cells.at(0) !== undefined) {
    const hanging = rows.length > 0 ? indent : 0;
    const row = lineOf(withoutEndSpaces(cells.take(rowEnd(cells, width - hanging))));
    rows.push(hanging > 0 ? [span(' '.repeat(hanging)), ...row] : row);
    while (cells.at(0)?.text === ' ') cells.take(1);
  }
  return rows;
}

/** Returns the start of a line in at most `width` columns, with `…` if it was cut. */
export function truncate(line: Line, width: number): Line {
  if (lineWidth(line) <= width) return line;
  const cells = new Cells(line);
  return [...lineOf(withoutEndSpaces(cells.take(fits(cells, width - 1)))), span('…')];
}

/** Returns the number of characters of the next row. */
function rowEnd(cells: Cells, width: number): number {
  const end = fits(cells, width);
  const after = cells.at(end);
  if (after === undefined || after.text === ' ') return end;
  for (let at = end - 1; at > 0; at -= 1) {
    if (cells.at(at)?.text === ' ' && !isBlank(cells, at)) return at;
  }
  // at least one character per row, however narrow the terminal is
  return Math.max(end, 1);
}

function fits(cells: Cells, width: number): number {
  let used = 0;
  let end = 0;
  for (let cell = cells.at(0); cell !== undefined && used + cell.width <= width; cell = cells.at(end)) {
    used += cell.width;
    end += 1;
  }
  return end;
}

/** True if all characters before a place are blanks. */
function isBlank(cells: Cells, end: number): boolean {
  for (let at = 0; at < end; at += 1) if (cells.at(at)?.text !== ' ') return false;
  return true;
}

function withoutEndSpaces(cells: readonly Cell[]): readonly Cell[] {
  let end = cells.length;
  while (end > 0 && cells[end - 1]?.text === ' ') end -= 1;
  return cells.slice(0, end);
}
