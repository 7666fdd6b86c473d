import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** The plainest durable append there is: one descriptor, `writeSync`, `fdatasyncSync`. */
export class PlainLog implements Disposable {
  readonly #file: number;

  constructor(directory: string) {
    this.#file = openSync(join(directory, 'plain.log'), 'a');
  }

  append(line: string): void {
    writeSync(this.#file, line);
    fdatasyncSync(this.#file);
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }
}
