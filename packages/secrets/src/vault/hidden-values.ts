import type { StoredSourceCodec } from './stored-source.ts';

/** The maximum number of stored values. Older ones stay masked until the process ends. */
const MOST = 1000;

/** The number of values that are dropped at once when there are too many. So most additions only add to the stored values. */
const DROPPED = 200;

/** Values that are masked although no secret stores them: values of rotated secrets, and answers of sources. */
export class HiddenValues {
  readonly #codec: StoredSourceCodec;
  /** Values by their tokens, the oldest first; `undefined`: of another key. */
  readonly #values = new Map<string, string | undefined>();
  readonly #known = new Set<string>();
  #stored: readonly string[] = [];

  constructor(codec: StoredSourceCodec) {
    this.#codec = codec;
  }

  /** Tokens. Replaced, never changed. */
  get stored(): readonly string[] {
    return this.#stored;
  }

  /** Takes over stored tokens and returns their values. Tokens that cannot be read are kept for a process that can. */
  load(stored: readonly string[]): readonly string[] {
    this.#stored = stored;
    for (const token of stored) {
      const value = this.#codec.decrypt(token);
      this.#values.set(token, value);
      if (value !== undefined) this.#known.add(value);
    }
    return [...this.#known];
  }

  /** Returns true if there is more to store than before; never without a cipher. */
  add(value: string): boolean {
    if (this.#known.has(value)) return false;
    const token = this.#codec.encrypt(value);
    if (token === undefined) return false;
    this.#values.set(token, value);
    this.#known.add(value);
    if (this.#values.size > MOST) this.#dropOldest();
    this.#stored = [...this.#values.keys()];
    return true;
  }

  #dropOldest(): void {
    for (const [token, value] of [...this.#values].slice(0, DROPPED)) {
      this.#values.delete(token);
      if (value !== undefined) this.#known.delete(value);
    }
  }
}
