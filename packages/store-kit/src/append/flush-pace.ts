/** The longest flush, in milliseconds, for which blocking pays; for a longer flush the hop through a thread costs little. */
const WORTH_BLOCKING = 2;
/** Milliseconds between the flushes of two conversations within which both count as busy. */
const TOGETHER = 5;
/** Milliseconds of blocking flushes after which the rest of the process gets a turn. */
const TURN = 4;

/**
 * Decides for all journals of the process together whether a flush may hold up the process
 * (docs/decisions/0011-flushes-do-not-block-the-process.md). A blocking flush saves
 * the hop through a thread, a quarter of the time on a fast device, when one conversation appends one commit after the other. It
 * would cost more when several conversations append, whose flushes the device does at once, or when a flush takes long.
 */
export class FlushPace {
  readonly #running = new Set<object>();
  #last: object | undefined;
  #lastAt = -Infinity;
  /** The cost of the last flush, or less if the flushes before it were much faster; infinite before the first flush. */
  #cost = Infinity;
  #blocked = 0;

  /** Marks a journal as busy. It begins to write the commits that it was handed. */
  begin(journal: object): void {
    this.#running.add(journal);
  }

  /** Ends the mark. The journal has written everything. */
  end(journal: object): void {
    this.#running.delete(journal);
  }

  /** Returns true if the next flush of this journal may hold up the process. */
  mayBlock(journal: object, now: number): boolean {
    if (this.#cost > WORTH_BLOCKING || this.#running.size > 1) return false;
    return this.#last === journal || now - this.#lastAt > TOGETHER;
  }

  /**
   * Takes in a flush from `start` to `end`, by a journal, or by `undefined` in front of the first append of one. Returns true if the rest of
   * the process has waited long enough.
   */
  flushed(journal: object | undefined, start: number, end: number, blocking: boolean): boolean {
    const cost = end - start;
    // A single slow flush is enough to stop blocking; several fast flushes are needed to resume it.
    this.#cost = this.#cost === Infinity || cost > this.#cost ? cost : this.#cost * 0.75 + cost * 0.25;
    if (journal) {
      this.#last = journal;
      this.#lastAt = end;
    }
    this.#blocked = blocking ? this.#blocked + cost : 0;
    if (this.#blocked < TURN) return false;
    this.#blocked = 0;
    return true;
  }
}

/** The pace of this process. */
export const flushPace: FlushPace = new FlushPace();
