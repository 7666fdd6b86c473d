import process from 'node:process';

import { plain } from './output.ts';

/** Milliseconds between two updates, on a terminal and into a file. */
const PACE = { terminal: 100, file: 10_000 } as const;

/** Shows progress on stderr: as a line that changes on a terminal, as a few lines elsewhere. */
export class Progress {
  readonly #isTerminal = process.stderr.isTTY;
  #last = Date.now();
  #shown = false;

  /** Shows the text, unless the last update was too recent. */
  tell(text: string): void {
    const now = Date.now();
    if (now - this.#last < (this.#isTerminal ? PACE.terminal : PACE.file)) return;
    this.#last = now;
    this.#shown = true;
    process.stderr.write(
      this.#isTerminal ? `\r\x1b[K${plain(text, process.stderr.columns - 1)}` : `${plain(text, 200)}\n`,
    );
  }

  /** Removes the line, so that other output can follow. */
  clear(): void {
    if (this.#isTerminal && this.#shown) process.stderr.write('\r\x1b[K');
    this.#shown = false;
  }
}
