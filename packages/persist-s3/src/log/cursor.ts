import { type Commit, type CommitRange, type Damage, toCommitSeq } from '@conv/core/store';
import type { Place } from '../objects/place.ts';

/** Part of a log, given by the numbers of its first commit and event and of those after its last. */
export interface Stretch {
  readonly seq: number;
  readonly event: number;
  readonly toSeq: number;
  readonly toEvent: number;
}

/** Goes once through a range of commits: picks the commits that belong to it, and reports missing commits. */
export class Cursor {
  readonly #byEvent: boolean;
  readonly #fromEvent: number;
  readonly #toSeq: number;
  readonly #toEvent: number;
  readonly #onMissing: (damage: Damage) => void;
  readonly #where: string;
  /** Number that the next commit should have. `undefined` for a range of events until its first commit came. */
  #expected: number | undefined;
  /** In a range of events: the next event that has not come yet. */
  #nextEvent = 0;
  /** Commits below `before` and from `from` on were skipped unread, because they hold no event of the range. */
  readonly #passed = { before: 0, from: Infinity };
  /** True if the whole range has been read. */
  done: boolean;

  /** `where` names the conversation in the reason of each damage. */
  constructor(range: CommitRange, end: Place, where: string, onMissing: (damage: Damage) => void) {
    this.#where = where;
    this.#onMissing = onMissing;
    this.#byEvent = 'fromEvent' in range;
    if ('fromEvent' in range) {
      this.#fromEvent = Math.max(0, range.fromEvent);
      this.#toEvent = Math.min(range.toEvent ?? Infinity, end.event);
      this.#toSeq = end.seq;
      this.#nextEvent = this.#fromEvent;
      this.done = this.#fromEvent >= this.#toEvent;
    } else {
      this.#expected = Math.max(0, range.from ?? 0);
      this.#fromEvent = -1;
      this.#toEvent = Infinity;
      this.#toSeq = Math.min(range.to ?? Infinity, end.seq);
      this.done = this.#expected >= this.#toSeq;
    }
  }

  /** True if commits of a stretch may belong to the rest of the range. */
  touches({ seq, event, toSeq, toEvent }: Stretch): boolean {
    if (this.done || seq >= this.#toSeq || event >= this.#toEvent) return false;
    return toSeq > (this.#expected ?? 0) && toEvent > this.#fromEvent;
  }

  /** Notes a stretch that the caller does not read because the cursor does not touch it. */
  passes({ seq, event, toSeq, toEvent }: Stretch): void {
    if (toEvent <= this.#fromEvent) this.#passed.before = Math.max(this.#passed.before, toSeq);
    else if (event >= this.#toEvent) this.#passed.from = Math.min(this.#passed.from, seq);
  }

  /** Returns the share of a stretch that belongs to the rest of the range, from 0 to 1. */
  shareOf({ seq, event, toSeq, toEvent }: Stretch): number {
    const [from, to, low, high] = this.#byEvent
      ? [event, toEvent, this.#fromEvent, this.#toEvent]
      : [seq, toSeq, this.#expected ?? 0, this.#toSeq];
    return (Math.min(to, high) - Math.max(from, low)) / (to - from);
  }

  /** True if the next commit of the log belongs to the range. Call it for each commit in the order of the log. */
  takes({ seq, firstEvent, events }: Commit): boolean {
    if (this.done) return false;
    if (seq >= this.#toSeq || firstEvent >= this.#toEvent) {
      this.#missing(Math.min(seq, this.#toSeq), Math.min(firstEvent, this.#toEvent));
      this.done = true;
      return false;
    }
    if (this.#expected !== undefined && seq < this.#expected) return false;
    if (firstEvent + events.length > this.#fromEvent) {
      this.#missing(seq, firstEvent);
      this.#expected = seq + 1;
      this.#nextEvent = firstEvent + events.length;
      return true;
    }
    this.#expected = seq + 1;
    return false;
  }

  /** Tells the cursor that the log has been read to its end. Missing commits at the end of the range are reported now. */
  finish(): void {
    if (!this.done && !this.#byEvent) this.#missing(this.#toSeq, Infinity);
  }

  /** Reports commits that should have come before a commit with this number and first event. */
  #missing(before: number, firstEvent: number): void {
    // A range of events misses nothing while its events follow each other, whatever commits were passed over.
    if (this.#expected === undefined || (this.#byEvent && firstEvent <= this.#nextEvent)) return;
    const first = Math.max(this.#expected, this.#passed.before);
    const end = Math.min(before, this.#passed.from);
    if (first >= end) return;
    const [from, to] = [toCommitSeq(first), toCommitSeq(end - 1)];
    const reason = `missing or damaged in the log of ${this.#where}`;
    this.#onMissing({ from, to, reason, restored: [] });
  }
}
