import { type pastViews, views } from '@conv/core';
import { isEvent, type Event } from '@conv/core/events';

/** The maximum number of spans that are kept apart; older ones are joined. */
const MOST_SPANS = 512;

/** A view of a branch that knows the numbers of its events, and which events condensations removed. */
export class NumberedView {
  readonly #fold: views.ViewFold;
  /** The numbers of the events in the view; a summary has the number of its condensation. */
  readonly #numbers: Map<string, number>;
  #hidden: readonly pastViews.HiddenEvents[];

  constructor(copied?: NumberedView) {
    this.#fold = copied ? views.ViewFold.restore(copied.view.events, copied.#fold.marks) : new views.ViewFold();
    this.#numbers = new Map(copied ? copied.#numbers : []);
    this.#hidden = copied ? copied.hidden : [];
  }

  get view(): views.View {
    return this.#fold.view;
  }

  get size(): number {
    return this.#fold.size;
  }

  get hidden(): readonly pastViews.HiddenEvents[] {
    return this.#hidden;
  }

  /** Returns the number of an event of the view. */
  numberOf(id: string): number | undefined {
    return this.#numbers.get(id);
  }

  /** Adds the next event of the branch. */
  apply(event: Event, number: number): void {
    if (isEvent(event, 'Condensation')) return this.#condense(event, number);
    const { size } = this.#fold;
    this.#fold.apply(event);
    if (this.#fold.size > size) this.#numbers.set(event.id, number);
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
