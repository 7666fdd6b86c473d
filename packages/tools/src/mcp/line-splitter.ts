const NEWLINE = 0x0a;

/** Splits bytes that arrive in pieces into lines, in time that grows with the bytes alone. */
export class LineSplitter {
  readonly #limit: number;
  #pieces: Buffer[] = [];
  #held = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * Adds a chunk and returns the lines that are complete now. Returns `undefined` if a line is longer than the limit; then no more
   * chunks may be added.
   */
  add(chunk: Buffer): readonly string[] | undefined {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      this.#hold(chunk.subarray(start, end));
      if (this.#held > this.#limit) return undefined;
      lines.push(Buffer.concat(this.#pieces).toString('utf8'));
      this.#pieces = [];
      this.#held = 0;
      start = end + 1;
    }
    this.#hold(chunk.subarray(start));
    return this.#held > this.#limit ? undefined : lines;
  }

  #hold(piece: Buffer): void {
    this.#pieces.push(piece);
    this.#held += piece.length;
  }
}
