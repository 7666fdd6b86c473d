import { type pastViews, views } from '@conv/core';
import { isEvent, type Event } from '@conv/core/events';

import { settledPart, type Measure, type SettledChunk } from './settled-chunk.ts';

/** The maximum number of spans that are kept apart; older ones are joined. */
const MOST_SPANS = 512;

/** Sizes of a view, in events. */
export interface ViewSizes {
  /** The number of events at which the older ones are settled. */
  readonly settledAt: number;
  /** The number of events that are not settled then, at least. */
  readonly kept: number;
}

/** A view in numbers; with its events it can be continued. */
export interface NumberedMarks {
  /** The numbers of the events that are not settled; a summary has the number of its condensation. */
  readonly numbers: Uint32Array;
  readonly loops: readonly (readonly [position: number, loop: number])[];
  readonly fold: Pick<views.ViewFold['marks'], 'requested' | 'loop' | 'lastLoop'>;
  readonly hidden: readonly pastViews.HiddenEvents[];
  readonly settled: SettledChunk | undefined;
}

/**
 * A view of a branch that knows the numbers of its events, and which events condensations removed. Of a long view only the system
 * prompt and the newest events are in memory; the others are settled.
 */
export class NumberedView {
  #fold = new views.ViewFold();
  /** The numbers of the events in memory, by id; a summary has the number of its condensation. */
  #numbers = new Map<string, number>();
  #hidden: readonly pastViews.HiddenEvents[] = [];
  #settled: SettledChunk | undefined;
  /** The number of events at which settling is tried again. */
  #settlesAt = 0;

  /** Returns the view with these marks; `events` are the events of its numbers. */
  static restore(marks: NumberedMarks, events: readonly Event[]): NumberedView {
    const view = new NumberedView();
    view.#fold = views.ViewFold.restore(events, { ...marks.fold, events: [], loops: marks.loops });
    view.#numbers = new Map(events.map(({ id }, place) => [id, marks.numbers[place] ?? 0]));
    view.#hidden = marks.hidden;
    view.#settled = marks.settled;
    return view;
  }

  get marks(): NumberedMarks {
    const { events, loops, ...fold } = this.#fold.marks;
    const numbers = Uint32Array.from(events, (id) => this.#numbers.get(id) ?? 0);
    return { numbers, loops, fold, hidden: this.#hidden, settled: this.#settled };
  }

  /** The events that are not settled. */
  get view(): views.View {
    return this.#fold.view;
  }

  /** The number of events that are not settled. */
  get size(): number {
    return this.#fold.size;
  }

  get hidden(): readonly pastViews.HiddenEvents[] {
    return this.#hidden;
  }

  /** The newest of the settled chunks. They stand behind the system prompt, if the view begins with it, and before all other events. */
  get settled(): SettledChunk | undefined {
    return this.#settled;
  }

  /** Returns the number of an event in memory. */
  numberOf(id: string): number | undefined {
    return this.#numbers.get(id);
  }

  /** Returns a view that goes on by itself. */
  copy(): NumberedView {
    return NumberedView.restore(this.marks, this.view.events);
  }

  /** True if the next event changes what is settled: {@link whole} makes the view that it can be added to. */
  changesSettled(event: Event): boolean {
    if (!this.#settled) return false;
    // a prompt that comes late moves to the start of the view
    return isEvent(event, 'Condensation') || (isEvent(event, 'SystemPromptEvent') && this.lead === 0);
  }

  /** Adds the next event of the branch. */
  apply(event: Event, number: number): void {
    if (isEvent(event, 'Condensation')) return this.#condense(event, number);
    const { size } = this.#fold;
    this.#fold.apply(event);
    if (this.#fold.size > size) this.#numbers.set(event.id, number);
  }

  /** Settles the older events if the view is long and they can be told apart from the newer ones. */
  settle({ settledAt, kept }: ViewSizes, measure: Measure): void {
    if (this.size < Math.max(settledAt, this.#settlesAt)) return;
    const { marks } = this;
    const { events } = this.view;
    const lead = this.lead;
    const end = settledPart(events, { from: lead, kept });
    // an attempt takes time with the size of the view, so the next one waits until it has doubled
    this.#settlesAt = end === undefined ? 2 * this.size : 0;
    if (end === undefined) return;
    const earlier = this.#settled;
    const { messages, tokens } = measure(events.slice(lead, end));
    this.#settled = {
      earlier,
      numbers: marks.numbers.slice(lead, end),
      loops: marks.loops.flatMap(([at, loop]) => (at >= lead && at < end ? [[at - lead, loop] as const] : [])),
      first: earlier ? earlier.first + earlier.messages : 0,
      messages,
      tokens: (earlier?.tokens ?? 0) + tokens,
    };
    const left = [...events.slice(0, lead), ...events.slice(end)];
    const loops = marks.loops.flatMap(([at, loop]) =>
      at < lead ? [[at, loop] as const] : at >= end ? [[at - end + lead, loop] as const] : [],
    );
    this.#fold = views.ViewFold.restore(left, { ...marks.fold, events: [], loops });
    this.#numbers = new Map(left.map(({ id }) => [id, this.#numbers.get(id) ?? 0]));
  }

  /** The number of events in memory that stand before the settled ones. */
  get lead(): number {
    const [first] = this.#fold.view.events;
    return first && isEvent(first, 'SystemPromptEvent') ? 1 : 0;
  }

  #condense(event: Event, number: number): void {
    const before = this.#fold.view.events;
    this.#fold.apply(event);
    const left = new Set(this.#fold.view.events.map(({ id }) => id));
    const summary = `${event.id}${views.SUMMARY}`;
    if (left.has(summary)) this.#numbers.set(summary, number);
    const told = before.filter(({ id }) => !id.endsWith(views.SUMMARY));
    const spans = spansOf(
      told,
      (id) => !left.has(id),
      (id) => this.#numbers.get(id) ?? 0,
    );
    for (const { id } of before) if (!left.has(id)) this.#numbers.delete(id);
    this.#hidden = bounded([...this.#hidden, ...spans.map((span) => ({ ...span, by: number }))]);
  }
}

/** Returns the runs of neighbours among `events` that are hidden. */
function spansOf(
  events: readonly Event[],
  isHidden: (id: string) => boolean,
  numberOf: (id: string) => number,
): readonly Omit<pastViews.HiddenEvents, 'by'>[] {
  const spans: { from: number; to: number; count: number }[] = [];
  let open: { from: number; to: number; count: number } | undefined;
  for (const { id } of events) {
    if (!isHidden(id)) {
      open = undefined;
      continue;
    }
    const number = numberOf(id);
    if (!open) spans.push((open = { from: number, to: number, count: 0 }));
    open.to = number + 1;
    open.count++;
  }
  return spans;
}

/** Returns the spans in the order of the log; the oldest are joined when there are too many. */
function bounded(spans: readonly pastViews.HiddenEvents[]): readonly pastViews.HiddenEvents[] {
  const inOrder = spans.toSorted((one, other) => one.from - other.from);
  const excess = inOrder.length - MOST_SPANS;
  if (excess <= 0) return inOrder;
  const joined = inOrder.slice(0, excess + 1).reduce((one, other) => ({
    from: one.from,
    to: Math.max(one.to, other.to),
    count: one.count + other.count,
    by: Math.max(one.by, other.by),
  }));
  return [joined, ...inOrder.slice(excess + 1)];
}
