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
