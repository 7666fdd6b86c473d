import { Writable } from 'node:stream';

/** What another visualizer shows, each line behind a mark that says whose it is. */
export class ChildStream extends Writable {
  readonly #mark: string;
  readonly #write: (text: string) => Promise<void> | undefined;

  /** `write` shows text between other blocks; resolves when more is taken. */
  constructor(mark: string, write: (text: string) => Promise<void> | undefined) {
    super({ decodeStrings: false });
    this.#mark = mark;
    this.#write = write;
  }

  override _write(chunk: string, _encoding: string, done: (error?: Error | null) => void): void {
    void this.#writeMarked(chunk, done);
  }

  async #writeMarked(chunk: string, done: () => void): Promise<void> {
    await this.#write(chunk.replace(/^(?=.)/gm, this.#mark));
    done();
  }
}
