import { isDeepStrictEqual } from 'node:util';

import { isConversationError, type ConversationError } from '@conv/core';
import type { Event, JsonObject } from '@conv/core/events';
import { CLOSE_CODES } from '@conv/openhands/sockets';

import type { EventReader } from '../sources/event-reader.ts';
import { logChanged, ShorterLog } from '../sources/log-changed.ts';
import { Backoff, type BackoffOptions } from '../transport/backoff.ts';
import { LiveChannel } from '../transport/live-channel.ts';
import type { SocketConnection } from '../transport/server-socket.ts';
import type { Feed } from '../sources/state-source.ts';
import type { RemoteState } from './remote-state.ts';
import { statusOf } from '../sources/wire-state.ts';
import { readEventsFrame, readSessionFrame, type News } from './socket-messages.ts';

/** What a follower is put together from. */
export interface FollowerParts {
  readonly conversationId: string;
  readonly state: RemoteState;
  readonly feed: Feed;
  readonly reader: EventReader;
  /** Whether the server has the socket that numbers events. */
  readonly numbered: boolean;
  /** The socket's address; `after` is the number of the last event that is known, -1 before the first. */
  readonly socketUrl: (after: number) => URL;
  readonly connection: SocketConnection;
  readonly backoff: BackoffOptions;
  /** Milliseconds for which a server may show less than it did. */
  readonly patience: number;
  /** Secrets changed. */
  readonly secretsChanged: () => Promise<unknown>;
  /** Aborted when the conversation is closed. */
  readonly closed: AbortSignal;
}

/** Told a status that a server published: alone, or as a part of the whole state. */
export type StatusListener = (status: unknown, about: { readonly whole: boolean }) => void;

type NewsOf<Kind extends News['kind']> = Extract<News, { readonly kind: Kind }>;

/** How often an event that a socket announced is looked for. */
const LOOKS = 40;

/** Milliseconds after which REST is asked when a socket repeats events and does not come to the state. */
const DOUBT = 1_000;

/**
 * Keeps what is known of a conversation up to date. The socket says that there is news, or brings it with its number; REST is asked for
 * what is missing, from the last known event on, and decides. All changes go through one line, in the order in which they came.
 */
export class Follower {
  readonly #parts: FollowerParts;
  readonly #channel: LiveChannel;
  readonly #delays: Backoff;
  readonly #listeners = new Set<StatusListener>();
  /** Announced events that were not there yet, and how often each was looked for. */
  readonly #awaited = new Map<string, number>();
  #line: Promise<unknown> = Promise.resolve();
  #waiting: { readonly whole: boolean; readonly done: Promise<void> } | undefined;
  #retry: NodeJS.Timeout | undefined;
  #recheck: NodeJS.Timeout | undefined;
  #doubts: NodeJS.Timeout | undefined;
  #quiet = false;
  #refused: ConversationError | undefined;
  #changed: ConversationError | undefined;
  /** A connection was lost: until REST was asked, nobody knows whether the server goes on with the same log. */
  #unsure = false;
  /** When the server first showed less than it did. */
  #shorter: number | undefined;

  constructor(parts: FollowerParts) {
    this.#parts = parts;
    this.#delays = new Backoff(parts.backoff);
    const read = parts.numbered ? readSessionFrame : readEventsFrame;
    this.#channel = new LiveChannel({
      url: () => parts.socketUrl(parts.state.events.length - 1),
      connection: parts.connection,
      backoff: parts.backoff,
      conversationId: parts.conversationId,
      frame: (frame) => this.#take(read(frame)),
      // without a socket REST tells; and what a socket cannot carry is read there before it is asked for again
      lost: ({ reason }, heard) => {
        this.#unsure = true;
        if (!heard || reason === CLOSE_CODES.frameTooLarge.reason) this.#ring();
      },
      refused: (error) => void (this.#refused = error),
    });
    parts.closed.addEventListener('abort', () => this.#close(), { once: true });
  }

  /** Why the server wants no further connection, if it said so, or why it is not followed any more. */
  get refused(): ConversationError | undefined {
    return this.#changed ?? this.#refused;
  }

  /** `LOG_CHANGED`, since the server has another log than it had. */
  get changed(): ConversationError | undefined {
    return this.#changed;
  }

  /** Begins. */
  start(): void {
    this.#channel.open();
    this.#recheck = setInterval(() => this.#lookWhenQuiet(), this.#parts.connection.heartbeat);
    this.#recheck.unref();
  }

