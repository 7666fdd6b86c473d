import { short } from '../../table.ts';
import { WORKS, type Work } from '../cell.ts';
import { factsOf, rowsOf, sizesOf, type PeerResult, type PeerTableCell } from '../result.ts';
import { whereOthersAreAhead } from './ahead.ts';

/** Facts of a page beside the figures. */
export interface PageFacts {
  /** Command that was run. */
  readonly command: string;
  /** Pictures of the run, relative to the page. */
  readonly pictures: { readonly light: string; readonly dark: string; readonly about: string };
}

/** Returns the page about a run, as Markdown. Everything that was measured is on it, and what could not be. */
export function toPage(result: PeerResult, { command, pictures }: PageFacts): string {
  const works = (Object.keys(WORKS) as Work[]).filter((work) => sizesOf(work, result).length > 0);
  return `${[
    '# Benchmarks beside other programs',
    `Written by \`${command}\`. The command installs the other programs, measures all of them in one run on one machine, and writes this page.`,
    [
      '<picture>',
      `  <source media="(prefers-color-scheme: dark)" srcset="${pictures.dark}">`,
      `  <img src="${pictures.light}" alt="${pictures.about}">`,
      '</picture>',
    ].join('\n'),
    '## How to read it',
    [
      '- Each work runs in a new process, for each program and each size of the conversation. Messages have about 1 KB as events of ours. Nothing runs beside a work that is timed.',
      '- A cell has the median, the 10th and the 90th percentile in brackets, and the multiple of a bare program that uses the same storage. Appends alternate with the bare write. A cell without brackets is a single measurement.',
      '- Appends are compared fairly only among programs that give the same promise: see when an append resolves.',
      '- A program that cannot do a work, or that took too long for it, keeps its row and has the reason beside it. A work that took too long at one size is not tried at a larger one.',
      '- “To fill it” means that the conversation of this size could not be made in time, by as few calls as the program takes.',
    ].join('\n'),
    '## Machine and versions',
    markdownTable(['', ''], [...factsOf(result), ...Object.entries(result.versions)]),
    '## When an append resolves',
    markdownTable(
      ['program', 'after'],
      result.peers.map(({ title, synced }) => [title, synced]),
    ),
    '## Where others are ahead',
    aheadTable(result),
    ...works.flatMap((work) => [`## ${WORKS[work].title}`, workTable(work, result)]),
  ].join('\n\n')}\n`;
}

function workTable(work: Work, result: PeerResult): string {
  const heads = [WORKS[work].unit, ...sizesOf(work, result).map((size) => `at ${short(size)}`), ''];
  const rows = rowsOf(work, result).map((row) => [row.title, ...row.cells.map(inCell), row.remarks.join('; ')]);
  return markdownTable(heads, rows);
}

function inCell({ cell, ratio }: PeerTableCell): string {
  if (!cell?.measured) return cell?.cannot === undefined ? '' : 'cannot';
  const { value, low, high, samples } = cell.measured;
  const spread = samples > 1 ? ` (${short(low)}–${short(high)})` : '';
  return `${short(value)}${spread}${ratio === null ? '' : `, ${short(Number(ratio.toPrecision(2)))}×`}`;
}

function aheadTable(result: PeerResult): string {
  const ahead = whereOthersAreAhead(result);
  if (ahead.length === 0) return 'In no work of this run.';
  const titles = new Map([...result.peers, ...result.servers].map(({ key, title }) => [key, title] as const));
  const rows = ahead.map(({ work, size, ours, theirs, factor }) => [
    WORKS[work].title,
    short(size),
    `${titles.get(ours.peer) ?? ours.peer}: ${short(ours.measured?.value ?? 0)} ${WORKS[work].unit}`,
    `${titles.get(theirs.peer) ?? theirs.peer}: ${short(theirs.measured?.value ?? 0)} ${WORKS[work].unit}`,
    Number.isFinite(factor) ? `${short(Number(factor.toPrecision(2)))}×` : '',
  ]);
  const storage =
    'All results in which another program does better than ours on the same kind of storage, whatever it promises.';
  return `${storage}\n\n${markdownTable(['work', 'at', 'ours', 'theirs', 'factor'], rows)}`;
}

/** Returns a table whose columns are as wide as their longest cell, as the formatter of this repository writes it. */
function markdownTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const escaped = [heads, ...rows].map((row) => row.map((text) => text.replaceAll('|', String.raw`\|`)));
  const widths = heads.map((_, column) => Math.max(3, ...escaped.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width)).join(' | ')} |`;
  const [first = [], ...rest] = escaped;
  return [line(first), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...rest.map(line)].join('\n');
}
