import type { Frame, Span } from './screen-film.ts';

/** The colours of a terminal. */
export interface TerminalColours {
  readonly text: string;
  readonly back: string;
  readonly frame: string;
  /** The sixteen colours that programs name by numbers. */
  readonly sixteen: readonly string[];
}

/** Colours for readers of pages in both schemes. */
export const TERMINAL_COLOURS: Readonly<Record<'light' | 'dark', TerminalColours>> = {
  light: {
    text: '#1f2328',
    back: '#ffffff',
    frame: '#d1d9e0',
    sixteen:
      '#1f2328 #cf222e #1a7f37 #9a6700 #0969da #8250df #1b7c83 #59636e #59636e #a40e26 #116329 #7d4e00 #0550ae #6639ba #136061 #31363d'.split(
        ' ',
      ),
  },
  dark: {
    text: '#e6edf3',
    back: '#0d1117',
    frame: '#3d444d',
    sixteen:
      '#6e7681 #ff7b72 #3fb950 #d29922 #58a6ff #bc8cff #39c5cf #b1bac4 #8b949e #ffa198 #56d364 #e3b341 #79c0ff #d2a8ff #56d4dd #f0f6fc'.split(
        ' ',
      ),
  },
};

const CELL = { width: 8.4, height: 19, size: 14 };
const MARGIN = 16;

/** Returns a moving picture of what a terminal showed: the screens below each other, moved by whole heights. Still for readers who ask for that. */
export function animatedSvg(
  frames: readonly Frame[],
  columns: number,
  colours: TerminalColours,
  label: string,
): string {
  const rows = frames[0]?.rows.length ?? 0;
  const [width, height] = [columns * CELL.width, rows * CELL.height];
  const total = frames.reduce((sum, { lasts }) => sum + lasts, 0);
  const last = (frames.length - 1) * height;
  let passed = 0;
  const stops = frames.map(({ lasts }, index) => {
    const stop = `${((passed / total) * 100).toFixed(3)}%{transform:translateY(${-index * height}px)}`;
    passed += lasts;
    return stop;
  });
  const style = `text{font:${CELL.size}px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:${colours.text};white-space:pre}
.b{font-weight:600}.d{opacity:.65}
.film{animation:film ${(total / 1000).toFixed(2)}s step-end infinite}
@keyframes film{${stops.join('')}100%{transform:translateY(${-last}px)}}
@media (prefers-reduced-motion:reduce){.film{animation:none;transform:translateY(${-last}px)}}`;
  const screens = frames.map(({ rows: shown }, index) => screenOf(shown, index * height, colours)).join('');
  const [outerWidth, outerHeight] = [width + 2 * MARGIN, height + 2 * MARGIN];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${outerWidth} ${outerHeight}" width="${outerWidth}" height="${outerHeight}" role="img" aria-label="${escaped(label)}"><style>${style}</style><rect x=".5" y=".5" width="${outerWidth - 1}" height="${outerHeight - 1}" rx="10" fill="${colours.back}" stroke="${colours.frame}"/><svg x="${MARGIN}" y="${MARGIN}" width="${width}" height="${height}" overflow="hidden"><g class="film">${screens}</g></svg></svg>\n`;
}

function screenOf(rows: Frame['rows'], top: number, colours: TerminalColours): string {
  return rows
    .map((spans, row) => spans.map((span) => spanOf(span, top + row * CELL.height, colours)).join(''))
    .join('');
}

function spanOf(
  { column, text, colour, background, isBold, isDim }: Span,
  top: number,
  colours: TerminalColours,
): string {
  const x = (column * CELL.width).toFixed(1);
  const back =
    background === undefined
      ? ''
      : `<rect x="${x}" y="${top}" width="${(text.length * CELL.width).toFixed(1)}" height="${CELL.height}" fill="${named(background, colours)}"/>`;
  if (text.trim() === '') return back;
  const classes = [isBold ? 'b' : '', isDim ? 'd' : ''].filter((name) => name !== '').join(' ');
  const fill = colour === undefined ? '' : ` fill="${named(colour, colours)}" style="fill:${named(colour, colours)}"`;
  const lead = text.length - text.trimStart().length;
  const at = ((column + lead) * CELL.width).toFixed(1);
  const length = text.trim().length * CELL.width;
  return `${back}<text x="${at}" y="${top + CELL.size}"${classes === '' ? '' : ` class="${classes}"`}${fill} textLength="${length.toFixed(1)}" lengthAdjust="spacingAndGlyphs">${escaped(text.trim())}</text>`;
}

function named(colour: number | string, { sixteen, text, back }: TerminalColours): string {
  if (colour === 'front') return text;
  if (colour === 'back') return back;
  if (typeof colour === 'string') return colour;
  if (colour < 16) return sixteen[colour] ?? text;
  if (colour >= 232) return grey(8 + (colour - 232) * 10);
  const cube = colour - 16;
  const level = (value: number): number => (value === 0 ? 0 : 55 + 40 * value);
  const [red, green, blue] = [level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6)];
  return `#${[red, green, blue].map((one) => one.toString(16).padStart(2, '0')).join('')}`;
}

function grey(value: number): string {
  return `#${value.toString(16).padStart(2, '0').repeat(3)}`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
