import type { ValueMasker } from '../masking/masker.ts';

/** Values among which expired ones are not looked for, because forgetting costs more than masking a few. */
const FEW = 16;

/**
 * The values of a masker that expire, such as tokens of a login. Expired ones are forgotten, so that a long life of many tokens needs no more room.
 * They are looked for when there are twice as many values as the last look left: a look at each value would cost the square of their number.
 */
export class PassingValues {
  readonly #masker: ValueMasker;
  readonly #now: () => number;
  /** The times at which values expire. */
  readonly #until = new Map<string, number>();
  /** The number of values that the last look left. */
  #left = 0;

  constructor(masker: ValueMasker, now: () => number) {
    this.#masker = masker;
    this.#now = now;
  }

  /** Masks values until a time; `Infinity`: for ever. Of two times for a value the later one counts. */
  add(values: readonly string[], until: number): void {
    for (const value of values) {
      const known = this.#masker.has(value) ? (this.#until.get(value) ?? Infinity) : 0;
      if (!this.#masker.add(value)) continue;
      if (Math.max(until, known) === Infinity) this.#until.delete(value);
      else this.#until.set(value, Math.max(until, known));
    }
    if (until !== Infinity) this.#forget();
  }

  #forget(): void {
    if (this.#until.size <= Math.max(FEW, 2 * this.#left)) return;
    const now = this.#now();
    const expired = [...this.#until].filter(([, until]) => until <= now).map(([value]) => value);
    for (const value of expired) this.#until.delete(value);
    this.#left = this.#until.size;
    if (expired.length > 0) this.#masker.forget(expired);
  }
}
