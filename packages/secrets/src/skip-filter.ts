/** Every pattern has at least so many units; the filter looks at so many. */
export const WINDOW = 8;

const BLOCK = 3;
const LAST = WINDOW - BLOCK;
const MULTIPLIER = 0x9e3779b1;

/**
 * Says where in a text a pattern may begin, after Wu and Manber: the last three units of a window tell how far it can be moved on
 * without missing the beginning of any pattern. Says yes too often now and then, never no.
 */
export class SkipFilter {
  readonly #moves: Uint8Array;
  readonly #moveShift: number;
  readonly #beginnings: Uint8Array;
  readonly #beginningShift: number;

  constructor(patterns: readonly string[]) {
    const beginnings = new Set(patterns.map((pattern) => pattern.slice(0, WINDOW)));
    // Sparse tables: a sixteenth filled. They stay within the processor's second cache up to some thousand values.
    const bits = Math.min(20, Math.max(14, Math.ceil(Math.log2(beginnings.size * WINDOW * 16))));
    this.#moveShift = 32 - bits;
    this.#moves = new Uint8Array(1 << bits).fill(LAST + 1);
    this.#beginningShift = 32 - bits;
    this.#beginnings = new Uint8Array(1 << (bits - 3));
    const units = new Uint16Array(WINDOW);
    for (const beginning of beginnings) {
      for (let index = 0; index < WINDOW; index += 1) units[index] = beginning.charCodeAt(index);
      this.#add(units);
    }
  }

  #add(units: Uint16Array): void {
    for (let index = 0; index <= LAST; index += 1) {
      const hash = blockHash(units[index]!, units[index + 1]!, units[index + 2]!) >>> this.#moveShift;
      this.#moves[hash] = Math.min(this.#moves[hash]!, LAST - index);
    }
    const hash = windowHash(units, 0) >>> this.#beginningShift;
    this.#beginnings[hash >>> 3]! |= 1 << (hash & 7);
  }

  /** The first position from `start` on where a pattern may begin; where fewer than {@link WINDOW} units are left if there is none. */
  next(units: Uint16Array, start: number, length: number): number {
    const moves = this.#moves;
    const shift = this.#moveShift;
    const end = length - WINDOW;
    let index = start;
    while (index <= end) {
      const hash = blockHash(units[index + LAST]!, units[index + LAST + 1]!, units[index + LAST + 2]!);
      const move = moves[hash >>> shift]!;
      if (move > 0) index += move;
      else if (this.#mayBegin(units, index)) return index;
      else index += 1;
    }
    return Math.max(start, Math.min(index, end + 1));
  }

  #mayBegin(units: Uint16Array, index: number): boolean {
    const hash = windowHash(units, index) >>> this.#beginningShift;
    return (this.#beginnings[hash >>> 3]! & (1 << (hash & 7))) !== 0;
  }
}

function blockHash(first: number, second: number, third: number): number {
  return Math.imul(first ^ (second << 8) ^ (third << 16), MULTIPLIER);
}

function windowHash(units: Uint16Array, start: number): number {
  let hash = 0;
  for (let index = start; index < start + WINDOW; index += 1)
    hash = Math.imul(hash ^ units[index]!, MULTIPLIER) ^ (hash >>> 15);
  return Math.imul(hash, MULTIPLIER);
}
