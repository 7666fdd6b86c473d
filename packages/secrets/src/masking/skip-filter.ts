/** The minimum length of a pattern in units, and the number of units that the filter looks at. */
export const WINDOW = 8;

const BLOCK = 3;
const LAST = WINDOW - BLOCK;
const MULTIPLIER = 0x9e3779b1;
/** Sizes of the tables as powers of two. */
const MINIMAL_BITS = 14;
const MAXIMAL_BITS = 20;

/**
 * Finds places in a text where a pattern may begin, by the method of Wu and Manber: the last three units of a window tell how far
 * it can move without missing a pattern. May give false positives, never false negatives.
 */
export class SkipFilter {
  /** The beginnings of patterns. */
  readonly #known = new Set<string>();
  #bits = 0;
  #moves: Uint8Array = new Uint8Array();
  #shift = 0;
  #beginnings: Uint8Array = new Uint8Array();

  constructor() {
    this.#resize(MINIMAL_BITS);
  }

  /** Adds patterns. The tables are rebuilt only when they must double in size. */
  add(patterns: readonly string[]): void {
    const fresh: string[] = [];
    for (const pattern of patterns) {
      const beginning = pattern.slice(0, WINDOW);
      if (this.#known.has(beginning)) continue;
      this.#known.add(beginning);
      fresh.push(beginning);
    }
    // Sparse tables: a sixteenth filled. They stay within the processor's second cache up to some thousand values.
    const bits = Math.min(MAXIMAL_BITS, Math.ceil(Math.log2(this.#known.size * WINDOW * 16)));
    if (bits > this.#bits) this.#resize(bits);
    else this.#addAll(fresh);
  }

  #resize(bits: number): void {
    this.#bits = bits;
    this.#shift = 32 - bits;
    this.#moves = new Uint8Array(1 << bits).fill(LAST + 1);
    this.#beginnings = new Uint8Array(1 << (bits - 3));
    this.#addAll(this.#known);
  }

  #addAll(beginnings: Iterable<string>): void {
    const units = new Uint16Array(WINDOW);
    for (const beginning of beginnings) {
      for (let index = 0; index < WINDOW; index += 1) units[index] = beginning.charCodeAt(index);
      this.#add(units);
    }
  }

  #add(units: Uint16Array): void {
    for (let index = 0; index <= LAST; index += 1) {
      const hash = blockHash(units[index]!, units[index + 1]!, units[index + 2]!) >>> this.#shift;
      this.#moves[hash] = Math.min(this.#moves[hash]!, LAST - index);
    }
    const hash = windowHash(units, 0) >>> this.#shift;
    this.#beginnings[hash >>> 3]! |= 1 << (hash & 7);
  }

  /**
   * Returns the first position from `start` on where a pattern may begin. If there is none, returns a position with
   * fewer than {@link WINDOW} units behind it.
   */
  next(units: Uint16Array, start: number, length: number): number {
    const moves = this.#moves;
    const shift = this.#shift;
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
    const hash = windowHash(units, index) >>> this.#shift;
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
