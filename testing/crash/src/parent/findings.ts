import type { Counter } from '../report.ts';

/** The number of findings of each kind. */
export type Counts = Readonly<Record<Counter, number>>;

/** Findings of a round. A finding that a later look repeats counts once. */
export class Findings {
  readonly #found: Readonly<Record<Counter, Map<string, string>>> = {
    lost: new Map(),
    duplicated: new Map(),
    misordered: new Map(),
    unopenable: new Map(),
    orphanedCalls: new Map(),
    weakenedSettings: new Map(),
  };

  /** `subject` names the thing, `detail` says what is wrong with it. */
  add(counter: Counter, subject: string, detail: string): void {
    const found = this.#found[counter];
    if (!found.has(subject)) found.set(subject, detail);
  }

  get counts(): Counts {
    const entries = Object.entries(this.#found).map(([counter, found]) => [counter, found.size] as const);
    return Object.fromEntries(entries) as Record<Counter, number>;
  }

  /** The findings as lines for people. */
  get lines(): readonly string[] {
    return Object.entries(this.#found).flatMap(([counter, found]) =>
      [...found].map(([subject, detail]) => `${counter}: ${subject}: ${detail}`),
    );
  }
}
