import { StringDecoder } from 'node:string_decoder';

/** Output since the previous piece; `null`: nothing. */
export interface OutputPiece {
  readonly stdout: string | null;
  readonly stderr: string | null;
}

/** Limits of the size and number of pieces. */
export interface OutputLimits {
  /** Maximum characters of one piece of one stream. */
  readonly piece: number;
  /** Maximum characters of one stream in all; further characters are counted and left out. */
  readonly total: number;
}

/** Collects the output of a command in pieces. No character is split. */
export class OutputPieces {
  readonly #stdout: Stream;
  readonly #stderr: Stream;

  constructor(limits: OutputLimits) {
    this.#stdout = new Stream(limits);
    this.#stderr = new Stream(limits);
  }

  /** Adds bytes of a stream. Returns true when a whole piece is ready. */
  write(stream: 'stdout' | 'stderr', bytes: Buffer): boolean {
    return (stream === 'stdout' ? this.#stdout : this.#stderr).write(bytes);
  }

  /** Returns the next piece; `undefined` if there is none. */
  take(): OutputPiece | undefined {
    const stdout = this.#stdout.take();
    const stderr = this.#stderr.take();
    return stdout === null && stderr === null ? undefined : { stdout, stderr };
  }

  /** Releases output that was held back until its end was known, and the note about left-out output. */
  end(): void {
    this.#stdout.end();
    this.#stderr.end();
  }
}

class Stream {
  readonly #limits: OutputLimits;
  readonly #decoder = new StringDecoder('utf8');
  #waiting = '';
  #kept = 0;
  #leftOut = 0;

  constructor(limits: OutputLimits) {
    this.#limits = limits;
  }

  write(bytes: Buffer): boolean {
    this.#keep(this.#decoder.write(bytes));
    return this.#waiting.length >= this.#limits.piece;
  }

  take(): string | null {
    if (this.#waiting === '') return null;
    const piece = this.#waiting.slice(0, this.#cut());
    this.#waiting = this.#waiting.slice(piece.length);
    return piece;
  }

  end(): void {
    this.#keep(this.#decoder.end());
    if (this.#leftOut > 0) this.#waiting += `\n[${this.#leftOut} more characters were left out]\n`;
  }

  #keep(text: string): void {
    const room = Math.max(0, this.#limits.total - this.#kept);
    const kept = text.length <= room ? text : text.slice(0, wholeEnd(text, room));
    this.#waiting += kept;
    this.#kept += kept.length;
    this.#leftOut += text.length - kept.length;
  }

  #cut(): number {
    return wholeEnd(this.#waiting, this.#limits.piece);
  }
}

/** Returns `end`, or one less between the halves of a surrogate pair. */
function wholeEnd(text: string, end: number): number {
  if (end >= text.length) return text.length;
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last < 0xdc00 && end > 1 ? end - 1 : end;
}
