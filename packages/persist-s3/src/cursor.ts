import type { Commit, CommitRange, Damage } from '@conv/core/store';
import { toCommitSeq } from '@conv/core/store';
import type { Place } from './place.ts';

/** A stretch of a log, by the numbers of the commits before and behind it. */
export interface Stretch {
  readonly seq: number;
  readonly event: number;
  readonly toSeq: number;
  readonly toEvent: number;
}

/** Goes once through a range of commits: says what belongs to it, and notices what is missing. */
export class Cursor {
  readonly #byEvent: boolean;
  readonly #fromEvent: number;
  readonly #toSeq: number;
  readonly #toEvent: number;
  readonly #onMissing: (damage: Damage) => void;
  readonly #where: string;
  /** The number that the next commit should have; `undefined` until the first one of a span of events. */
  #expected: number | undefined;
  /** Of a span of events: the first one that was not seen yet. */
  #nextEvent = 0;
  /** Commits before this one and from the other one on were passed over unread: they hold nothing of the span of events. */
  readonly #passed = { before: 0, from: Infinity };
  /** All of the range has been seen. */
  done: boolean;

  /** `where`: for messages, what is read. */
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

  /** Whether commits of a stretch may belong to what is left of the range. */
  touches({ seq, event, toSeq, toEvent }: Stretch): boolean {
    if (this.done || seq >= this.#toSeq || event >= this.#toEvent) return false;
    return toSeq > (this.#expected ?? 0) && toEvent > this.#fromEvent;
  }

  /** A stretch that the cursor does not touch is not read. */
  passes({ seq, event, toSeq, toEvent }: Stretch): void {
    if (toEvent <= this.#fromEvent) this.#passed.before = Math.max(this.#passed.before, toSeq);
    else if (event >= this.#toEvent) this.#passed.from = Math.min(this.#passed.from, seq);
  }

  /** Which part of a stretch belongs to what is left of the range, from 0 to 1. */
  shareOf({ seq, event, toSeq, toEvent }: Stretch): number {
    const [from, to, low, high] = this.#byEvent
      ? [event, toEvent, this.#fromEvent, this.#toEvent]
      : [seq, toSeq, this.#expected ?? 0, this.#toSeq];
    return (Math.min(to, high) - Math.max(from, low)) / (to - from);
  }

  /** Whether the next commit of the log belongs to the range. */
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

  /** The log has been read to its end. */
  finish(): void {
    if (!this.done && !this.#byEvent) this.#missing(this.#toSeq, Infinity);
  }

  /** What should have come before a commit with this number and first event did not. */
  #missing(before: number, firstEvent: number): void {
    // Of a span of events nothing is missing while its events follow each other, whatever was passed over.
    if (this.#expected === undefined || (this.#byEvent && firstEvent <= this.#nextEvent)) return;
    const first = Math.max(this.#expected, this.#passed.before);
    const end = Math.min(before, this.#passed.from);
    if (first >= end) return;
    const [from, to] = [toCommitSeq(first), toCommitSeq(end - 1)];
    const reason = `missing or damaged in the log of ${this.#where}`;
    this.#onMissing({ from, to, reason, restored: [] });
  }
}
