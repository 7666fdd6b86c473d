/** Numbers that look random and are the same for the same seed, so that what was found wrong can be played again. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** At least 0, below 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number of at least `from` and at most `to`. */
  between(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  /** True with this probability. */
  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** One of the items. Throws `TypeError` when there is none. */
  pick<Item>(items: readonly Item[]): Item {
    if (items.length === 0) throw new TypeError('nothing to pick from');
    return items[this.between(0, items.length - 1)] as Item;
  }

  /** One of the keys, each as often as its weight says. */
  weighted<Key extends string>(weights: Readonly<Record<Key, number>>): Key {
    const entries = Object.entries<number>(weights) as [Key, number][];
    let rest = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [key, weight] of entries) if ((rest -= weight) < 0) return key;
    return (entries.at(-1) as [Key, number])[0];
  }

  /** One of the keys, each with the probability beside it; `undefined` for the rest up to 1. */
  among<Key extends string>(probabilities: Readonly<Record<Key, number>>): Key | undefined {
    let rest = this.next();
    for (const [key, probability] of Object.entries<number>(probabilities))
      if ((rest -= probability) < 0) return key as Key;
    return undefined;
  }

  /** A seed for something that is to be as repeatable by itself. */
  seed(): number {
    return Math.floor(this.next() * 4_294_967_296);
  }
}
