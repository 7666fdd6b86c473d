import type { NumberedEvent } from '@conv/turns';

import type { Reading } from '../hosting/stored-conversation.ts';
import type { Position } from './webhook-positions.ts';

/** A request to a receiver, before it is signed. */
export interface WebhookMessage {
  /** The same for each repetition of the same content, and for nothing else. Has no dot, because it is signed with dots around it. */
  readonly id: string;
  readonly url: string;
  /** Headers of this message alone. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly contentType: string;
  readonly body: string;
}

/** A way to tell a receiver what happens. */
export interface WebhookFormat {
  /** Maximum number of events in one message. */
  readonly mostEvents: number;
  /** Maximum number of bytes of JSON in one message; one larger event is sent alone. */
  readonly mostBytes: number;
  /** Number of events that are waited for while a conversation runs. */
  readonly bufferSize: number;
  /** True if a conversation is announced before its first event. */
  readonly announces: boolean;
  /** Returns the message of consecutive events, at least one. */
  events(reading: Reading, events: readonly NumberedEvent[]): WebhookMessage;
  /** Resolves with the message of the present state, for a receiver at a position. */
  state(reading: Reading, position: Position): Promise<WebhookMessage>;
}
