import { timers, type Platform, type Timer } from '@conv/core/platform';
import { type Cell, cellsOf, lineOf, lineWidth } from '../text/cells.ts';
import { type Line, paint, span } from '../text/span.ts';
import { truncate } from '../text/wrap.ts';
import type { OutputStream } from './output-stream.ts';

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MILLISECONDS = 120;
// A terminal that gets narrower breaks a longer line, each kind with its cursor in another row, so that erasing the
// line becomes a guess. At this width only a terminal of less than 80 columns breaks it.
const WIDEST = 79;
// The cursor waits at the start of the line, so that the output of another writer begins there and not behind the line.
const ERASE_LINE = '\r\u001b[K';
const ERASE_BELOW = '\r\u001b[J';

/** The text of the line: facts first, then as much of the end of the text as fits. */
export interface StatusText {
  readonly facts: readonly string[];
  readonly tail: string;
}

/** Dependencies of a {@link StatusLine}. */
export interface StatusLineDeps {
  readonly platform: Platform;
  readonly stream: OutputStream;
  readonly color: boolean;
  /** Returns the text of the line, asked at each frame. */
  readonly text: () => StatusText;
}

/** The last line of a terminal during a run. Never keeps a process alive. */
export class StatusLine {
  readonly #deps: StatusLineDeps;
  #timer: Timer | undefined;
  #frame = 0;
  /** Number of columns that the line fills on the screen. */
  #drawn = 0;

  constructor(deps: StatusLineDeps) {
    this.#deps = deps;
  }

  start(): void {
    if (this.#timer !== undefined) return;
    this.#timer = timers.every(this.#deps.platform, FRAME_MILLISECONDS, () => this.#tick(), { background: true });
    this.#tick();
  }

  /** Stops the updates and removes the line. */
  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    const erase = this.takeAway();
    if (erase !== '' && this.#deps.stream.writable) this.#deps.stream.write(erase);
  }

  /** Returns the control text that removes the line, to be written before other output in the same write. */
  takeAway(): string {
    if (this.#drawn === 0) return '';
    const broken = this.#drawn > this.#columns;
    this.#drawn = 0;
    // Erase everything below only if the terminal broke the line: on an empty screen that makes terminals scroll.
    return broken ? ERASE_BELOW : ERASE_LINE;
  }

  /** Returns the control text that shows the line again, to be written after other output in the same write. */
  putBack(): string {
    if (this.#timer === undefined) return '';
    const line = this.#render();
    this.#drawn = lineWidth(line);
    return `${paint(line, this.#deps.color)}\r`;
  }

  #tick(): void {
    // A slow stream gets no frames on top of its backlog.
    if (!this.#deps.stream.writable || this.#deps.stream.writableNeedDrain) return;
    this.#frame = (this.#frame + 1) % FRAMES.length;
    this.#deps.stream.write(this.takeAway() + this.putBack());
  }

  get #columns(): number {
    return this.#deps.stream.columns ?? 80;
  }

  #render(): Line {
    const { facts, tail } = this.#deps.text();
    // Leave out the last column, because some terminals break the line there.
    const width = Math.min(WIDEST, Math.max(1, this.#columns - 1));
    const head: Line = [span(`${FRAMES[this.#frame] ?? ''} `, 'cyan'), span(facts.join(' · '), 'dim')];
    const used = lineWidth(head);
    if (tail === '' || used + 12 > width) return truncate(head, width);
    const room = width - used - 3;
    return [...head, span(' · ', 'dim'), ...endOf([...cellsOf([span(tail)])], room)];
  }
}

function endOf(cells: readonly Cell[], width: number): Line {
  let used = 0;
  let start = cells.length;
  while (start > 0 && used + (cells[start - 1]?.width ?? 0) <= width) {
    start -= 1;
    used += cells[start]?.width ?? 0;
  }
  if (start === 0) return lineOf(cells);
  while (used > width - 1 && start < cells.length) {
    used -= cells[start]?.width ?? 0;
    start += 1;
  }
  return [span('…', 'dim'), ...lineOf(cells.slice(start))];
}
