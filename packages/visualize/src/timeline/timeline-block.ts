import type { Event, SecurityRisk } from '@conv/core/events';
import type { CallContent } from './call-content.ts';
import type { ResultContent } from './result-content.ts';

/** An event with its number in the log. */
export interface NumberedEvent {
  readonly index: number;
  readonly event: Event;
}

interface BlockBase {
  /** The id of the first event, the same in each reading. */
  readonly id: string;
  /** The number of the first event. */
  readonly index: number;
  /** The events that the block shows, in the order of the log. */
  readonly events: readonly NumberedEvent[];
  /** Naive local time, as the event has it. */
  readonly timestamp: string;
}

/** A message of a person, the agent or the environment. */
export interface MessageBlock extends BlockBase {
  readonly kind: 'message';
  readonly from: string;
  /** The name of the sender, such as that of an agent. */
  readonly sender?: string;
  readonly text: string;
  readonly images: readonly string[];
  /** The reasoning of the model, where it tells it. */
  readonly reasoning: string;
}

/** A call and its result. */
export interface CallBlock extends BlockBase {
  readonly kind: 'call';
  readonly toolName: string;
  /** The name of the call on one line; empty when the name of the tool says it. */
  readonly title: string;
  /** Why the agent calls, in the words of the model. */
  readonly thought: string;
  readonly reasoning: string;
  readonly summary: string;
  readonly risk: SecurityRisk;
  /** `undefined`: the call is not among the events that were given. */
  readonly content?: CallContent;
  /** `undefined`: it has no result, or its result is not among the events that were given. */
  readonly result?: ResultContent;
  /** Milliseconds from the call to its result. */
  readonly took?: number;
}

/** A failure of the conversation. */
export interface ErrorBlock extends BlockBase {
  readonly kind: 'error';
  readonly code: string;
  readonly detail: string;
  /** True if trying again may help. */
  readonly retryable: boolean;
}

/** Events that the model no longer sees, and the summary in their place. */
export interface CondensationBlock extends BlockBase {
  readonly kind: 'condensation';
  /** The number of events. */
  readonly hidden: number;
  readonly summary: string;
}

/** The run of a hook. */
export interface HookBlock extends BlockBase {
  readonly kind: 'hook';
  readonly hook: string;
  readonly command: string;
  readonly outcome: 'ok' | 'blocked' | 'failed';
  readonly text: string;
}

/** Any other event, on one line. */
export interface NoticeBlock extends BlockBase {
  readonly kind: 'notice';
  readonly title: string;
  readonly text: string;
}

/** A part of a conversation that is shown as a unit. */
export type TimelineBlock = MessageBlock | CallBlock | ErrorBlock | CondensationBlock | HookBlock | NoticeBlock;
