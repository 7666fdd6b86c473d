import type { CommitSeq, EventIndex } from './log-position.ts';

/** A span of the stored log that could not be read. Everything outside of it reads back equal. */
export interface Damage {
  /** The first and the last commit that are missing. */
  readonly from: CommitSeq;
  readonly to: CommitSeq;
  /** For people: where it is and what is wrong. */
  readonly reason: string;
  /** Numbers of the events of the span that were restored from another copy; empty when none was. */
  readonly restored: readonly EventIndex[];
}
