import { type Cell, cellsOf, lineOf, lineWidth } from './cells.ts';
import { type Line, span } from './span.ts';

const listMarker = /^ *(?:(?:[-*•]|\d{1,3}[.)]) +)?/;

/**
 * Breaks a line into rows of at most `width` columns, between words where it can. Rows after the first are indented like
 * the text of the line: behind its spaces and its list marker.
 */
export function wrap(line: Line, width: number): Line[] {
  if (lineWidth(line) <= width) return [line];
  const cells = cellsOf(line);
  const marker = listMarker.exec(line[0]?.text ?? '')?.[0].length ?? 0;
  const indent = marker <= width / 3 ? marker : 0;
  const rows: Line[] = [];
  for (let start = 0; start < cells.length;) {
    const hanging = rows.length > 0 ? indent : 0;
    const end = rowEnd(cells, start, width - hanging);
    const row = lineOf(withoutEndSpaces(cells.slice(start, end)));
    rows.push(hanging > 0 ? [span(' '.repeat(hanging)), ...row] : row);
    start = end;
    while (cells[start]?.text === ' ') start += 1;
  }
  return rows;
}

/** Returns the start of a line in at most `width` columns, with `…` if it was cut. */
export function truncate(line: Line, width: number): Line {
  if (lineWidth(line) <= width) return line;
  const cells = cellsOf(line);
  const end = fits(cells, 0, width - 1);
  return [...lineOf(withoutEndSpaces(cells.slice(0, end))), span('…')];
}

function rowEnd(cells: readonly Cell[], start: number, width: number): number {
  const end = fits(cells, start, width);
  if (end === cells.length || cells[end]?.text === ' ') return end;
  for (let at = end - 1; at > start; at -= 1) {
    if (cells[at]?.text === ' ' && !isBlank(cells, start, at)) return at;
  }
  // at least one character per row, however narrow the terminal is
  return Math.max(end, start + 1);
}

function fits(cells: readonly Cell[], start: number, width: number): number {
  let used = 0;
  let end = start;
  while (end < cells.length && used + (cells[end]?.width ?? 0) <= width) {
    used += cells[end]?.width ?? 0;
    end += 1;
  }
  return end;
}

function isBlank(cells: readonly Cell[], start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if (cells[at]?.text !== ' ') return false;
  return true;
}

function withoutEndSpaces(cells: readonly Cell[]): readonly Cell[] {
  let end = cells.length;
  while (end > 0 && cells[end - 1]?.text === ' ') end -= 1;
  return cells.slice(0, end);
}
