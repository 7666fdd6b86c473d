import type { TokenDelta } from '@conv/core';
import { plainLine } from '../text/plain-text.ts';

/** The number of characters that are kept, more than fits into any line. */
const KEPT = 400;

/** The end of the text that the model is writing. */
export class TokenTail {
  #text = '';
  #attempt = 0;
  #kind: TokenDelta['kind'] = 'text';

  /** Adds a piece; a new attempt or another kind of text replaces the text before. */
  add(delta: TokenDelta): void {
    if (delta.attempt !== this.#attempt || delta.kind !== this.#kind) this.#text = '';
    this.#attempt = delta.attempt;
    this.#kind = delta.kind;
    this.#text = (this.#text + delta.text).slice(-KEPT);
  }

  /** Clears the text, because the answer is complete. */
  clear(): void {
    this.#text = '';
    this.#attempt = 0;
  }

  /** The text on one line, safe for a terminal. */
  get text(): string {
    return plainLine(this.#text).trim();
  }
}
