import type { Event } from '../../events/index.ts';
import type { StateFields } from '../state/fields.ts';
import type { EventIndex } from '../state/log-position.ts';
import type { AnswerDelta, AnswerEnd } from './answer-delta.ts';

/**
 * Follows a conversation. Each subscriber reads the log at its own pace: called after the commit is durable, outside the
 * lock, in log order, each event once; the next call waits for the promise of the one before. What it throws is reported to
 * `onError` and changes nothing else (P1).
 */
export interface Subscriber {
  /** An event became durable. The next one waits for the promise. */
  onEvent?(event: Event, index: EventIndex): void | Promise<void>;
  /** The durable state changed. Changes that come faster than they are taken are folded into one. Not stored. */
  onStateChange?(state: StateFields, before: StateFields): void | Promise<void>;
  /** A piece of a model's answer. Not stored, not repeated, may be missed. */
  onToken?(delta: AnswerDelta): void;
  /** An answer of which pieces were given came to nothing: no event is going to have this id. Not stored. */
  onAnswerAborted?(eventId: string, reason: AnswerEnd): void;
  /** Something this subscriber threw, or why its subscription ended by itself: `LOG_CHANGED`. Default: it is emitted as a process warning. */
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
  /** Resolves when every event before `index` was delivered, or the subscription ended. */
  caughtUp(index: EventIndex): Promise<void>;
  /** Ends it; no call starts afterwards. Idempotent. */
  unsubscribe(): void;
}

/** A conversation that works for another one, as a visualizer is told of it. */
export interface ShownChild {
  readonly id: string;
  readonly title: string | null;
  readonly tags: Readonly<Record<string, string>>;
}

/** Shows a conversation to people. A subscriber that is told once what it will show. */
export interface Visualizer extends Subscriber {
  /** Called once, before anything else, with the state as it is then. */
  initialize?(state: StateFields): void;
  /**
   * Returns the visualizer of a child conversation; it is closed when the child has ended. `undefined` shows the child to no
   * user. Default: children are not shown.
   */
  forChild?(child: ShownChild): Visualizer | undefined;
  /** Called once, when the conversation closes and everything was shown. */
  close?(): void | Promise<void>;
}

/** A visualizer as callers give it: an object, a class, or `null` for none. */
export type VisualizerInput = Visualizer | (new () => Visualizer) | null;
