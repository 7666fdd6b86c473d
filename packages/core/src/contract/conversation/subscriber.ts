import type { Event } from '../../events/index.ts';
import type { StateFields } from '../state/fields.ts';
import type { EventIndex } from '../state/log-position.ts';

/** A piece of a model's answer while it arrives. */
export interface TokenDelta {
  readonly kind: 'text' | 'reasoning' | 'tool_call';
  readonly text: string;
  /** Counts the tries of one model call from 1: a consumer drops what it showed of an earlier attempt. */
  readonly attempt: number;
}

/** A piece of a model's answer, as it is given to subscribers. */
export interface AnswerDelta extends TokenDelta {
  /** The id of the event that will hold this answer: a message, or the first of its actions. */
  readonly eventId: string;
  /** Counts the pieces of one attempt from 0, so that a subscriber that starts in the middle of an answer can tell. */
  readonly order: number;
}

/** A piece of what a tool prints while its call runs, as it is given to subscribers. */
export interface ToolOutput {
  /** The id that the model gave to the call. */
  readonly toolCallId: string;
  /** Masked text. The result of the call has all of it. */
  readonly text: string;
}

/**
 * A subscriber of a conversation. Each subscriber reads the log at its own pace. It is called after the commit is durable,
 * outside the lock, in log order, once for each event; the next call waits for the promise of the previous call. An error that
 * it throws is reported to `onError` and changes nothing else (P1).
 */
export interface Subscriber {
  /** Called when an event became durable. The next event waits for the promise. */
  onEvent?(event: Event, index: EventIndex): void | Promise<void>;
  /** Called when the durable state changed. Changes that come faster than the subscriber takes them are folded into one. Not stored. */
  onStateChange?(state: StateFields, before: StateFields): void | Promise<void>;
  /** Called with a piece of a model's answer. Not stored, not repeated, may be missed. */
  onToken?(delta: AnswerDelta): void;
  /** Called when an answer was cancelled or failed after pieces of it were delivered; no event gets this id. Not stored. */
  onAnswerAborted?(eventId: string, reason: 'cancelled' | 'failed'): void;
  /** Called with a piece of what a running tool prints. Not stored, not repeated, may be missed. */
  onOutput?(output: ToolOutput): void;
  /**
   * Called with an error that this subscriber threw, or with the reason why its subscription ended by itself: `LOG_CHANGED`.
   * Default: emits a process warning.
   */
  onError?(error: unknown): void;
}

/** Options of a subscription. */
export interface SubscribeOptions {
  /** The first event to deliver. Default: the next one; 0 replays everything first. */
  readonly from?: EventIndex;
  /** Ends the subscription. */
  readonly signal?: AbortSignal;
}

/** A running subscription. */
export interface Subscription {
  /** The next event to be delivered. */
  readonly position: EventIndex;
  /** Resolves when every event before `index` was delivered, or the subscription has ended. */
  caughtUp(index: EventIndex): Promise<void>;
  /** Ends the subscription; no call starts afterwards. Idempotent. */
  unsubscribe(): void;
}

/** Shows a conversation to people. A subscriber that gets the state once before the first event. */
export interface Visualizer extends Subscriber {
  /** Called once, before anything else, with the state at that time. */
  initialize?(state: StateFields): void;
  /**
   * Returns the visualizer of a child conversation; it is closed when the child has ended. `undefined` shows the child to no
   * user. Default: children are not shown.
   */
  forChild?(child: {
    readonly id: string;
    readonly title: string | null;
    readonly tags: Readonly<Record<string, string>>;
  }): Visualizer | undefined;
  /** Called once, when the conversation closes and everything was shown. */
  close?(): void | Promise<void>;
}

/** A subscriber, or a function that is given each event. */
export type SubscriberInput = Subscriber | ((event: Event) => void | Promise<void>);
