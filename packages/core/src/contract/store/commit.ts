import type { CommitSeq, EventIndex } from '../state/log-position.ts';
import type { Event } from '../../events/index.ts';
import type { JsonObject } from '../../platform/json.ts';
import type { StatePatch } from '../state/patch.ts';

/** Cost, tokens and latency of one model call. It is kept in its commit, counted into the totals of `stats`, and not read back each time. */
export interface CallRecord {
  readonly kind: 'model_call';
  /** The use of a model that is counted: `agent`, `condenser`, … */
  readonly usageId: string;
  readonly model: string;
  /** In US dollars; 0 when the price is not known. */
  readonly cost: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly reasoningTokens: number;
  /** The model's context window in tokens; 0 when not known. */
  readonly contextWindow: number;
  /** Seconds from request to the complete answer. */
  readonly latency: number;
  readonly responseId: string;
  /** Epoch seconds at the end of the call. */
  readonly timestamp: number;
}

/** A commit before it is stored: what a caller hands to {@link Journal.append}. */
export interface NewCommit {
  /** The id that the caller chose, unique in the conversation. It settles whether a commit whose answer was lost was stored. */
  readonly id: string;
  readonly events: readonly Event[];
  /** Changes of the state that do not follow from the events. */
  readonly patch?: StatePatch;
  readonly records?: readonly CallRecord[];
}

/** The unit of writing: durable as a whole or not there at all. Commit 0 carries the full initial state as its patch. */
export interface Commit extends NewCommit {
  readonly seq: CommitSeq;
  /** The epoch of the owner that wrote it. */
  readonly epoch: number;
  /** The number of its first event; without events, the number of the next event. */
  readonly firstEvent: EventIndex;
}

/** A cached fold of the commits before `seq`. Never the only copy of anything. */
export interface Snapshot {
  /** The first commit that the snapshot does not contain. */
  readonly seq: CommitSeq;
  /** The version of the projections that made it; a reader with another version ignores it. */
  readonly version: number;
  readonly data: JsonObject;
}
