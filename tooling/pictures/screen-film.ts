import xterm from '@xterm/headless';

/** Letters of one form, beside each other. */
export interface Span {
  readonly column: number;
  readonly text: string;
  /** A number of the 256 colours, or `#rrggbb`; `undefined` for the colour of text. */
  readonly colour: number | string | undefined;
  readonly background: number | string | undefined;
  readonly isBold: boolean;
  readonly isDim: boolean;
}

/** A screen of a terminal, and the time for which it is seen. */
export interface Frame {
  readonly rows: readonly (readonly Span[])[];
  /** Milliseconds. */
  readonly lasts: number;
}

/** A terminal whose screens are kept, each with the time for which it was seen. */
export class ScreenFilm {
  readonly #terminal: xterm.Terminal;
  readonly #frames: { rows: Frame['rows']; lasts: number; key: string }[] = [];

  constructor(columns: number, rows: number) {
    this.#terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
  }

  get frames(): readonly Frame[] {
    return this.#frames;
  }

  /** The text on the screen. */
  get text(): string {
    return this.#rows.map((spans) => spans.map(({ text }) => text).join('')).join('\n');
  }

  write(output: string): Promise<void> {
    return new Promise((resolve) => this.#terminal.write(output, resolve));
  }

  /** Keeps the screen as it is now, seen for so many milliseconds; equal screens behind each other are one. */
  take(lasts: number): void {
    const rows = this.#rows;
    const key = JSON.stringify(rows);
    const last = this.#frames.at(-1);
    if (last?.key === key) last.lasts += lasts;
    else this.#frames.push({ rows, lasts, key });
  }

  get #rows(): Frame['rows'] {
    const { active } = this.#terminal.buffer;
    return Array.from({ length: this.#terminal.rows }, (_, row) => spansOf(active.getLine(active.baseY + row)));
  }
}

function spansOf(line: xterm.IBufferLine | undefined): readonly Span[] {
  const spans: (Omit<Span, 'text'> & { text: string })[] = [];
  for (let column = 0; line && column < line.length; column++) {
    const cell = line.getCell(column);
    if (!cell || cell.getWidth() === 0) continue;
    const isInverse = cell.isInverse() !== 0;
    const [front, back] = [colourOf(cell, 'fg'), colourOf(cell, 'bg')];
    const form = {
      colour: isInverse ? (back ?? 'back') : front,
      background: isInverse ? (front ?? 'front') : back,
      isBold: cell.isBold() !== 0,
      isDim: cell.isDim() !== 0,
    };
    const text = cell.getChars() || ' ';
    const last = spans.at(-1);
    if (last && same(last, form)) last.text += text;
    else spans.push({ column, text, ...form });
  }
  return spans.filter(({ text, background }) => background !== undefined || text.trim() !== '');
}

function colourOf(cell: xterm.IBufferCell, which: 'fg' | 'bg'): number | string | undefined {
  const isDefault = which === 'fg' ? cell.isFgDefault() : cell.isBgDefault();
  if (isDefault) return undefined;
  const value = which === 'fg' ? cell.getFgColor() : cell.getBgColor();
  const isRgb = which === 'fg' ? cell.isFgRGB() : cell.isBgRGB();
  return isRgb ? `#${value.toString(16).padStart(6, '0')}` : value;
}

type Form = Pick<Span, 'colour' | 'background' | 'isBold' | 'isDim'>;

function same(one: Form, other: Form): boolean {
  return (
    one.colour === other.colour &&
    one.background === other.background &&
    one.isBold === other.isBold &&
    one.isDim === other.isDim
  );
}
