/** Milliseconds; a flush that takes longer is not worth holding up the process for: the way through a thread is a small part of it. */
const WORTH_BLOCKING = 2;
/** Milliseconds after the flush of one conversation in which that of another one means that several are busy. */
const TOGETHER = 5;
/** Milliseconds of blocking flushes after which the rest of the process gets a turn. */
const TURN = 4;

/**
 * Decides for all journals of the process together whether a flush may hold it up. That saves the way through a thread, a
 * quarter of the time on a fast device, when one conversation appends one commit after the other; it would cost more when
 * several do, whose flushes the device does at once, or when a flush takes long. Decision 11.
 */
export class FlushPace {
  readonly #running = new Set<object>();
  #last: object | undefined;
  #lastAt = -Infinity;
  /** Of the last flush, or less if those before it were much faster; infinite until there was one. */
  #cost = Infinity;
  #blocked = 0;

  /** A journal begins to write what is handed to it. */
  begin(journal: object): void {
    this.#running.add(journal);
  }

  /** It has written everything. */
  end(journal: object): void {
    this.#running.delete(journal);
  }

  /** Whether the next flush of this journal may hold up the process. */
  mayBlock(journal: object, now: number): boolean {
    if (this.#cost > WORTH_BLOCKING || this.#running.size > 1) return false;
    return this.#last === journal || now - this.#lastAt > TOGETHER;
  }

  /** A flush has taken from `start` to `end`. Resolves whether the rest of the process has waited long enough. */
  flushed(journal: object, start: number, end: number, blocking: boolean): boolean {
    const cost = end - start;
    // One slow flush is enough to get out of the way; it takes several fast ones to come back.
    this.#cost = this.#cost === Infinity || cost > this.#cost ? cost : this.#cost * 0.75 + cost * 0.25;
    this.#last = journal;
    this.#lastAt = end;
    this.#blocked = blocking ? this.#blocked + cost : 0;
    if (this.#blocked < TURN) return false;
    this.#blocked = 0;
    return true;
  }
}

/** The pace of this process. */
export const flushPace: FlushPace = new FlushPace();
