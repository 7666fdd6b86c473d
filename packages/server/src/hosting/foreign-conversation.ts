import {
  projections,
  Cursor,
  growingLog,
  type ConversationState,
  type EventsList,
  type Projection,
  type StateFields,
  type Subscription,
  type SubscribeOptions,
} from '@conv/core';
import type { Event } from '@conv/core/events';
import type { Commit, JournalReader } from '@conv/core/store';

import { Ending } from './ending.ts';
import type { LiveConversation, LiveSubscriber } from './live-conversation.ts';

export interface ForeignConversationDeps {
  readonly id: string;
  readonly reader: JournalReader;
  /** The state of `reader` when it was opened. Provides its masks; it is never written. */
  readonly state: ConversationState;
  readonly projection: Projection;
  /** Resolves with the current number of durable events. */
  readonly eventsNow: () => Promise<number>;
  /** Relays answers while they arrive at the server that runs the conversation. Default: pieces of answers are not shown. */
  readonly relay?: (conversation: LiveConversation, told: LiveSubscriber) => Relay;
}

/** Listens to answers; looks again whenever the conversation has changed, by the events of a commit. */
export interface Relay {
  look(events: readonly Pick<Event, 'id'>[]): void;
  close(): void;
}

/** A conversation that another process writes, followed by reading its log. */
export class ForeignConversation implements LiveConversation {
  readonly id: string;
  readonly ownedElsewhere = true;
  readonly #deps: ForeignConversationDeps;
  readonly #log: ReturnType<typeof growingLog>;
  readonly #cursors = new Set<Cursor>();
  readonly #relays = new Set<Relay>();
  readonly ending: Ending = new Ending();
  readonly #watching: Promise<void>;
  /** Resolves when the reader has new events. */
  #grown = Promise.withResolvers<void>();
  #projection: Projection;

  constructor(deps: ForeignConversationDeps) {
    this.id = deps.id;
    this.#deps = deps;
    this.#projection = deps.projection;
    const { reader, state, projection } = deps;
    const head = (): string | null => this.#projection.fields.leafEventId;
    this.#log = growingLog(reader, projection.end.event, head, state.mask);
    this.ending.whenOver(() => this.#grown.resolve());
    this.#watching = this.#watch();
  }

  get fields(): StateFields {
    return this.#deps.state.mask.fields(this.#projection.fields);
  }

  get events(): EventsList {
    return this.#log.events;
  }

  get ended(): AbortSignal {
    return this.ending.signal;
  }

  async refresh(): Promise<void> {
    const end = await this.#deps.eventsNow();
    while (this.events.length < end && !this.ending.isOver) await this.#grown.promise;
  }

  subscribe(subscriber: LiveSubscriber, options: SubscribeOptions = {}): Subscription {
    const { mask } = this.#deps.state;
    const cursor = new Cursor(withSnapshots(subscriber), this.#log.events, this.fields, options, (error) =>
      mask.error(error),
    );
    if (cursor.hasEnded) return cursor;
    this.#cursors.add(cursor);
    const relay = subscriber.onToken && this.#deps.relay?.(this, subscriber);
    if (relay) this.#relays.add(relay);
    cursor.onEnd = () => {
      this.#cursors.delete(cursor);
      if (!relay) return;
      this.#relays.delete(relay);
      relay.close();
    };
    cursor.wake(this.fields);
    return cursor;
  }

  /** Stops following. Resolves when no read is in progress. */
  async close(): Promise<void> {
    this.ending.end(new Error('it is no longer followed'));
    for (const cursor of this.#cursors) cursor.unsubscribe();
    await this.#watching;
    await this.#deps.reader.close();
  }

  async #watch(): Promise<void> {
    try {
      const { reader } = this.#deps;
      for await (const commit of reader.watch(this.#projection.end.seq, this.ended)) await this.#admit(commit);
      this.ending.end(new Error('its log has ended'));
    } catch (error) {
      this.ending.end(error);
    }
  }

  async #admit(commit: Commit): Promise<void> {
    this.#projection = await projections.foldCommit(this.#deps.reader, this.#projection, commit);
    this.#log.admit(commit);
    this.#grown.resolve();
    this.#grown = Promise.withResolvers();
    for (const cursor of this.#cursors) cursor.wake(this.fields);
    for (const relay of this.#relays) relay.look(commit.events);
  }
}

/** Adds snapshots: the log shows the end of a run too, so a reader pushes the full state as the owner does. */
function withSnapshots(subscriber: LiveSubscriber): LiveSubscriber {
  return {
    onEvent: (event, index) => subscriber.onEvent?.(event, index),
    onStateChange: async (state, before) => {
      await subscriber.onStateChange?.(state, before);
      if (before.executionStatus === 'running' && state.executionStatus !== 'running')
        await subscriber.onSnapshot?.(state);
    },
    ...(subscriber.onError ? { onError: (error) => subscriber.onError?.(error) } : {}),
  };
}
