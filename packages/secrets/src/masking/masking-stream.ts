import { SECRET_MASK, type MaskStream } from '@conv/core';
import type { PatternAutomaton } from './automaton.ts';
import { MaskScan } from './mask-scan.ts';

/** Characters of the last text that are searched again when a value becomes known. */
const REMEMBERED = 16_384;

/**
 * Masks a text piece by piece. Masks that the text contains already are borders: no value is looked for across them, so
 * that masking twice has the same result as masking once. If masking fails, the text is not shown.
 */
export class MaskingStream implements MaskStream {
  readonly #automaton: () => PatternAutomaton | undefined;
  #scan: MaskScan | undefined;
  /** The end of the text so far, where it may be the beginning of a mask. */
  #tail = '';
  /** The newest unmasked text since the last mask. */
  #said = '';
  #state: 'open' | 'failed' | 'ended' = 'open';

  /** Asks for the automaton at every piece, since values may become known on the way; `undefined`: none is known. */
  constructor(automaton: () => PatternAutomaton | undefined) {
    this.#automaton = automaton;
  }

  write(chunk: string): string {
    if (this.#state === 'ended') throw new TypeError('the stream has ended; open another one');
    return this.#guarded(() => {
      const scan = this.#current();
      const out = scan === undefined ? chunk : this.#mask(scan, this.#tail + chunk);
      this.#remember(chunk);
      return out;
    });
  }

  end(): string {
    const rest = this.#state === 'open' ? this.#guarded(() => this.#finish()) : '';
    this.#state = 'ended';
    return rest;
  }

  #guarded(work: () => string): string {
    if (this.#state !== 'open') return '';
    try {
      return work();
    } catch {
      this.#state = 'failed';
      return SECRET_MASK;
    }
  }

  #current(): MaskScan | undefined {
    const automaton = this.#automaton();
    if (automaton !== undefined && automaton !== this.#scan?.automaton) {
      const shown = this.#said.slice(0, this.#said.length - this.#tail.length - (this.#scan?.held ?? 0));
      this.#scan = this.#scan?.continueWith(automaton, shown) ?? MaskScan.behind(automaton, shown);
    }
    return this.#scan;
  }

  #remember(chunk: string): void {
    this.#said += chunk;
    const mask = this.#said.lastIndexOf(SECRET_MASK);
    if (mask >= 0) this.#said = this.#said.slice(mask + SECRET_MASK.length);
    if (this.#said.length > 2 * REMEMBERED) this.#said = this.#said.slice(-REMEMBERED);
  }

  #mask(scan: MaskScan, text: string): string {
    const out: string[] = [];
    let start = 0;
    for (let found = text.indexOf(SECRET_MASK); found >= 0; found = text.indexOf(SECRET_MASK, start)) {
      scan.write(text.slice(start, found), out);
      scan.border(out);
      out.push(SECRET_MASK);
      start = found + SECRET_MASK.length;
    }
    const tail = beginningOfMask(text, start);
    this.#tail = text.slice(tail);
    scan.write(text.slice(start, tail), out);
    return out.join('');
  }

  #finish(): string {
    const scan = this.#current();
    if (scan === undefined) return '';
    const out: string[] = [];
    scan.write(this.#tail, out);
    scan.end(out);
    return out.join('');
  }
}

/**
 * Returns the start of the longest beginning of a mask at the end of the text; the end of the text if there is none.
 */
function beginningOfMask(text: string, from: number): number {
  const first = Math.max(from, text.length - SECRET_MASK.length + 1);
  for (let start = text.indexOf('<', first); start >= 0; start = text.indexOf('<', start + 1)) {
    if (SECRET_MASK.startsWith(text.slice(start))) return start;
  }
  return text.length;
}
