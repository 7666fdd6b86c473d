import { short } from '../../table.ts';
import { WORKS, type Work } from '../cell.ts';
import { groupOf, type PeerGroup } from '../peer.ts';
import { isOfServers, rowsOf, sizesOf, type PeerResult, type PeerRow } from '../result.ts';

/** Colours of a picture. */
export type Theme = 'light' | 'dark';

interface Palette {
  readonly ground: string;
  readonly border: string;
  readonly text: string;
  readonly faint: string;
  readonly grid: string;
  readonly ours: string;
  readonly bare: string;
  readonly others: string;
}

const PALETTES: Readonly<Record<Theme, Palette>> = {
  light: {
    ground: '#ffffff',
    border: '#d1d9e0',
    text: '#1f2328',
    faint: '#59636e',
    grid: '#e4e9ee',
    ours: '#0969da',
    bare: '#8c959f',
    others: '#bc4c00',
  },
  dark: {
    ground: '#0d1117',
    border: '#3d444d',
    text: '#f0f6fc',
    faint: '#9198a1',
    grid: '#21262d',
    ours: '#4493f8',
    bare: '#7d8590',
    others: '#f0883e',
  },
};

/** Works of the picture; the page has all. */
const SHOWN: readonly Work[] = ['append', 'open', 'read', 'step', 'list', 'disk', 'command', 'event'];

const MARGIN = 20;
const LABELS = 285;
const SCALE = 330;
const VALUES = 130;
const PANEL = LABELS + SCALE + VALUES;
const ROW = 20;
const HEAD = 62;
const FOOT = 26;

/** Describes the picture for people who do not see it. */
export const ABOUT =
  'Times of the works, a row for each program, on logarithmic scales: ours, bare programs and others';

/** Returns a picture of a run: a panel for each of some works at its middle size, a dot for each median, a line for its spread. */
export function toPicture(result: PeerResult, theme: Theme): string {
  const palette = PALETTES[theme];
  const panels = SHOWN.flatMap((work) => panelOf(work, result));
  const heights = panels.map(({ rows }) => HEAD + rows.length * ROW + FOOT);
  const width = PANEL + MARGIN * 2;
  const height = heights.reduce((sum, each) => sum + each, MARGIN * 2 + 24);
  let top = MARGIN + 24;
  const drawn = panels.map((panel, index) => {
    const piece = `<g transform="translate(${MARGIN} ${top})">${drawPanel(panel, palette)}</g>`;
    top += heights[index] ?? 0;
    return piece;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${ABOUT}">`,
    `<style>text{font:12px system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif;fill:${palette.text}}.t{font-size:15px;font-weight:600}.f{fill:${palette.faint}}.o{font-weight:600}</style>`,
    `<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="10" fill="${palette.ground}" stroke="${palette.border}"/>`,
    legend(palette),
    ...drawn,
    '</svg>\n',
  ].join('\n');
}

interface Panel {
  readonly work: Work;
  readonly size: number;
  readonly rows: readonly PanelRow[];
}

interface PanelRow {
  readonly title: string;
  readonly group: PeerGroup;
  readonly cell: PeerRow['cells'][number] | undefined;
}

/** Returns the panel of a work at 10,000 items, or at the largest size below; none where no program did the work. */
function panelOf(work: Work, result: PeerResult): readonly Panel[] {
  const sizes = sizesOf(work, result);
  const at = sizes.findLastIndex((size) => size <= 10_000);
  const size = sizes[at];
  if (size === undefined) return [];
  const rows = rowsOf(work, result).map(({ key, title, cells }): PanelRow => {
    return { title, group: groupOf(key), cell: cells[at] };
  });
  return rows.some(({ cell }) => cell?.cell?.measured) ? [{ work, size, rows }] : [];
}

function legend(palette: Palette): string {
  const entries = [
    ['ours', 'ours'],
    ['bare', 'bare storage, flushed'],
    ['others', 'others'],
  ] as const;
  let left = MARGIN;
  return entries
    .map(([group, text]) => {
      const piece = `<circle cx="${left + 6}" cy="${MARGIN + 6}" r="5" fill="${palette[group]}"/><text x="${left + 17}" y="${MARGIN + 10}">${text}</text>`;
      left += 40 + text.length * 7;
      return piece;
    })
    .join('');
}

function drawPanel({ work, size, rows }: Panel, palette: Palette): string {
  const { title, unit } = WORKS[work];
  const hasRatio = rows.some(({ cell }) => typeof cell?.ratio === 'number');
  const values = rows.flatMap(({ cell }) => {
    const measured = cell?.cell?.measured;
    return measured ? [measured.low, measured.value, measured.high].filter((value) => value > 0) : [];
  });
  const [from, to] = decades(values);
  const x = (value: number): number =>
    LABELS + ((Math.log10(Math.max(value, 10 ** from)) - from) / (to - from)) * SCALE;
  const bottom = HEAD + rows.length * ROW;
  const ticks = Array.from({ length: to - from + 1 }, (_, index) => 10 ** (from + index));
  return [
    `<text class="t" y="22">${escaped(title)}</text>`,
    `<text class="f" y="40">${unit}${isOfServers(work) ? '' : ` at ${short(size)}`}, less is better${hasRatio ? '; × the bare storage' : ''}</text>`,
    ...ticks.map(
      (tick) =>
        `<path d="M${x(tick)} ${HEAD - 8}V${bottom - 4}" stroke="${palette.grid}"/><text class="f" x="${x(tick)}" y="${bottom + 10}" text-anchor="middle">${tickText(tick)}</text>`,
    ),
    ...rows.map((row, index) => drawRow(row, { y: HEAD + index * ROW, x, palette })),
  ].join('');
}

function drawRow(
  { title, group, cell }: PanelRow,
  { y, x, palette }: { readonly y: number; readonly x: (value: number) => number; readonly palette: Palette },
): string {
  const middle = y + 4;
  const label = `<text${group === 'ours' ? ' class="o"' : ''} x="${LABELS - 12}" y="${y + 8}" text-anchor="end">${escaped(title)}</text>`;
  const measured = cell?.cell?.measured;
  if (!measured) {
    const reason = cell?.cell?.cannot ?? 'not measured';
    const cut = reason.length > 72 ? `${reason.slice(0, 70)}…` : reason;
    return `${label}<text class="f" x="${LABELS + 6}" y="${y + 8}">${escaped(cut)}</text>`;
  }
  const colour = palette[group];
  const ratio = cell.ratio === null ? '' : `  ${short(Number(cell.ratio.toPrecision(2)))}×`;
  return [
    label,
    `<path d="M${x(measured.low)} ${middle}H${x(measured.high)}" stroke="${colour}" stroke-width="2" opacity=".5"/>`,
    `<circle cx="${x(measured.value)}" cy="${middle}" r="5" fill="${colour}"/>`,
    `<text x="${LABELS + SCALE + 16}" y="${y + 8}">${short(measured.value)}<tspan class="f">${ratio}</tspan></text>`,
  ].join('');
}

/** Returns the powers of ten below and above all values. */
function decades(values: readonly number[]): readonly [number, number] {
  const from = Math.floor(Math.log10(Math.min(...values)));
  return [from, Math.max(from + 1, Math.ceil(Math.log10(Math.max(...values))))];
}

function tickText(value: number): string {
  return value >= 1e6 ? `${value / 1e6}M` : value >= 1000 ? `${value / 1000}k` : String(Number(value.toPrecision(1)));
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
