import {
  Cursor,
  growingLog,
  isConversationError,
  ReadonlyState,
  Subscriptions,
  type AnswerDelta,
  type EventsList,
  type Projection,
  type SubscriberInput,
  type SubscribeOptions,
  type Subscription,
  type ToolOutput,
} from '@conv/core';
import type { Event } from '@conv/core/events';
import type { Commit } from '@conv/core/store';
import { timers, Backoff, type BackoffOptions, type Platform } from '@conv/core/platform';

import type { EventReader } from '../sources/event-reader.ts';
import type { Step } from '../sources/state-source.ts';
import { withOpenCallsAsked } from './open-calls.ts';
import { RemoteEvents } from './remote-events.ts';

/** The number of events whose late pieces are recognised. A socket is behind by fewer. */
const NEWEST = 1_000;

/** A state and its log, each of which is replaced as a whole. */
interface Known {
  projection: Projection;
  log: ReturnType<typeof growingLog>;
}

/** Options of reading for subscribers. */
export interface ReadingRetries {
  readonly platform: Platform;
  readonly backoff: BackoffOptions;
  readonly closed: AbortSignal;
}

/** Dependencies of {@link RemoteState}. */
export interface RemoteStateDeps extends ReadingRetries {
  /** True if a run on this server executes every open call, whatever the status was. Open calls are then shown as waiting. */
  readonly runsOpenCalls: boolean;
}

/**
 * The state of a conversation on a server, as far as it is known here, and its subscribers. The follower alone writes it, one step
 * after another. Its own fields are as the server reports them. Subscribers read the events at their own pace (P11).
 */
export class RemoteState extends ReadonlyState {
  readonly events: RemoteEvents;
  /** The read-only state for users of the conversation. It shows open calls as waiting where the next run would execute them. */
  readonly view: ReadonlyState;
  readonly #known: Known;
  /** Makes a log that has no event in memory. */
  readonly #emptyLog: (length: number) => Known['log'];
  readonly #retries: ReadingRetries;
  readonly #subscriptions = new Subscriptions();
  /** The ids of the newest events, oldest first. */
  readonly #newest = new Set<string>();

  constructor(reader: EventReader, projection: Projection, { runsOpenCalls, ...retries }: RemoteStateDeps) {
    const emptyLog = (length: number): Known['log'] =>
      growingLog(reader, length, () => known.projection.fields.leafEventId);
    const known: Known = { projection, log: emptyLog(projection.end.event) };
    const events = new RemoteEvents(reader, () => known.log.events);
    const messages = events.messages.bind(events);
    super(() => known.projection, messages);
    const asked = withOpenCallsAsked();
    this.view = new ReadonlyState(() => (runsOpenCalls ? asked(known.projection) : known.projection), messages);
    this.events = events;
    this.#known = known;
    this.#emptyLog = emptyLog;
    this.#retries = retries;
  }

  /** The known state, from which folding continues. */
  get projection(): Projection {
    return this.#known.projection;
  }

  /** Takes in a newer state and the events that are new in it, then wakes the subscribers. Ignores the state that is known already. */
  admit({ projection, commit }: Step): void {
    if (projection === this.#known.projection) return;
    this.#known.projection = projection;
    // a step may begin with events that are known already, because sockets and REST bring the same event
    const known = this.events.length;
    if (commit && commit.firstEvent + commit.events.length > known) this.#known.log.admit(behind(commit, known));
    for (const { id } of commit?.events ?? []) this.#newest.add(id);
    for (const id of this.#newest) {
      if (this.#newest.size <= NEWEST) break;
      this.#newest.delete(id);
    }
    this.#subscriptions.tell((cursor) => cursor.wake(this.view.fields));
  }

  /** Takes in a state that was read again, and forgets the events that were read before: the server may mask them differently now. */
  replace(projection: Projection): void {
    this.#known.log = this.#emptyLog(this.events.length);
    this.admit({ projection });
  }

  subscribe(subscriber: SubscriberInput, options: SubscribeOptions = {}): Subscription {
    const cursor: Cursor = new Cursor(
      subscriber,
      this.#logFor(() => cursor),
      this.view.fields,
      options,
    );
    return this.#subscriptions.add(cursor, this.view.fields);
  }

  /**
   * Hands a piece of a model's answer to the subscribers that want it, unless the event of the answer is known: REST may have read it
   * before the socket brought its pieces, and nothing would take them away again.
   */
  publishToken(delta: AnswerDelta): void {
    if (this.#newest.has(delta.eventId)) return;
    this.#subscriptions.tell((cursor) => cursor.give((subscriber) => subscriber.onToken?.(delta)));
  }

  /** Hands a piece of what a running tool prints to the subscribers. */
  publishOutput(output: ToolOutput): void {
    this.#subscriptions.tell((cursor) => cursor.give((subscriber) => subscriber.onOutput?.(output)));
  }

  /** Tells the subscribers that the answer behind earlier pieces was aborted. */
  publishAborted(eventId: string, reason: 'cancelled' | 'failed'): void {
    this.#subscriptions.tell((cursor) => cursor.give((subscriber) => subscriber.onAnswerAborted?.(eventId, reason)));
  }

  /** Resolves when every subscriber has received all known events, or after `grace` milliseconds. */
  async delivered(grace: number): Promise<void> {
    const { length } = this.events;
    await timers.settlesWithin(this.#retries.platform, grace, this.#subscriptions.caughtUp(length));
  }

  /** Ends every subscription with this error. */
  fail(error: unknown): void {
    this.#subscriptions.tell((cursor) => cursor.fail(error));
  }

  /** Ends every subscription. */
  close(): void {
    this.#subscriptions.tell((cursor) => cursor.unsubscribe());
  }

  #logFor(cursor: () => Cursor): Pick<EventsList, 'length' | 'at'> {
    const { events } = this;
    return {
      get length() {
        return events.length;
      },
      at: (index) => this.#persistently(() => events.at(index), cursor()),
    };
  }

  /**
   * Retries until it succeeds, so that a subscriber misses nothing while the server is unreachable. Invariant: nothing behind an
   * event is delivered before the event, so `undefined` comes only when the subscription has ended.
   */
  async #persistently(read: () => Promise<Event | undefined>, cursor: Cursor): Promise<Event | undefined> {
    const { platform, backoff, closed } = this.#retries;
    const delays = new Backoff(platform, backoff);
    for (;;) {
      try {
        return await read();
      } catch (error) {
        // in a different log the next events do not follow the delivered events, so every subscription ends, not only this one
        if (isConversationError(error, 'LOG_CHANGED')) this.fail(error);
        else await delays.wait({ signal: closed }).catch(() => {});
        // looked at after each await: the conversation or the subscription may have ended meanwhile
        if (closed.aborted) cursor.unsubscribe();
        if (cursor.hasEnded) return undefined;
      }
    }
  }
}

/** Returns the part of a commit that is new. */
function behind(commit: Commit, known: number): Commit {
  const skipped = Math.max(0, known - commit.firstEvent);
  if (skipped === 0) return commit;
  return {
    ...commit,
    firstEvent: (commit.firstEvent + skipped) as Commit['firstEvent'],
    events: commit.events.slice(skipped),
  };
}
