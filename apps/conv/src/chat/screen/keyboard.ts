import type { ReadStream } from 'node:tty';

import { StdinBuffer } from '@earendil-works/pi-tui';
import type { OutputStream } from '@conv/visualize';

const PASTE_ON = '\u001b[?2004h';
const PASTE_OFF = '\u001b[?2004l';
/** The marks around a paste. */
export const PASTE_START = '\u001b[200~';
export const PASTE_END = '\u001b[201~';

/** Milliseconds in which the rest of a key's sequence must follow its escape: over a network it may take longer. */
const ESCAPE = { here: 20, far: 120 } as const;

/** The keys of a terminal in raw mode, each as the sequence that the terminal sent; a paste is one of them, in its marks. */
export class Keyboard {
  readonly #input: ReadStream;
  readonly #output: OutputStream;
  readonly #onKey: (key: string) => void;
  readonly #onEnd: () => void;
  #buffer: StdinBuffer | undefined;
  readonly #onData = (data: Buffer | string): void => this.#buffer?.process(data);

  /** `onEnd` is called when the terminal was closed. */
  constructor(input: ReadStream, output: OutputStream, onKey: (key: string) => void, onEnd: () => void) {
    this.#input = input;
    this.#output = output;
    this.#onKey = onKey;
    this.#onEnd = onEnd;
  }

  /** Takes the keys, until `stop`. */
  start(): void {
    const far = process.env['SSH_CONNECTION'] !== undefined || process.env['SSH_TTY'] !== undefined;
    this.#buffer = new StdinBuffer({ escapeTimeout: far ? ESCAPE.far : ESCAPE.here });
    this.#buffer.on('data', this.#onKey);
    this.#buffer.on('paste', (text) => this.#onKey(`${PASTE_START}${text}${PASTE_END}`));
    this.#input.setRawMode(true);
    this.#input.setEncoding('utf8');
    this.#input.on('data', this.#onData).on('end', this.#onEnd).on('error', this.#onEnd);
    this.#input.resume();
    this.#output.write(PASTE_ON);
  }

  /** Leaves the terminal as it was. */
  stop(): void {
    if (this.#buffer === undefined) return;
    this.#buffer.destroy();
    this.#buffer = undefined;
    this.#input.off('data', this.#onData).off('end', this.#onEnd).off('error', this.#onEnd);
    this.#input.pause();
    try {
      this.#input.setRawMode(false);
    } catch {
      // the terminal is gone, and its mode with it
      return;
    }
    this.#output.write(PASTE_OFF);
  }
}
