/** Number of looks after which an announced event is given up. */
const LOOKS = 40;

/**
 * Events that the events socket announced and REST did not have yet. A server announces some events before it stores them, and some
 * that it never stores: each is looked for a limited number of times.
 */
export class AnnouncedEvents {
  readonly #isKnown: (id: string) => boolean;
  /** The number of looks that did not find the event, by its id. */
  readonly #looks = new Map<string, number>();

  constructor(isKnown: (id: string) => boolean) {
    this.#isKnown = isKnown;
  }

  /** The ids of the events that are still missing. */
  get ids(): readonly string[] {
    return [...this.#looks.keys()];
  }

  /** Looks for this event from now on. Returns false if it is known already. */
  add(id: string): boolean {
    if (this.#isKnown(id)) return false;
    this.#looks.set(id, 0);
    return true;
  }

  has(id: string): boolean {
    return this.#looks.has(id);
  }

  /** Counts a complete look at the server: known events are found, and some are given up. */
  looked(): void {
    for (const [id, looks] of this.#looks) {
      if (this.#isKnown(id) || looks >= LOOKS) this.#looks.delete(id);
      else this.#looks.set(id, looks + 1);
    }
  }
}
