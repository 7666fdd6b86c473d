/** A table of this many slots, 64 MB, is not made larger; then what comes later is sought by reading. */
const MOST_SLOTS = 2 ** 24;
const FEWEST_SLOTS = 1024;

/**
 * Where events with a certain hash may be: their numbers, in a table of 4 bytes per slot that is at most half full. Holds no
 * hashes; a number that is found has to be looked at. Numbers of equal hashes are found in the order in which they were added.
 */
export class IdTable {
  /** Number plus one; 0 is free. */
  #slots = new Uint32Array(FEWEST_SLOTS);
  #used = 0;

  /** Whether it has to be made larger before more is added: a new one, to which everything is added again. */
  get isFull(): boolean {
    return this.#used * 2 >= this.#slots.length;
  }

  /** Whether it can be made larger. */
  get canGrow(): boolean {
    return this.#slots.length < MOST_SLOTS;
  }

  /** Takes everything out and makes room for this many. */
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

  /** The numbers that may have been added with this hash. */
  *numbers(hash: number): Generator<number, void, undefined> {
    const slots = this.#slots;
    for (let at = hash & (slots.length - 1); ; at = (at + 1) & (slots.length - 1)) {
      const number = slots[at];
      if (number === undefined || number === 0) return;
      yield number - 1;
    }
  }
}
