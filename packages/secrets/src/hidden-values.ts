import type { StoredSourceCodec } from './stored-source.ts';

/** How many are stored. Older ones stay masked until the process ends. */
const MOST = 1000;

/** Values that are masked and are no secret's stored value: rotated ones, and what sources answered. */
export class HiddenValues {
  readonly #codec: StoredSourceCodec;
  readonly #known = new Set<string>();
  /** As tokens, the oldest first. Replaced, never changed. */
  #stored: readonly string[] = [];

  constructor(codec: StoredSourceCodec) {
    this.#codec = codec;
  }

  get stored(): readonly string[] {
    return this.#stored;
  }

  /** Takes over what was stored and returns the values. Tokens that cannot be read are kept for a process that can. */
  load(stored: readonly string[]): readonly string[] {
    this.#stored = stored;
    const values = stored.map((token) => this.#codec.decrypt(token)).filter((value) => value !== undefined);
    for (const value of values) this.#known.add(value);
    return values;
  }

  /** Whether there is more to store than before. Never without a cipher. */
  add(value: string): boolean {
    if (this.#known.has(value)) return false;
    const token = this.#codec.encrypt(value);
    if (token === undefined) return false;
    this.#known.add(value);
    this.#stored = [...this.#stored, token].slice(-MOST);
    return true;
  }
}
