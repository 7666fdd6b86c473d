import type { Projection } from '@conv/core';
import type { Event, JsonObject } from '@conv/core/events';

import type { Step } from './state-step.ts';

/** What to ask for. */
export interface PullOptions {
  /** Settings too, not events alone. */
  readonly whole: boolean;
  /** The server may have another log by now: look whether what is known is still there. */
  readonly compare: boolean;
}

/** Where the state of a conversation comes from. REST is the truth; what sockets say is taken for news that came early. */
export interface Feed {
  /** The state now. */
  open(): Promise<Projection>;
  /** What is new since `projection`, step by step, in log order: only what is missing is read. Rejects `LOG_CHANGED`. */
  pull(projection: Projection, options: PullOptions): AsyncIterable<Step>;
  /** The same state, read anew: the server shows it differently now. */
  refresh(projection: Projection): Promise<Projection>;
  /** The state with an event that a socket brought, the next one of the log. */
  ahead(projection: Projection, index: number, event: Event): Promise<Step>;
  /** The state with one field as a server published it. */
  updated(projection: Projection, update: Event): Step;
  /** The state as a socket brought it whole, made at that time; `undefined`: it is older than what is known. */
  published(projection: Projection, state: JsonObject, at: string): Promise<Step | undefined>;
  /** The state with what a server published of it; `head`: with its HEAD too, which else follows from events. */
  overlay(projection: Projection, published: JsonObject, options?: { readonly head?: boolean }): Promise<Step>;
}
