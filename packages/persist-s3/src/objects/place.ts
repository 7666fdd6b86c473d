import { toCommitSeq, toEventIndex, type JournalEnd } from '@conv/core/store';

/** Place in a log: its last slot, and the numbers of the next commit and the next event. */
export interface Place {
  readonly slot: number;
  readonly seq: number;
  readonly event: number;
}

/** Place before the first slot; slots are numbered from 1. */
export const start: Place = { slot: 0, seq: 0, event: 0 };

/** Converts a place to the form that readers report. */
export function toEnd({ seq, event }: Place): JournalEnd {
  return { seq: toCommitSeq(seq), event: toEventIndex(event) };
}
