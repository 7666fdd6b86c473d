import { reaches, type Figure } from './figure.ts';

const COLUMNS = ['figure', 'value', 'unit', 'baseline', 'ratio', 'target', ''] as const;

/** Returns the figures as a table for people. */
export function toTable(figures: readonly Figure[]): string {
  const rows = [COLUMNS as readonly string[], ...figures.map(toRow)];
  const widths = COLUMNS.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const numeric = new Set([1, 3, 4]);
  return rows
    .map((row) =>
      row
        .map((cell, at) => (numeric.has(at) ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0)))
        .join('  '),
    )
    .map((line) => line.trimEnd())
    .join('\n');
}

/** Returns a line of JSON for each figure. */
export function toJsonLines(figures: readonly Figure[]): string {
  return figures
    .map(({ name, value, unit, baseline, ratio }) => JSON.stringify({ name, value, unit, baseline, ratio }))
    .join('\n');
}

function toRow(figure: Figure): readonly string[] {
  const { name, value, unit, baseline, ratio, target } = figure;
  const reached = reaches(figure);
  return [
    name,
    short(value),
    unit,
    baseline === null ? '' : short(baseline),
    ratio === null ? '' : short(ratio),
    target ? `${target.of === 'ratio' ? 'ratio ' : ''}${target.is} ${target.limit}` : '',
    reached === undefined ? '' : reached ? 'reached' : 'NOT REACHED',
  ];
}

/** Returns a number for people: three digits, thousands apart. */
export function short(value: number): string {
  return value >= 1000 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)));
}
