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
  /** Commits before this one were passed over without being read, because they are before the span of events. */
  #passed = 0;
  /** A commit of the range has been seen. */
  #began = false;
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

  /** A stretch that {@link Cursor.touches} nothing is not read. */
  passes({ toSeq, toEvent }: Stretch): void {
    if (this.#byEvent && toEvent <= this.#fromEvent) this.#passed = Math.max(this.#passed, toSeq);
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
      this.#missing(Math.min(seq, this.#toSeq), firstEvent);
      this.done = true;
      return false;
    }
    if (this.#expected !== undefined && seq < this.#expected) return false;
    if (firstEvent + events.length > this.#fromEvent) {
      this.#missing(seq, firstEvent);
      this.#expected = seq + 1;
      this.#began = true;
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
    // Nothing of a span of events is missing before its first one, whatever was passed over on the way there.
    if (this.#byEvent && !this.#began && firstEvent <= this.#fromEvent) return;
    if (this.#expected === undefined) return;
    const expected = this.#began ? this.#expected : Math.max(this.#expected, this.#passed);
    if (expected >= before) return;
    const [from, to] = [toCommitSeq(expected), toCommitSeq(before - 1)];
    this.#onMissing({ from, to, reason: `${this.#where}: commits ${from} to ${to} are missing or damaged` });
  }
}
