import { Writable } from 'node:stream';
import xterm from '@xterm/headless';

/** A terminal that can be looked at: what is written is obeyed as a real one would. */
export class Screen extends Writable {
  readonly isTTY = true;
  readonly #terminal: xterm.Terminal;

  constructor(columns = 80, rows = 200) {
    super({ decodeStrings: false });
    this.#terminal = new xterm.Terminal({ cols: columns, rows, convertEol: true, allowProposedApi: true });
  }

  get columns(): number {
    return this.#terminal.cols;
  }

  resize(columns: number): void {
    this.#terminal.resize(columns, this.#terminal.rows);
  }

  override _write(chunk: string, _encoding: string, done: () => void): void {
    this.#terminal.write(chunk, done);
  }

  /** Everything on the screen once what was written has arrived. */
  async text(): Promise<string> {
    await new Promise<void>((resolve) => this.write('', () => resolve()));
    const buffer = this.#terminal.buffer.active;
    const lines = Array.from({ length: buffer.length }, (_, row) => buffer.getLine(row)?.translateToString(true) ?? '');
    return lines.join('\n').trimEnd();
  }

  get title(): string {
    return this.#title;
  }

  #title = '';

  /** Notices a change of the window's title. */
  watchTitle(): this {
    this.#terminal.onTitleChange((title) => {
      this.#title = title;
    });
    return this;
  }
}

/** Takes what is written as it is. */
export class Sink extends Writable {
  text = '';

  constructor() {
    super({ decodeStrings: false });
  }

  override _write(chunk: string, _encoding: string, done: () => void): void {
    this.text += chunk;
    done();
  }
}
