/** Numbers that are the same for the same seed, so that a round can be played again. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** At least 0, below 1. */
  next(): number {
    this.#state = (this.#state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  }

  /** A whole number of at least `from` and at most `to`. */
  between(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** One of the keys, each as often as its weight says; `undefined` for the rest up to 1. */
  among<Key extends string>(weights: Readonly<Record<Key, number>>): Key | undefined {
    let rest = this.next();
    for (const [key, weight] of Object.entries<number>(weights)) if ((rest -= weight) < 0) return key as Key;
    return undefined;
  }

  /** A seed for something that is to be as repeatable by itself. */
  seed(): number {
    return Math.floor(this.next() * 2 ** 32);
  }
}
