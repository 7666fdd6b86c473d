import type { RoundResult } from './round/round.ts';

/** Sum of the rounds of a door. */
export class Tally {
  readonly #door: string;
  readonly #isQuiet: boolean;
  #cuts = 0;
  #missing = 0;
  #duplicated = 0;
  #misordered = 0;

  constructor(door: string, isQuiet: boolean) {
    this.#door = door;
    this.#isQuiet = isQuiet;
  }

  take({ title, wasCut, missing, duplicated, misordered, story }: RoundResult): void {
    if (wasCut) this.#cuts++;
    this.#missing += missing;
    this.#duplicated += duplicated;
    this.#misordered += misordered;
    if (story.length > 0 && !this.#isQuiet) process.stderr.write(`${[title, ...story].join('\n  ')}\n`);
  }

  /** True if every client was cut off at least once, and showed the log. */
  get isEqual(): boolean {
    return this.#cuts > 0 && this.#missing + this.#duplicated + this.#misordered === 0;
  }

  /** The result as a line of JSON. */
  get line(): string {
    return JSON.stringify({
      door: this.#door,
      cuts: this.#cuts,
      missing: this.#missing,
      duplicated: this.#duplicated,
      misordered: this.#misordered,
    });
  }
}
