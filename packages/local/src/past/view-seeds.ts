import type { NumberedMarks, NumberedView } from './numbered-view.ts';

/** A view in numbers, and the event that its branch ends with. */
export interface ViewSeed {
  readonly leaf: string;
  readonly index: number;
  readonly marks: NumberedMarks;
}

/** The maximum number of views. Above it, every second one is dropped, and the distance between them doubles. */
const MOST = 256;

/** Views along a log in numbers, at about equal distances, from which a fold to any point is short. */
export class ViewSeeds {
  /** In the order of the log. */
  #seeds: readonly ViewSeed[] = [];
  /** The number of events between two of them. */
  #distance = 512;

  /** Keeps a view, unless another one is near it. */
  offer(leaf: string, index: number, view: NumberedView): void {
    const place = this.#seeds.findLastIndex((seed) => seed.index <= index);
    const [before, after] = [this.#seeds[place], this.#seeds[place + 1]];
    if (index - (before?.index ?? -1) < this.#distance) return;
    if (after && after.index - index < this.#distance) return;
    this.#seeds = this.#seeds.toSpliced(place + 1, 0, { leaf, index, marks: view.marks });
    if (this.#seeds.length <= MOST) return;
    this.#distance *= 2;
    this.#seeds = this.#seeds.filter((_, at) => at % 2 === 0);
  }

  /** Returns the nearest view before an event. */
  before(index: number): ViewSeed | undefined {
    return this.#seeds.findLast((seed) => seed.index <= index);
  }
}
