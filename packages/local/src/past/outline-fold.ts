import { type EventMask, pastViews, type Projection, projections } from '@conv/core';
import type { Commit } from '@conv/core/store';

import { BucketList } from './bucket-list.ts';
import { labelOf, shortLine } from './mark-label.ts';
import { marksOf, type FoundMark } from './marks-of.ts';

/** Maximum number of remembered marks on older events, for callers that have read these events already. */
const MOST_LATE = 256;

/** The outline of a log, folded commit by commit: bounded lists of marks and of the cost. */
export class OutlineFold {
  readonly #mask: EventMask;
  readonly #marks = new Map(
    pastViews.OUTLINE_KINDS.map((kind) => [kind, new BucketList<pastViews.OutlineMark>(joinMarks)] as const),
  );
  readonly #cost = new BucketList<pastViews.OutlineCost>((_, newer) => newer);
  /** Marks on older events, with the number of events that the log had when they were made. */
  readonly #late: { readonly events: number; readonly event: number }[] = [];

  constructor(mask: EventMask) {
    this.#mask = mask;
  }

  /** Adds the marks and the cost of a commit; call it for each commit, in order. */
  add(before: Projection, commit: Commit, after: Projection): void {
    for (const mark of marksOf(before, commit, after)) this.#mark(mark, commit, after);
    if (after.fields.stats === before.fields.stats) return;
    const total = projections.totalMetrics(after.fields.stats).totalCost;
    if (total === projections.totalMetrics(before.fields.stats).totalCost) return;
    const event = commit.firstEvent + Math.max(0, commit.events.length - 1);
    this.#cost.add(event, { event, total });
  }

  /** Returns the outline of the first `events` events of a log. */
  read({ after, buckets }: Required<Omit<pastViews.OutlineOptions, 'within'>>, events: number): pastViews.Outline {
    const lists = [...this.#marks.values(), this.#cost];
    // the newest mark may stand on an event that did not exist when the caller read the log
    const seen = Math.max(0, Math.min(after, events) - 1);
    const start = this.#late.reduce(
      (first, late) => (late.events >= after ? Math.min(first, late.event) : first),
      seen,
    );
    const { from, widths } = spacing(lists, start, buckets);
    const last = events - 1;
    const marks = [...this.#marks.values()]
      .flatMap((list, index) => list.from(from, widths[index] ?? 1))
      .filter(() => events > 0)
      .map((mark) => ({ ...mark, event: Math.min(mark.event, last), last: Math.min(mark.last, last) }))
      .toSorted((one, other) => one.event - other.event);
    const cost = this.#cost
      .from(from, widths.at(-1) ?? 1)
      .filter(() => events > 0)
      .map((point) => ({ ...point, event: Math.min(point.event, last) }));
    return { from, events, marks, cost };
  }

  #mark({ kind, event, about }: FoundMark, { firstEvent }: Commit, { lastTimestamp }: Projection): void {
    const label = typeof about === 'string' ? shortLine(this.#mask.text(about)) : labelOf(this.#mask.event(about));
    const timestamp = typeof about === 'string' ? lastTimestamp : about.timestamp;
    this.#marks.get(kind)?.add(event, { kind, event, last: event, count: 1, label, timestamp });
    if (event >= firstEvent) return;
    this.#late.push({ events: firstEvent, event });
    if (this.#late.length > MOST_LATE) this.#late.shift();
  }
}

function joinMarks(older: pastViews.OutlineMark, newer: pastViews.OutlineMark): pastViews.OutlineMark {
  const [first, second] = older.event <= newer.event ? [older, newer] : [newer, older];
  return { ...first, last: Math.max(first.last, second.last), count: first.count + second.count };
}

/**
 * Returns the widths at which no list has more than `buckets` values from the beginning of a bucket on that holds `start`. That
 * beginning is one in all lists, because the widths are powers of two.
 */
function spacing(
  lists: readonly Pick<BucketList<unknown>, 'width' | 'from'>[],
  start: number,
  buckets: number,
): { readonly from: number; readonly widths: readonly number[] } {
  const widths = lists.map(({ width }) => width);
  for (;;) {
    const widest = Math.max(...widths);
    const from = Math.floor(start / widest) * widest;
    const over = lists.findIndex((list, index) => list.from(from, widths[index] ?? 1).length > buckets);
    if (over === -1) return { from, widths };
    widths[over] = (widths[over] ?? 1) * 2;
  }
}