  /** Told of each status that the server publishes, after what came before it was taken in. */
  onStatus(listener: StatusListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Resolves when everything was taken in that was there when this was called. `whole`: settings too, not events alone. Rejects when
   * REST does.
   */
  sync(whole = true): Promise<void> {
    if (this.#waiting && (this.#waiting.whole || !whole)) return this.#waiting.done;
    const done = this.#inLine(async () => {
      if (this.#waiting?.done === done) this.#waiting = undefined;
      await this.#pull(whole);
    });
    this.#waiting = { whole, done };
    return done;
  }

  /** As {@link Follower.sync}, with every event that the socket has announced, as far as they come; not with those that it goes on announcing. */
  async settle(): Promise<void> {
    await this.sync();
    const announced = [...this.#awaited.keys()];
    const delays = new Backoff({ first: 20, most: 500 });
    while (announced.some((id) => this.#awaited.has(id)) && !this.#parts.closed.aborted) {
      await new Promise((resolve) => setTimeout(resolve, delays.next()));
      await this.sync(false);
    }
  }

  /** Takes in what a command answered with. */
  async overlay(published: JsonObject, options: { readonly head: boolean }): Promise<void> {
    await this.#inLine(async () => {
      const { state, feed } = this.#parts;
      state.admit(await feed.overlay(state.projection, published, options));
    });
  }

  #take(news: News): void {
    this.#quiet = false;
    if (news.kind === 'token') this.#parts.state.publishToken(news.delta);
    if (news.kind === 'aborted') this.#parts.state.publishAborted(news.eventId, news.reason);
    if (news.kind === 'changed') this.#ring();
    if (news.kind === 'announced' && !this.#knows(news.id)) {
      this.#awaited.set(news.id, 0);
      this.#ring();
    }
    if (news.kind === 'event') this.#inLine(() => this.#admit(news.index, news.event)).catch(() => this.#again());
    if (news.kind === 'updated') this.#inLine(async () => this.#update(news.update)).catch(() => this.#again());
    if (news.kind === 'published') this.#inLine(() => this.#publish(news)).catch(() => this.#again());
  }

  async #admit(index: number, event: Event): Promise<void> {
    // what is numbered behind a log that is another one is of no use; the pull that finds out brings this too
    if (this.#unsure) return this.#doubt();
    const { state, feed } = this.#parts;
    const next = state.events.length;
    // a number that was seen is a repetition; a gap is read by REST, with everything behind it
    if (index > next) await this.#pull(false);
    else if (index === next) state.admit(await feed.ahead(state.projection, index, event));
  }

  async #publish({ state: published, at }: NewsOf<'published'>): Promise<void> {
    const { state, feed } = this.#parts;
    await this.#pull(false);
    const step = await feed.published(state.projection, published, at);
    if (!step) return;
    state.admit(step);
    this.#tell(published['execution_status'], true);
  }

  #update(update: Event): void {
    const { state, feed } = this.#parts;
    state.admit(feed.updated(state.projection, update));
    this.#tell(statusOf(update), false);
    this.#ring();
  }

  #tell(status: unknown, whole: boolean): void {
    if (status !== undefined) for (const listener of this.#listeners) listener(status, { whole });
  }

  async #pull(whole: boolean): Promise<void> {
    const { state, feed } = this.#parts;
    const { secretRegistry } = state.projection.fields;
    const compare = this.#unsure;
    this.#unsure = false;
    try {
      for await (const step of feed.pull(state.projection, { whole, compare })) state.admit(step);
      this.#shorter = undefined;
    } catch (error) {
      this.#unsure ||= compare;
      throw this.#judged(error);
    }
    if (!isDeepStrictEqual(secretRegistry, state.projection.fields.secretRegistry)) await this.#readAnew();
    this.#delays.reset();
    for (const [id, looks] of this.#awaited) {
      if (this.#knows(id) || looks >= LOOKS) this.#awaited.delete(id);
      else this.#awaited.set(id, looks + 1);
    }
  }

  /** Behind what is repeated comes the state, and REST is asked then. A server that leaves it out is asked a little later. */
  #doubt(): void {
    this.#doubts ??= setTimeout(() => {
      this.#doubts = undefined;
      if (this.#unsure) this.#ring();
    }, DOUBT);
  }

  /** A log that stays shorter than it was is another one. With another one nothing that comes has to do with what is known here. */
  #judged(error: unknown): unknown {
    const { state, patience, conversationId } = this.#parts;
    const isShorter = error instanceof ShorterLog;
    if (isShorter) this.#shorter ??= Date.now();
    const stays = isShorter && Date.now() - (this.#shorter ?? 0) >= patience;
    const final = stays ? logChanged(conversationId, 'the server has less of it than it had') : error;
    if (!isConversationError(final, 'LOG_CHANGED')) return error;
    this.#changed ??= final;
    this.#close();
    state.fail(final);
    return final;
  }

  /** With other secrets the server masks other texts, also in what was read before (P9). */
  async #readAnew(): Promise<void> {
    const { state, feed, reader } = this.#parts;
    reader.forget();
    state.replace(await feed.refresh(state.projection));
    await this.#parts.secretsChanged();
  }

  /** Something may be new. */
  #ring(): void {
    if (this.#over) return;
    this.sync(false).then(
      () => this.#awaited.size > 0 && this.#again(50),
      () => this.#again(),
    );
  }

  /** A frame that got lost is missed by nobody who waits for the next one. */
  #lookWhenQuiet(): void {
    if (this.#quiet) this.#ring();
    this.#quiet = true;
  }

  /** Looks again after a while. */
  #again(delay: number = this.#delays.next()): void {
    if (this.#over || this.#retry) return;
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      this.#ring();
    }, delay);
  }

  #inLine<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#line.then(() => {
      this.#parts.closed.throwIfAborted();
      if (this.#changed) throw this.#changed;
      return work();
    });
    this.#line = result.catch(() => undefined);
    return result;
  }

  get #over(): boolean {
    return this.#parts.closed.aborted || this.#changed !== undefined;
  }

  #knows(id: string): boolean {
    return this.#parts.reader.knows(id);
  }

  #close(): void {
    this.#channel.close();
    clearTimeout(this.#retry);
    clearTimeout(this.#doubts);
    clearInterval(this.#recheck);
    this.#listeners.clear();
  }
}
