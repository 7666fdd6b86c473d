import { createHash, timingSafeEqual } from 'node:crypto';

/**
 * The keys that open something. Which key a wrong one resembles, how long it is and how many keys there are does not show in the
 * time that a check takes.
 */
export class AccessKeys {
  readonly #digests: readonly Buffer[];

  /** Throws `TypeError` for an empty key: it would let everybody in who sends an empty header. */
  constructor(keys: readonly string[] = []) {
    if (keys.some((key) => typeof key !== 'string' || key === ''))
      throw new TypeError('a key is a text that is not empty');
    this.#digests = keys.map(digest);
  }

  /** Whether a key is needed at all. */
  get required(): boolean {
    return this.#digests.length > 0;
  }

  /** Whether this is one of the keys. Always `true` when none is needed. */
  accepts(key: string | undefined): boolean {
    if (!this.required) return true;
    const given = digest(key ?? '');
    let found = 0;
    // every key is looked at, whichever it is
    for (const known of this.#digests) found |= Number(timingSafeEqual(known, given));
    return found === 1 && key !== undefined;
  }
}

function digest(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
