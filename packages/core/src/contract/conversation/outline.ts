/**
 * The kinds of marks. `message`: a user's words. `answer`: the agent's words. `finish`: the finish tool went through. `approval`: calls
 * began to wait for a person. `rejection`: a call was rejected. `error`: a failed call, run or conversation. `pause`: a pause or an
 * interruption. `fork`: the log continues as a fork. `branch`: HEAD moved to another branch. `model`: another model. `policy`: another
 * confirmation policy. `condensation`: the view was shortened. `subagent`: a task for a sub-agent. `damage`: commits are lost.
 */
export const OUTLINE_KINDS = [
  'message',
  'answer',
  'finish',
  'approval',
  'rejection',
  'error',
  'pause',
  'fork',
  'branch',
  'model',
  'policy',
  'condensation',
  'subagent',
  'damage',
] as const;

/** The kind of a mark. A newer server may send others. */
export type OutlineKind = (typeof OUTLINE_KINDS)[number];

/** A mark on the log, or neighbouring marks of a kind where they are dense. */
export interface OutlineMark {
  readonly kind: OutlineKind;
  /** The number of the event; of several marks, the first one's. A change without an event has the number of the next event. */
  readonly event: number;
  /** The number of the last mark's event; `event` for a single mark. */
  readonly last: number;
  /** The number of marks. */
  readonly count: number;
  /** Words for people, at most 80 characters, secrets masked; of several marks, the first one's. May be empty. */
  readonly label: string;
  /** The time of the event, or of the event before a change without an event; `''` without any. */
  readonly timestamp: string;
}

/** The money that was spent up to an event. */
export interface OutlineCost {
  readonly event: number;
  /** US dollars. */
  readonly total: number;
}

/** A log at a glance: where something happened that a person looks for. */
export interface Outline {
  /** The first event that is covered: at most {@link OutlineOptions.after}. Marks and points from here on replace the ones of an earlier outline. */
  readonly from: number;
  /** The number of events that are covered: those of the log, or fewer where {@link OutlineOptions.within} ended the reading. */
  readonly events: number;
  /** In the order of their events. */
  readonly marks: readonly OutlineMark[];
  /** In the order of their events; the totals grow, unless a fork reset them. */
  readonly cost: readonly OutlineCost[];
}

/** Options of {@link ConversationHistory.outline}. */
export interface OutlineOptions {
  /** The `events` of an earlier outline: only what is new. Default 0: all. */
  readonly after?: number;
  /** The maximum number of marks of each kind and of points of the cost, from 16 to 1024. Default 256. */
  readonly buckets?: number;
  /**
   * Milliseconds after which no more of the log is read. The outline then covers a part from its beginning, which grows with each call
   * until all is read. Default: no limit.
   */
  readonly within?: number;
}
