import type { Event } from '../../events/index.ts';
import type { EventIndex } from '../state/log-position.ts';

/**
 * The events of a conversation in log order. Lazy: events are read on demand, and never all kept in memory. Every method rejects
 * `STORE_FAILED` when the store does. An id that is not text rejects `INVALID_INPUT`.
 */
export interface EventsList extends AsyncIterable<Event> {
  /** The number of events. */
  readonly length: number;
  /** The event at `index`; negative counts from the end. `undefined` outside, and where damage took it. */
  at(index: number): Promise<Event | undefined>;
  /** The event with this id; `undefined` when there is none. */
  get(id: string): Promise<Event | undefined>;
  /** The number of the event with this id; `undefined` when there is none. */
  indexOf(id: string): Promise<EventIndex | undefined>;
  /** The id at `index`; negative counts from the end. */
  idAt(index: number): Promise<string | undefined>;
  /** As `Array.prototype.slice`. */
  slice(start?: number, end?: number): Promise<readonly Event[]>;
  /** The path from the root to `leaf`, default HEAD: the events that a model's view is made from. Rejects `UNKNOWN_EVENT`. */
  branch(leaf?: string | null): Promise<readonly Event[]>;
  /** Ids of the last event of every branch, in log order. */
  leaves(): Promise<readonly string[]>;
}
