import type { Action, ActionEvent, ContentPart, MessageEvent, SecurityRisk } from '@conv/core/events';

/** The fields of every item. */
interface ItemBase {
  /** Unique in its conversation, and the same in each reading. */
  readonly id: string;
  /** The number of the event that the item began with; its place among the items. */
  readonly index: number;
  /** Naive local time of that event, as the event has it. */
  readonly timestamp: string;
}

/** A message of the user, or of the environment to the agent. */
export interface MessageItem extends ItemBase {
  readonly kind: 'message';
  /** `user`, or `environment` for nudges and the feedback of hooks. */
  readonly from: 'user' | 'environment';
  /** The name of the sender, for people; `''` without one. */
  readonly sender: string;
  readonly content: readonly ContentPart[];
  readonly event: MessageEvent;
}

/** The words of the agent: an answer, the thought before its calls, or the message of a finish call that went through. */
export interface AnswerItem extends ItemBase {
  /** The id of its event, which pieces carry before the event exists. */
  readonly id: string;
  readonly kind: 'answer';
  readonly text: string;
  /** The reasoning that the model told; `''` if it told none. */
  readonly reasoning: string;
  /** Text and images; empty for an answer that is only reasoning. */
  readonly content: readonly ContentPart[];
}

/**
 * The progress of a call. `open`: it has not started, and no person is asked. `waiting`: it waits for a person's decision.
 * `approved`: a person lets it run. `started`: its tool runs, or a client is to answer it. `done`: it has a result.
 */
export type CallPhase = 'open' | 'waiting' | 'approved' | 'started' | 'done';

/** The result of a call. */
export interface CallResult {
  /** The number of the event of the result. */
  readonly index: number;
  /**
   * `output`: the tool answered. `failed`: the tool answered with an error, or the call failed outside of its tool. `rejected`: a
   * person rejected the call. `blocked`: a hook did.
   */
  readonly outcome: 'output' | 'failed' | 'rejected' | 'blocked';
  /** The result as the model reads it, without additions of the agent; the reason of a rejection. */
  readonly content: readonly ContentPart[];
  readonly timestamp: string;
}

/** A call of a tool, with its decision and its result. */
export interface CallItem extends ItemBase {
  readonly kind: 'call';
  /** The id of its ActionEvent, by which a person approves or rejects it. */
  readonly actionId: string;
  /** The id that the model gave to the call. */
  readonly toolCallId: string;
  readonly tool: string;
  /** The arguments as the model wrote them: JSON text, if the model made no mistake. */
  readonly input: string;
  /** The action; `undefined` if the call cannot be executed, because of an unknown tool or bad arguments. */
  readonly action?: Action;
  /** The purpose of the call, in the words of the model; `''` without any. */
  readonly summary: string;
  /** The risk that a person is asked about: the analyzer's rating if there is one, else the model's own. */
  readonly risk: SecurityRisk;
  /** The analyzer's reasons for that risk; empty unless the call waits. */
  readonly reasons: readonly string[];
  readonly phase: CallPhase;
  /** The time at which it is rejected unless a person decides before, ISO 8601; absent unless it waits, with a limit. */
  readonly expiresAt?: string;
  /** The name of the person or program that approved or rejected it; absent if none is known, as for keys without a name and for old decisions. */
  readonly decidedBy?: string;
  /** Set if the phase is `done`. */
  readonly result?: CallResult;
  readonly event: ActionEvent;
}

/** A failure of a run or of the conversation. */
export interface ErrorItem extends ItemBase {
  readonly kind: 'error';
  /** A code such as `MaxIterationsReached` or `StuckDetected`, or the name of an error class. */
  readonly code: string;
  readonly detail: string;
  /** True if trying again may help. */
  readonly retryable: boolean;
}

/** Events that the model no longer sees, and the summary in their place. */
export interface CondensationItem extends ItemBase {
  readonly kind: 'condensation';
  /** The number of events. */
  readonly hidden: number;
  /** `''` if there is none. */
  readonly summary: string;
}

/** A part of a conversation that a client shows as a unit. Frozen in time: a later change of it is another value with the same id. */
export type TurnItem = MessageItem | AnswerItem | CallItem | ErrorItem | CondensationItem;
