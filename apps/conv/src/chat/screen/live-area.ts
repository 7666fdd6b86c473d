import { visibleWidth } from '@earendil-works/pi-tui';
import type { OutputStream } from '@conv/visualize';

/** Rows below the log, painted, each shorter than the terminal is wide, and the place of the cursor in them. */
export interface AreaContent {
  readonly rows: readonly string[];
  readonly cursor: { readonly row: number; readonly column: number };
}

const CSI = '\u001b[';
// Terminals that know it show everything between the two at once; the others ignore it.
const BEGIN_FRAME = `${CSI}?2026h${CSI}?25l`;
const END_FRAME = `${CSI}?25h${CSI}?2026l`;

/**
 * Redraws the last rows of a terminal, and prints the log above them once. The log is plain output that scrolls into the terminal's
 * scrollback, so it is never redrawn.
 */
export class LiveArea {
  readonly #stream: OutputStream;
  readonly #content: (columns: number, rows: number) => AreaContent;
  /** The area on the screen; `undefined`: there is none, and the cursor is at the start of a row. */
  #drawn: AreaContent | undefined;
  #held: string | undefined;
  #isClosed = false;

  /** `content` gives the area for a terminal of this size. */
  constructor(stream: OutputStream, content: (columns: number, rows: number) => AreaContent) {
    this.#stream = stream;
    this.#content = content;
  }

  /** Writes whole lines into the log. Returns false if the stream wants a pause. */
  print(text: string): boolean {
    if (this.#isClosed) return this.#stream.write(text);
    if (this.#held !== undefined) {
      this.#held += text;
      return true;
    }
    return this.#write(text);
  }

  /** Draws the area again, if it changed. */
  draw(): void {
    // a slow terminal gets no frames on top of its backlog; the next change draws the newest
    if (this.#held !== undefined || this.#isClosed || this.#stream.writableNeedDrain) return;
    this.#write('');
  }

  /** Removes the area, because another program gets the terminal. Output until `release` is held back. */
  hold(): void {
    if (this.#held !== undefined) return;
    this.#held = '';
    const erase = this.#erase();
    this.#drawn = undefined;
    if (erase !== '') this.#stream.write(erase);
  }

  /** Shows the area again, and everything that was printed meanwhile. */
  release(): void {
    const held = this.#held ?? '';
    this.#held = undefined;
    this.#write(held);
  }

  /** Removes the area for good; what is printed afterwards is plain output. */
  close(): void {
    if (this.#held !== undefined) this.release();
    const erase = this.#erase();
    this.#isClosed = true;
    this.#drawn = undefined;
    if (erase !== '') this.#stream.write(erase);
  }

  #write(log: string): boolean {
    const columns = columnsOf(this.#stream);
    const next = fitted(this.#content(columns, rowsOf(this.#stream)), rowsOf(this.#stream));
    if (log === '' && this.#drawn !== undefined && isSame(this.#drawn, next)) return true;
    const erase = this.#erase();
    this.#drawn = next;
    return this.#stream.write(`${BEGIN_FRAME}${erase}${log}${next.rows.join('\r\n')}${toCursor(next)}${END_FRAME}`);
  }

  /** Returns the control text from the cursor to the start of the area, and the removal of all that follows. */
  #erase(): string {
    if (this.#drawn === undefined) return '';
    const { rows, cursor } = this.#drawn;
    const columns = columnsOf(this.#stream);
    // a terminal that became narrower has broken the longer rows, and the cursor went down with them
    const above = rows.slice(0, cursor.row).reduce((sum, row) => sum + broken(visibleWidth(row), columns), 0);
    const up = above + Math.floor(cursor.column / columns);
    return `\r${up > 0 ? `${CSI}${up}A` : ''}${CSI}J`;
  }
}

function broken(width: number, columns: number): number {
  return Math.max(1, Math.ceil(width / columns));
}

function toCursor({ rows, cursor }: AreaContent): string {
  const up = rows.length - 1 - cursor.row;
  return `\r${up > 0 ? `${CSI}${up}A` : ''}${cursor.column > 0 ? `${CSI}${cursor.column}C` : ''}`;
}

/** Leaves out the first rows of an area that is higher than the screen, where the cursor could not be moved to. */
function fitted(content: AreaContent, rows: number): AreaContent {
  const extra = Math.min(content.cursor.row, content.rows.length - Math.max(1, rows - 1));
  if (extra <= 0) return content;
  const cursor = { ...content.cursor, row: content.cursor.row - extra };
  return { rows: content.rows.slice(extra, extra + Math.max(1, rows - 1)), cursor };
}

function isSame(first: AreaContent, second: AreaContent): boolean {
  return (
    first.cursor.row === second.cursor.row &&
    first.cursor.column === second.cursor.column &&
    first.rows.length === second.rows.length &&
    first.rows.every((row, at) => row === second.rows[at])
  );
}

function columnsOf({ columns }: OutputStream): number {
  return columns !== undefined && columns > 0 ? columns : 80;
}

function rowsOf(stream: OutputStream): number {
  const { rows } = stream as { readonly rows?: number };
  return rows !== undefined && rows > 0 ? rows : 24;
}
