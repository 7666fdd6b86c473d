import { Writable } from 'node:stream';

/** The output of another visualizer. Each line follows a mark that names its conversation. */
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
