/** The largest table: it has this many slots, 64 MB. Later entries are then found by reading the index. */
const MOST_SLOTS = 2 ** 24;
const FEWEST_SLOTS = 64;

/**
 * Finds the numbers of events by a hash, in a table of 4 bytes per slot that is at most half full. It holds no hashes,
 * so the caller has to check a number. Numbers of equal hashes are found in the order in which they were added.
 */
export class IdTable {
  /** Number plus one; 0 is free. */
  #slots = new Uint32Array(FEWEST_SLOTS);
  #used = 0;

  /** True if the table must grow before more is added. A larger table is empty, so everything has to be added again. */
  get isFull(): boolean {
    return this.#used * 2 >= this.#slots.length;
  }

  get canGrow(): boolean {
    return this.#slots.length < MOST_SLOTS;
  }

  /** Empties the table and makes room for this many numbers. */
  clear(room: number): void {
    let slots = FEWEST_SLOTS;
    while (slots < room * 2 && slots < MOST_SLOTS) slots *= 2;
    this.#slots = new Uint32Array(slots);
    this.#used = 0;
  }

  add(hash: number, number: number): void {
    const slots = this.#slots;
    let at = hash & (slots.length - 1);
    while (slots[at] !== 0) at = (at + 1) & (slots.length - 1);
    slots[at] = number + 1;
    this.#used++;
  }

  /** Yields the numbers that may have been added with this hash. */
  *numbers(hash: number): Generator<number, void, undefined> {
    const slots = this.#slots;
    for (let at = hash & (slots.length - 1); ; at = (at + 1) & (slots.length - 1)) {
      const number = slots[at];
      if (number === undefined || number === 0) return;
      yield number - 1;
    }
  }
}
