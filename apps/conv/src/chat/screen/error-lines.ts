import process from 'node:process';

type Write = typeof process.stderr.write;

/** Takes what is written to standard error, line by line, while a chat has the terminal: elsewhere it would land in the input. */
export class ErrorLines {
  readonly #take: (lines: string) => void;
  #restore: (() => void) | undefined;
  #rest = '';

  /** `take` receives whole lines. */
  constructor(take: (lines: string) => void) {
    this.#take = take;
  }

  /** Begins, unless standard error goes elsewhere. */
  start(): void {
    if (process.stderr.isTTY !== true || this.#restore !== undefined) return;
    const before = process.stderr.write.bind(process.stderr);
    this.#restore = () => (process.stderr.write = before);
    process.stderr.write = ((chunk: string | Uint8Array, ...rest: readonly unknown[]): boolean => {
      this.#add(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8'));
      const done = rest.findLast((each) => typeof each === 'function') as (() => void) | undefined;
      if (done) queueMicrotask(done);
      return true;
    }) as Write;
  }

  /** Ends; a line that was begun is taken, too. */
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
