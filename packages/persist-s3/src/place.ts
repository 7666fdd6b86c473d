import { toCommitSeq, toEventIndex, type JournalEnd } from '@conv/core/store';

/** How far a log goes: its last slot, and the numbers that the next commit and the next event have. */
export interface Place {
  readonly slot: number;
  readonly seq: number;
  readonly event: number;
}

/** Before the first slot: their numbers begin with 1. */
export const start: Place = { slot: 0, seq: 0, event: 0 };

/** A place as readers report it. */
export function toEnd({ seq, event }: Place): JournalEnd {
  return { seq: toCommitSeq(seq), event: toEventIndex(event) };
}
