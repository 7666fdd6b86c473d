import { Writable } from 'node:stream';

import type { OutputStream } from '@conv/visualize';

/** The log of a chat as a stream: takes lines for the part of the terminal above the input. */
export class LogStream extends Writable {
  readonly isTTY = true;
  readonly #terminal: OutputStream;
  readonly #print: (text: string) => boolean;
  #rest = '';

  /** `print` writes whole lines, and returns false if the terminal wants a pause. */
  constructor(terminal: OutputStream, print: (text: string) => boolean) {
    super({ decodeStrings: false });
    this.#terminal = terminal;
    this.#print = print;
  }

  /** The width of the terminal. */
  get columns(): number {
    return this.#terminal.columns ?? 80;
  }

  override _write(chunk: string, _encoding: string, done: () => void): void {
    const text = this.#rest + chunk;
    const end = text.lastIndexOf('\n') + 1;
    this.#rest = text.slice(end);
    if (end === 0 || this.#print(text.slice(0, end))) {
      done();
      return;
    }
    const go = (): void => {
      this.#terminal.off('drain', go).off('close', go);
      done();
    };
    this.#terminal.on('drain', go).on('close', go);
  }
}
