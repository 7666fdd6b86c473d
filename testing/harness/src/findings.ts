/** Findings, each under a counter of the result line. */
export class Findings<Counter extends string> {
  readonly #found: { readonly counter: Counter; readonly line: string }[] = [];

  add(counter: Counter, line: string): void {
    this.#found.push({ counter, line });
  }

  count(counter: Counter): number {
    return this.#found.filter((one) => one.counter === counter).length;
  }

  /** The findings as lines for people. */
  get lines(): readonly string[] {
    return this.#found.map(({ counter, line }) => `${counter}: ${line}`);
  }
}

/** Kinds of findings of a comparison with a log. */
export type DeliveryCounter = 'missing' | 'duplicated' | 'misordered';

/** Collects the findings of a comparison; {@link Findings} that have these counters, among others. */
export interface DeliveryFindings {
  add(counter: DeliveryCounter, line: string): void;
}
