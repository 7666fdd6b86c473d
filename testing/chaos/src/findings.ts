/** What can be found wrong, as the result line names it. */
export type Counter = 'missing' | 'duplicated' | 'misordered' | 'stuckRuns';

/** All counters, in the order of the result line. */
export const COUNTERS: readonly Counter[] = ['missing', 'duplicated', 'misordered', 'stuckRuns'];

/** What was found wrong in a round. */
export class Findings {
  readonly #found: { readonly counter: Counter; readonly line: string }[] = [];

  add(counter: Counter, line: string): void {
    this.#found.push({ counter, line });
  }

  count(counter: Counter): number {
    return this.#found.filter((one) => one.counter === counter).length;
  }

  /** One line for each, for people. */
  get lines(): readonly string[] {
    return this.#found.map(({ counter, line }) => `${counter}: ${line}`);
  }
}
