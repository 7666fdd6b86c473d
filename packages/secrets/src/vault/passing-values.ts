import type { ValueMasker } from '../masking/masker.ts';

/** Expired values that are masked until they are forgotten together, because forgetting costs more than masking a few. */
const MOST_EXPIRED = 16;

/** The values of a masker that expire, such as tokens of a login. Expired ones are forgotten, so that a long life of many tokens needs no more room. */
export class PassingValues {
  readonly #masker: ValueMasker;
  readonly #now: () => number;
  /** The times at which values expire. */
  readonly #until = new Map<string, number>();

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
    const now = this.#now();
    const expired = [...this.#until].filter(([, until]) => until <= now).map(([value]) => value);
    if (expired.length <= MOST_EXPIRED) return;
    for (const value of expired) this.#until.delete(value);
    this.#masker.forget(expired);
  }
}
