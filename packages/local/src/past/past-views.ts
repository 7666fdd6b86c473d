import { type EventMask, projections } from '@conv/core';
import { eventGuards, type Event } from '@conv/core/events';
import { readEvents, type Commit, type JournalReader } from '@conv/core/store';
import { estimateTokens, eventsToMessages } from '@conv/openhands/messages';

import { NumberedView, type ViewSizes } from './numbered-view.ts';
import { chunksUpTo, eventsOf, joined, type Measure } from './settled-chunk.ts';
import { ViewSeeds } from './view-seeds.ts';

/** A view, and the event that its branch ends with. */
interface Known {
  readonly leaf: string;
  readonly index: number;
  readonly view: NumberedView;
}

/** The view behind the commits that were passed, which the next commit continues. */
interface Front {
  /** The number of the next event. */
  readonly next: number;
  readonly head: string | null;
  readonly view: NumberedView;
}

/** The number of views in the cache. */
const MOST_VIEWS = 8;

// a model reads no more than 2,000 events before a condensation, so the view of a log with condensations has nothing settled
const USUAL: ViewSizes = { settledAt: 2_000, kept: 500 };

const START: Front = { next: 0, head: null, view: new NumberedView() };

/**
 * Folds the views of past points. A fold continues from the nearest view in the cache, so nearby points are cheap. A branch that does
 * not continue that view is read from its root.
 */
export class PastViews {
  readonly #reader: JournalReader;
  readonly #mask: EventMask;
  readonly #sizes: ViewSizes;
  /** The view that was used longest ago is the first. */
  #known: readonly Known[] = [];
  #seeds = new ViewSeeds();
  #front: Front | undefined;
  /** The conditions under which the cache is valid. */
  #valid = '';

  constructor(reader: JournalReader, mask: EventMask, sizes: ViewSizes = USUAL) {
    this.#reader = reader;
    this.#mask = mask;
    this.#sizes = sizes;
  }

