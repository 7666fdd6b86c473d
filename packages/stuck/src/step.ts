/** The position of an event of a step. */
export interface EventPlace {
  readonly id: string;
  /** Grows along the branch. */
  readonly place: number;
}

/** A tool call with its result. */
export interface CallStep {
  readonly kind: 'call';
  /** Equal for two steps with the same call and the same result. */
  readonly key: string;
  /** Equal for the same call: tool and arguments. */
  readonly call: string;
  /** Equal for the same result, apart from volatile parts such as process ids and times. */
  readonly result: string;
  /** Equal for results that are the same to the letter. */
  readonly exact: string;
  /** `failed`: an error, of the tool or around it. `rejected`: a user or a hook did not let it run. */
  readonly outcome: 'done' | 'failed' | 'rejected';
  readonly tool: string;
  /** The number of times in a row that the call may come to the same result before it counts. 0 for most. */
  readonly allowance: number;
  readonly events: readonly EventPlace[];
}

/** Words of the agent without a tool call. */
export interface MessageStep {
  readonly kind: 'message';
  readonly key: 'message';
  readonly events: readonly EventPlace[];
}

/** Events were removed from the view, because there were too many. */
export interface CondensationStep {
  readonly kind: 'condensation';
  readonly key: 'condensation';
  readonly events: readonly EventPlace[];
}

/**
 * A step of a conversation, as patterns see it. A step holds no content, so that a pattern may keep the last few. The calls of
 * one response of the model are steps in the order of the calls, whatever the order in which they ended.
 */
export type Step = CallStep | MessageStep | CondensationStep;
