declare const commitSeq: unique symbol;
declare const eventIndex: unique symbol;

/** The number of a commit in its conversation: 0, 1, 2 … without gaps. */
export type CommitSeq = number & { readonly [commitSeq]: true };

/** The number of an event in its conversation: 0, 1, 2 … over all commits; the number in the event's file name and on the session socket. */
export type EventIndex = number & { readonly [eventIndex]: true };

/** `value` as a commit number. */
export function toCommitSeq(value: number): CommitSeq {
  return value as CommitSeq;
}

/** `value` as an event number. */
export function toEventIndex(value: number): EventIndex {
  return value as EventIndex;
}

/** A span of the stored log that could not be read. Everything outside of it reads back equal. */
export interface Damage {
  /** The first and the last commit that are missing. */
  readonly from: CommitSeq;
  readonly to: CommitSeq;
  /** A description for people: the place and the error. */
  readonly reason: string;
  /** Numbers of the events of the span that were restored from another copy; empty if no event was restored. */
  readonly restored: readonly EventIndex[];
}
