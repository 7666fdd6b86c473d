import { checks, SECRET_MASK, type Masker, type MaskStream } from '@conv/core';
import type { PatternAutomaton } from './automaton.ts';
import { MaskingStream } from './masking-stream.ts';
import { PatternLayers } from './pattern-layers.ts';
import { patternsOf, sharedAutomaton } from './shared-automaton.ts';
import { WINDOW } from './skip-filter.ts';
import { unfitValue } from './unfit-value.ts';

/** Number of values up to which maskers share an automaton. Larger sets are hardly ever equal, and would be learned anew with each further value. */
const FEW = 16;

/**
 * Creates a masker of these values in all their forms. Values that cannot be masked are ignored: values of fewer than 8
 * characters, not counting line breaks and the white space around them, and values that occur in {@link SECRET_MASK} or
 * contain it.
 *
 * @example
 * ```ts
 * import { createMasker } from '@conv/secrets';
 *
 * const masker = createMasker(['correct horse battery staple']);
 * masker.mask('curl -H "X-Key: correct%20horse%20battery%20staple"'); // 'curl -H "X-Key: <secret-hidden>"'
 * ```
 */
export function createMasker(values: Iterable<string>): Masker {
  // the characters of a text would be masked one by one
  if (typeof values === 'string' || !(Symbol.iterator in Object(values)))
    throw new TypeError(checks.wrongValue('createMasker: values', "a list such as ['a password']", values));
  const masker = new ValueMasker();
  for (const value of values) masker.add(value);
  return masker;
}

/**
 * A masker that learns values one by one, and forgets none unless its owner says so. The vault has one for each conversation; `EventMask` of core
 * asks it for every text on its way into the log and out of it (P9).
 */
export class ValueMasker implements Masker {
  readonly #values = new Set<string>();
  /** The layers of an automaton of its own; `undefined` while it has none, or shares one. */
  #layers: PatternLayers | undefined;
  /** Values that the automaton does not know. They are added when a text comes, all of them at once. */
  #unseen: string[] = [];
  #automaton: PatternAutomaton | undefined;
  #version = 0;

  get version(): number {
    return this.#version;
  }

  /** True if the value is masked. */
  has(value: string): boolean {
    return this.#values.has(value);
  }

  /** Returns true if the value is masked from now on; false if it cannot be. */
  add(value: string): boolean {
    if (unfitValue(value) !== undefined) return false;
    if (!this.#values.has(value)) {
      this.#values.add(value);
      this.#unseen.push(value);
      this.#version += 1;
    }
    return true;
  }

  /** Masks these values no longer. Costs as much as learning all others again. */
  forget(values: Iterable<string>): void {
    for (const value of values) this.#values.delete(value);
    this.#layers = undefined;
    this.#automaton = undefined;
    this.#unseen = [...this.#values];
    this.#version += 1;
  }

  mask(text: string): string {
    try {
      // No match and no beginning that counts fits into less.
      if (this.#values.size === 0 || text.length < WINDOW) return text;
      const stream = new MaskingStream(() => this.#current());
      return stream.write(text) + stream.end();
    } catch {
      return SECRET_MASK;
    }
  }

  stream(): MaskStream {
    return new MaskingStream(() => this.#current());
  }

  #current(): PatternAutomaton | undefined {
    if (this.#unseen.length === 0) return this.#automaton;
    if (this.#automaton === undefined && this.#values.size <= FEW) this.#automaton = sharedAutomaton(this.#values);
    else {
      const fresh = this.#layers ? this.#unseen : this.#values;
      this.#automaton = (this.#layers ??= new PatternLayers()).with(patternsOf(fresh));
    }
    this.#unseen = [];
    return this.#automaton;
  }
}
