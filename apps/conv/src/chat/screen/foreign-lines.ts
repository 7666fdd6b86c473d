type Write = NodeJS.WriteStream['write'];

/**
 * Captures other output to a stream of the process, line by line, while a chat uses the terminal, because it would otherwise garble
 * the input.
 */
export class ForeignLines {
  readonly #stream: NodeJS.WriteStream;
  readonly #take: (lines: string) => void;
  #restore: (() => void) | undefined;
  #rest = '';

  /** `take` receives whole lines. */
  constructor(stream: NodeJS.WriteStream, take: (lines: string) => void) {
    this.#stream = stream;
    this.#take = take;
  }

  /** Begins, unless the stream goes elsewhere. */
  start(): void {
    if (this.#stream.isTTY !== true || this.#restore !== undefined) return;
    const stream = this.#stream;
    const before = stream.write.bind(stream);
    this.#restore = () => (stream.write = before);
    stream.write = ((chunk: string | Uint8Array, ...rest: readonly unknown[]): boolean => {
      this.#add(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8'));
      const done = rest.findLast((each) => typeof each === 'function') as (() => void) | undefined;
      if (done) queueMicrotask(done);
      return true;
    }) as Write;
  }

  /** Stops capturing; an incomplete line is passed on, too. */
  stop(): void {
    if (this.#restore === undefined) return;
    this.#restore();
    this.#restore = undefined;
    if (this.#rest !== '') this.#take(`${this.#rest}\n`);
    this.#rest = '';
  }

  #add(text: string): void {
    const all = this.#rest + text;
    const end = all.lastIndexOf('\n') + 1;
    this.#rest = all.slice(end);
    if (end > 0) this.#take(all.slice(0, end));
  }
}