  /** Resolves with the view of the branch that ends with `leaf`. */
  async of(leaf: string | null): Promise<NumberedView> {
    if (leaf === null) return new NumberedView();
    this.#renew();
    try {
      return await this.#find(leaf);
    } catch (error) {
      // damage is found while events are read
      if (!this.#renew()) throw error;
      return this.#find(leaf);
    }
  }

  /**
   * Folds a commit on the way through a log, so that a later look begins near its point. Commits come in their order, from the first on.
   * Where one is missing, nothing more is kept until they come from the first on again. Rejects nothing: a look tells what is wrong.
   */
  async pass({ firstEvent, events }: Pick<Commit, 'firstEvent' | 'events'>): Promise<void> {
    this.#renew();
    const front = firstEvent === 0 ? START : this.#front;
    this.#front = undefined;
    if (front?.next !== firstEvent) return;
    const passed = await this.#behind(front, events).catch(() => undefined);
    // a view of which nothing can be settled grows with the log
    if (passed && this.#isSmall(passed.view)) this.#front = passed;
  }

  async #behind(front: Front, events: readonly Event[]): Promise<Front | undefined> {
    let { next, head, view } = front === START ? { ...START, view: new NumberedView() } : front;
    for (const event of events) {
      const index = next++;
      if (!eventGuards.movesHead(event)) continue;
      const parent = projections.parentOf(event, index === 0 ? null : head);
      if (parent !== head) {
        if (parent !== null && (await this.#reader.locate(parent)) === undefined) return undefined;
        view = parent === null ? new NumberedView() : (await this.#find(parent)).copy();
      }
      view = await this.#advance(view, event, index);
      head = event.id;
    }
    return { next, head, view };
  }

  /** Drops the cache after damage was found, and when there is another value to mask. Returns true if it did. */
  #renew(): boolean {
    const valid = `${this.#mask.version} ${this.#reader.damage.length}`;
    if (valid === this.#valid) return false;
    this.#valid = valid;
    this.#known = [];
    this.#seeds = new ViewSeeds();
    this.#front = undefined;
    return true;
  }

  async #find(leaf: string): Promise<NumberedView> {
    const index = await this.#reader.locate(leaf);
    if (index === undefined) return new NumberedView();
    const known = this.#known.find((one) => one.leaf === leaf);
    const view = known?.view ?? (await this.#goOn(leaf, index)) ?? (await this.#fromRoot(leaf));
    if (this.#isSmall(view))
      this.#known = [...this.#known.filter((one) => one !== known), { leaf, index, view }].slice(-MOST_VIEWS);
    return view;
  }

  /** Folds on along the log; `undefined` when the branch does not run through all of it, or damage took an event. */
  async #goOn(leaf: string, index: number): Promise<NumberedView | undefined> {
    const start = await this.#startBefore(index);
    let view = start?.view ?? new NumberedView();
    let head = start?.leaf ?? null;
    let next = start ? start.index + 1 : 0;
    for await (const { event, index: at } of readEvents(this.#reader, next, index + 1)) {
      if (at !== next++) return undefined;
      if (!eventGuards.movesHead(event)) continue;
      if (projections.parentOf(event, at === 0 ? null : head) !== head) return undefined;
      view = await this.#advance(view, event, at);
      head = event.id;
    }
    return head === leaf ? view : undefined;
  }

  /** Resolves with the nearest view in the cache before an event; it can be folded on. */
  async #startBefore(index: number): Promise<Known | undefined> {
    const known = this.#known
      .filter((one) => one.index <= index)
      .reduce<Known | undefined>((last, one) => (last && last.index >= one.index ? last : one), undefined);
    const seed = this.#seeds.before(index);
    if (!seed || (known && known.index >= seed.index)) return known && { ...known, view: known.view.copy() };
    return { ...seed, view: NumberedView.restore(seed.marks, await eventsOf(this.#reader, seed.marks.numbers)) };
  }

  async #fromRoot(leaf: string): Promise<NumberedView> {
    let view = new NumberedView();
    const path = (await projections.pathTo(this.#reader, leaf)) ?? [];
    for await (const { event, index } of projections.eventsAt(this.#reader, path))
      view = await this.#add(view, event, index);
    return view;
  }

  /** Adds an event of the branch on the way through a log, and keeps the view in numbers here and there. */
  async #advance(before: NumberedView, event: Event, index: number): Promise<NumberedView> {
    const view = await this.#add(before, event, index);
    if (this.#isSmall(view)) this.#seeds.offer(event.id, index, view);
    return view;
  }

  async #add(before: NumberedView, event: Event, index: number): Promise<NumberedView> {
    const view = before.changesSettled(event) ? await this.#whole(before) : before;
    view.apply(event, index);
    view.settle(this.#sizes, this.#measure);
    return view;
  }

  /** Resolves with the same view, all of whose events are in memory. */
  async #whole(view: NumberedView): Promise<NumberedView> {
    const { marks, lead } = view;
    const { events } = view.view;
    const chunks = chunksUpTo(marks.settled);
    const settled = joined(chunks.map(({ numbers }) => numbers));
    let at = lead;
    const loops = chunks.flatMap((chunk) => {
      const start = at;
      at += chunk.numbers.length;
      return chunk.loops.map(([position, loop]) => [start + position, loop] as const);
    });
    const moved = marks.loops.map(
      ([position, loop]) => [position < lead ? position : position + settled.length, loop] as const,
    );
    return NumberedView.restore(
      {
        ...marks,
        numbers: joined([marks.numbers.slice(0, lead), settled, marks.numbers.slice(lead)]),
        loops: [...loops, ...moved].toSorted(([one], [other]) => one - other),
        settled: undefined,
      },
      [...events.slice(0, lead), ...(await eventsOf(this.#reader, settled)), ...events.slice(lead)],
    );
  }

  readonly #measure: Measure = (events) => {
    const masked = events.map((event) => this.#mask.event(event));
    const tokens = masked.reduce((sum, event) => sum + estimateTokens(event), 0);
    return { messages: eventsToMessages(masked).length, tokens };
  };

  /** True for a view that may be kept: not for a long view whose events could not be settled. */
  #isSmall({ size }: NumberedView): boolean {
    return size <= 2 * this.#sizes.settledAt;
  }
}
