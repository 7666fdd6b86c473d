import type { CommitSeq, EventIndex } from './log-position.ts';

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
