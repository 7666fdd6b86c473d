import type { Projection } from '@conv/core';
import type { Event, JsonObject } from '@conv/core/events';
import type { Commit } from '@conv/core/store';

/** A new state, and the events that led to it. */
export interface Step {
  readonly projection: Projection;
  readonly commit?: Commit;
}

export interface PullOptions {
  /** True to read the settings too, not only events. */
  readonly whole: boolean;
  /** True if the server may have another log by now, so that the last known commit must be compared. */
  readonly compare: boolean;
}

/** Source of a conversation's state. REST is authoritative; socket messages are early hints. */
export interface StateSource {
  /** Returns the state now. */
  open(): Promise<Projection>;
  /** Yields the changes since `projection`, step by step, in log order; reads only what is missing. Rejects `LOG_CHANGED`. */
  pull(projection: Projection, options: PullOptions): AsyncIterable<Step>;
  /** Reads the same state again, because the server now shows it differently. */
  refresh(projection: Projection): Promise<Projection>;
  /** Returns the state with an event that a socket brought, the next one of the log. */
  ahead(projection: Projection, index: number, event: Event): Promise<Step>;
  /** Returns the state with a single field that a server published. */
  updated(projection: Projection, update: Event): Step;
  /** Returns the whole state that a socket brought, made at the time `at`; `undefined` if it is older than the known state. */
  published(projection: Projection, state: JsonObject, at: string): Promise<Step | undefined>;
  /** True if a numbered event that a socket repeats proves that the server still has the known log. */
  proves(index: number, event: Event): boolean;
  /** True if all events that a published state was made from are known, so that none has to be read before it. */
  covers(projection: Projection, state: JsonObject): boolean;
  /** Returns the state with the published fields. With `head`, also takes over HEAD, which otherwise follows from events. */
  overlay(projection: Projection, published: JsonObject, options?: { readonly head?: boolean }): Promise<Step>;
}
