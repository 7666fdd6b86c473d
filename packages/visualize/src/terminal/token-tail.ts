import type { TokenDelta } from '@conv/core';
import { plainLine } from '@conv/core';

/** More than fits into any line. */
const KEPT = 400;

/** The end of what the model is saying. */
export class TokenTail {
  #text = '';
  #attempt = 0;
  #kind: TokenDelta['kind'] = 'text';

  /** Adds a piece; a new attempt or another kind of text takes the place of what was there. */
  add(delta: TokenDelta): void {
    if (delta.attempt !== this.#attempt || delta.kind !== this.#kind) this.#text = '';
    this.#attempt = delta.attempt;
    this.#kind = delta.kind;
    this.#text = (this.#text + delta.text).slice(-KEPT);
  }

  /** The answer is complete: what comes next belongs to another one. */
  clear(): void {
    this.#text = '';
    this.#attempt = 0;
  }

  /** On one line, safe for a terminal. */
  get text(): string {
    return plainLine(this.#text).trim();
  }
}
