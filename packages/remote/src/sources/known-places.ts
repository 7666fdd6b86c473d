/** An event whose number is known. */
export interface Place {
  readonly index: number;
  readonly id: string;
}

/** Distance between events that are remembered by their number. */
const EVERY = 100;

/** Number of other places that are remembered. */
const NOTED = 64;

/**
 * Known numbers of events, by which others are found, because a server's pages begin at an id, not at a number. Keeps one id in a
 * hundred and the newest, so 60,000 events cost a few hundred ids.
 */
export class KnownPlaces {
  readonly #ids = new Map<number, string>();
  #last: Place | undefined;
  #noted: readonly Place[] = [];

  /** The newest known event. */
  get last(): Place | undefined {
    return this.#last;
  }

  /** Remembers consecutive events; the first has the number `from`. */
  add(from: number, ids: readonly string[]): void {
    ids.forEach((id, offset) => {
      const index = from + offset;
      if (index % EVERY === 0) this.#ids.set(index, id);
      if (!this.#last || index > this.#last.index) this.#last = { index, id };
    });
  }

  /** Remembers a single event, also between the regular places. */
  note({ index, id }: Place): void {
    this.#noted = [...this.#noted.filter((place) => place.index !== index), { index, id }].slice(-NOTED);
    this.add(index, [id]);
  }

  /** Returns the nearest known place at or before `index`. */
  before(index: number): Place | undefined {
    if (this.#last && this.#last.index <= index) return this.#last;
    const noted = nearest(this.#noted, (place) => index - place.index);
    for (let at = index - (index % EVERY); at >= 0; at -= EVERY) {
      const id = this.#ids.get(at);
      if (noted && noted.index > at) return noted;
      if (id !== undefined) return { index: at, id };
    }
    return noted;
  }

  /** Returns the nearest known place at or after `index`. */
  after(index: number): Place | undefined {
    const last = this.#last;
    if (!last || last.index < index) return undefined;
    const noted = nearest(this.#noted, (place) => place.index - index);
    for (let at = Math.ceil(index / EVERY) * EVERY; at < last.index; at += EVERY) {
      const id = this.#ids.get(at);
      if (noted && noted.index < at) return noted;
      if (id !== undefined) return { index: at, id };
    }
    return noted ?? last;
  }

  /** Returns the number of an event if it is a known place. */
  indexOf(id: string): number | undefined {
    if (this.#last?.id === id) return this.#last.index;
    for (const [index, known] of this.#ids) if (known === id) return index;
    return undefined;
  }
}

/** Returns the place with the smallest distance that is not negative. */
function nearest(places: readonly Place[], distance: (place: Place) => number): Place | undefined {
  let found: Place | undefined;
  for (const place of places) if (distance(place) >= 0 && (!found || distance(place) < distance(found))) found = place;
  return found;
}
