import { createHash } from 'node:crypto';
import type { Platform } from '@conv/core/platform';

/** Different wrong keys that an address may show before it has to wait. */
const FREE = 20;

/** Milliseconds that an address waits at first, and at most. */
const FIRST_WAIT = 1000;
const LONGEST_WAIT = 60_000;

/** Maximum number of remembered addresses; the least recently seen address is forgotten first. */
const REMEMBERED = 10_000;

interface Guesses {
  /** Digests of the first wrong keys, because a client that repeats its own wrong key is not guessing. */
  readonly known: Set<string>;
  wrong: number;
  /** Milliseconds of the monotonic clock. */
  waitsUntil: number;
}

/**
 * Makes addresses wait that show wrong keys: a second after the twentieth in a row, twice as long with each further one, at most
 * a minute. Other processes of this machine share the address of its user. They wait a second at most, so that none of them can
 * lock the user out.
 */
export class GuessLimit {
  readonly #platform: Pick<Platform, 'monotonic'>;
  readonly #guesses = new Map<string, Guesses>();

  constructor(platform: Pick<Platform, 'monotonic'>) {
    this.#platform = platform;
  }

  /** Returns the seconds that an address has to wait before its key is checked; 0 for none. */
  wait(address: string): number {
    const { waitsUntil = 0 } = this.#guesses.get(address) ?? {};
    return Math.max(0, Math.ceil((waitsUntil - this.#platform.monotonic()) / 1000));
  }

  wrong(address: string, key: string): void {
    const guesses = this.#guesses.get(address) ?? { known: new Set(), wrong: 0, waitsUntil: 0 };
    const digest = createHash('sha256').update(key).digest('base64');
    if (guesses.known.has(digest)) return;
    if (guesses.known.size < FREE) guesses.known.add(digest);
    guesses.wrong++;
    const longest = isLoopback(address) ? FIRST_WAIT : LONGEST_WAIT;
    if (guesses.wrong >= FREE)
      guesses.waitsUntil =
        this.#platform.monotonic() + Math.min(longest, FIRST_WAIT * 2 ** Math.min(20, guesses.wrong - FREE));
    this.#guesses.delete(address);
    this.#guesses.set(address, guesses);
    if (this.#guesses.size > REMEMBERED) this.#guesses.delete(this.#guesses.keys().next().value as string);
  }

  /** Records a right key of the address. */
  right(address: string): void {
    this.#guesses.delete(address);
  }
}

function isLoopback(address: string): boolean {
  return address === '::1' || /^(?:::ffff:)?127\./.test(address);
}
