import { WORKS, type Work } from './cell.ts';
import { short } from '../table.ts';
import { factsOf, rowsOf, sizesOf, type PeerResult, type PeerTableCell } from './result.ts';

/** Returns the tables of all works for a terminal. */
export function toPeerTables(result: PeerResult): string {
  const works = (Object.keys(WORKS) as Work[]).filter((work) => sizesOf(work, result).length > 0);
  const facts = factsOf(result).map(([name, value]) => `${name} ${value}`);
  return [
    `Machine: ${facts.join(', ')}`,
    versionsOf(result),
    syncedTable(result),
    ...works.map((work) => tableOf(work, result)),
  ].join('\n\n');
}

/** Returns a line of JSON for each cell. */
export function toPeerJsonLines(result: PeerResult): string {
  return (Object.keys(WORKS) as Work[])
    .flatMap((work) => rowsOf(work, result).flatMap(({ cells }) => cells))
    .flatMap(({ cell, ratio }) => {
      if (!cell) return [];
      const { measured, ...rest } = cell;
      return [JSON.stringify({ ...rest, unit: WORKS[cell.work].unit, ...measured, ratio })];
    })
    .join('\n');
}

function versionsOf({ versions }: PeerResult): string {
  return `Versions: ${Object.entries(versions)
    .map(([name, version]) => `${name} ${version}`)
    .join(', ')}`;
}

function syncedTable({ peers }: PeerResult): string {
  const width = Math.max(...peers.map(({ title }) => title.length));
  return ['When an append resolves', ...peers.map(({ title, synced }) => `  ${title.padEnd(width)}  ${synced}`)].join(
    '\n',
  );
}

function tableOf(work: Work, result: PeerResult): string {
  const { title, unit } = WORKS[work];
  const sizes = sizesOf(work, result);
  const rows = rowsOf(work, result).map((row) => [row.title, ...row.cells.map(inCell), row.remarks.join('; ')]);
  const heads = ['', ...sizes.map((size) => `at ${short(size)}`), ''];
  const widths = heads.map((head, column) => Math.max(head.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const lines = [heads, ...rows].map((row) =>
    row
      .map((text, column) =>
        column > 0 && column <= sizes.length ? text.padStart(widths[column] ?? 0) : text.padEnd(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
  const multiple = rows.some((row) => row.some((text) => text.endsWith('×)')));
  const heading = `${title}, ${unit}${multiple ? ' (× the bare baseline of the same storage)' : ''}`;
  return [heading, ...lines.map((line) => `  ${line}`)].join('\n');
}

function inCell({ cell, ratio }: PeerTableCell): string {
  if (!cell?.measured) return cell?.cannot === undefined ? '' : 'cannot';
  const multiple = ratio === null ? '' : ` (${short(Number(ratio.toPrecision(2)))}×)`;
  return `${short(cell.measured.value)}${multiple}`;
}
