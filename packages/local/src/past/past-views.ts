import { projections } from '@conv/core';
import { eventGuards } from '@conv/core/events';
import { readEvents, type JournalReader } from '@conv/core/store';

import { NumberedView } from './numbered-view.ts';

/** A view, and the event that its branch ends with. */
interface Known {
  readonly leaf: string;
  readonly index: number;
  readonly view: NumberedView;
}

/** The number of views in the cache. */
const MOST_VIEWS = 8;

/** The maximum number of events of a cached view: a model reads no more before a condensation. */
const MOST_EVENTS = 2000;

/** The number of events between two views that are cached on the way to another view. */
const STEP = 4096;

/**
 * Folds the views of past points. A fold continues from the nearest cached view, so nearby points are cheap. A branch that does not
 * continue that view is read from its root.
 */
export class PastViews {
  readonly #reader: JournalReader;
  /** The view that was used longest ago is the first. */
  #known: readonly Known[] = [];

  constructor(reader: JournalReader) {
    this.#reader = reader;
  }

  /** Resolves with the view of the branch that ends with `leaf`. */
  async of(leaf: string | null): Promise<NumberedView> {
    if (leaf === null) return new NumberedView();
    const index = await this.#reader.locate(leaf);
    if (index === undefined) return new NumberedView();
    const nearest = this.#known.filter((known) => known.index <= index).toSorted((a, b) => b.index - a.index)[0];
    const view = (await this.#goOn(nearest, leaf, index)) ?? (await this.#fromRoot(leaf));
    this.#keep({ leaf, index, view });
    return view;
  }

  /** Folds on along the log; `undefined` when the branch does not run through all of it, or damage took an event. */
  async #goOn(known: Known | undefined, leaf: string, index: number): Promise<NumberedView | undefined> {
    if (known?.leaf === leaf) return known.view;
    const view = new NumberedView(known?.view);
    let head = known?.leaf ?? null;
    let next = known ? known.index + 1 : 0;
    let kept = next;
    for await (const { event, index: at } of readEvents(this.#reader, next, index + 1)) {
      if (at !== next++) return undefined;
      if (!eventGuards.movesHead(event)) continue;
      if (projections.parentOf(event, at === 0 ? null : head) !== head) return undefined;
      view.apply(event, at);
      head = event.id;
      if (at < kept + STEP) continue;
      kept = at;
      // copying a view that is too large for the cache would cost as much as reading the log so far
      if (view.size <= MOST_EVENTS) this.#keep({ leaf: head, index: at, view: new NumberedView(view) });
    }
    return head === leaf ? view : undefined;
  }

  async #fromRoot(leaf: string): Promise<NumberedView> {
    const view = new NumberedView();
    const path = (await projections.pathTo(this.#reader, leaf)) ?? [];
    for await (const { event, index } of projections.eventsAt(this.#reader, path)) view.apply(event, index);
    return view;
  }

  #keep(known: Known): void {
    if (known.view.size > MOST_EVENTS) return;
    this.#known = [...this.#known.filter(({ leaf }) => leaf !== known.leaf), known].slice(-MOST_VIEWS);
  }
}
