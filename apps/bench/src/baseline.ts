import { closeSync, fdatasync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const flushLater = promisify(fdatasync);

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

  /** The same with a flush that does not block the process. */
  appendLater(line: string): Promise<void> {
    writeSync(this.#file, line);
    return flushLater(this.#file);
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }
}
