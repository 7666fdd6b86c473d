import { isConversationError, type ConversationError } from '@conv/core';
import type { JsonObject } from '@conv/core/events';
import { Backoff, isSameJson, type BackoffOptions } from '@conv/core/platform';
import { CLOSE_CODES } from '@conv/openhands/sockets';

import type { EventReader } from '../sources/event-reader.ts';
import { ShorterLog } from '../sources/log-changed.ts';
import type { StateSource } from '../sources/state-source.ts';
import { LiveChannel } from '../transport/live-channel.ts';
import type { SocketConnection } from '../transport/socket-end.ts';
import { AnnouncedEvents } from './announced-events.ts';
import type { FollowerEffect, FollowerEvent, FollowerLimits, FollowerState } from './follower-state.ts';
import { transition } from './follower-transitions.ts';
import { LookTimers } from './look-timers.ts';
import { SocketMessageIntake, type StatusListener } from './socket-message-intake.ts';
import type { RemoteState } from './remote-state.ts';
import { readEventsFrame, readSessionFrame } from './socket-messages.ts';
import { WorkLine } from './work-line.ts';

export interface FollowerParts extends FollowerLimits {
  readonly state: RemoteState;
  readonly source: StateSource;
  readonly reader: EventReader;
  /** True if the server has the socket that numbers events. */
  readonly numbered: boolean;
  /**
   * The socket's address; `after` is the number of the last event that is known, -1 before the first. `unsure`: the server may have
   * another log by now, which the repeated last event would show.
   */
  readonly socketUrl: (after: number, unsure: boolean) => URL;
  readonly connection: SocketConnection;
  readonly backoff: BackoffOptions;
  /** Called when secrets changed. */
  readonly secretsChanged: () => Promise<unknown>;
  readonly closed: AbortSignal;
}

/** Milliseconds until the next look for an announced event. */
const ANNOUNCED = 50;

/**
 * Keeps the known state of a conversation up to date (P11). The socket announces events, or brings them with their numbers. REST is
 * asked for missing events, from the last known event on, and is authoritative. `follower-state.ts` has the states; this class
 * performs their effects.
 *
 *     socket ─── frame ────► SocketMessageIntake ──┐
 *     timers ─── look ─────► sync ─────────────────┼──► WorkLine ──► source ──► RemoteState ──► subscribers
 *     commands ─ sync, overlay ────────────────────┘   one at a time
 *
 * Invariant: only work in the line changes the state of the conversation, so between two awaits of one piece of work no other piece
 * has changed it. Sockets and timers change `#state` alone, at any await.
 */
export class Follower {
  readonly #parts: FollowerParts;
  readonly #channel: LiveChannel;
  readonly #delays: Backoff;
  readonly #announced: AnnouncedEvents;
  readonly #intake: SocketMessageIntake;
  readonly #line = new WorkLine(() => this.#assertOpen());
  readonly #timers: LookTimers;
  #state: FollowerState = { kind: 'idle' };
  #losses = 0;

  constructor(parts: FollowerParts) {
    this.#parts = parts;
    const { platform } = parts.connection;
    this.#delays = new Backoff(platform, parts.backoff);
    const doubted = (): void => this.#on({ kind: 'doubted' });
    this.#timers = new LookTimers(platform, () => this.#on({ kind: 'hint' }), doubted);
    this.#announced = new AnnouncedEvents((id) => parts.reader.knows(id));
    const { state, source } = parts;
    const follower = {
      isUnsure: () => this.#state.kind === 'unsure',
      losses: () => this.#losses,
      pull: () => this.#pull(false),
      on: (event: FollowerEvent) => this.#on(event),
      missed: () => this.#missed(),
    };
    this.#intake = new SocketMessageIntake({ state, source, line: this.#line, announced: this.#announced, follower });
    const read = parts.numbered ? readSessionFrame : readEventsFrame;
    this.#channel = new LiveChannel({
      url: () => parts.socketUrl(parts.state.events.length - 1, this.#state.kind === 'unsure'),
      connection: parts.connection,
      backoff: parts.backoff,
      conversationId: parts.conversationId,
      frame: (frame) => {
        this.#timers.heard();
        this.#intake.take(read(frame));
      },
      // if the server is stopped, this look gets no answer in time, and `onRetry` tells the user
      silent: () => this.#on({ kind: 'hint' }),
      // REST replaces a socket that brings nothing. It also reads an event whose frame was too large, which would otherwise be sent
      // again forever
      lost: ({ reason }, heard) => {
        this.#losses++;
        this.#on({ kind: 'lost', blind: !heard || reason === CLOSE_CODES.frameTooLarge.reason });
      },
      refused: (error) => this.#on({ kind: 'refused', error }),
    });
    parts.closed.addEventListener('abort', () => this.#on({ kind: 'close' }), { once: true });
  }

  /** The reason why no more frames come: a refusal of the server, or `LOG_CHANGED`. */
  get refused(): ConversationError | undefined {
    return this.changed ?? ('refused' in this.#state ? this.#state.refused : undefined);
  }

  /** `LOG_CHANGED`, since the server has a different log. */
  get changed(): ConversationError | undefined {
    return this.#state.kind === 'changed' ? this.#state.error : undefined;
  }

  start(): void {
    this.#on({ kind: 'start' });
  }

  /** Calls the listener with each status that the server publishes, after all earlier messages were taken in. */
  onStatus(listener: StatusListener): () => void {
    return this.#intake.onStatus(listener);
  }

  /**
   * Resolves when everything that the server had at the call was taken in. With `whole`, reads settings too, not only events.
   * Rejects when REST does.
   */
  sync(whole = true): Promise<void> {
    return this.#line.share(whole, (all) => this.#pull(all));
  }

  /** As {@link Follower.sync}, and waits for the events that the socket has announced until now, each for a limited time. */
  async catchUp(): Promise<void> {
    await this.sync();
    const announced = this.#announced.ids;
    const delays = new Backoff(this.#parts.connection.platform, { first: 20, most: 500 });
    while (announced.some((id) => this.#announced.has(id)) && !this.#parts.closed.aborted) {
      // each look counts against the announced events, so the loop ends even if a server never stores one
      await delays.wait();
      await this.sync(false);
    }
  }

  /** Takes in the answer to a command. */
  async overlay(published: JsonObject, options: { readonly head: boolean }): Promise<void> {
    await this.#line.run(async () => {
      const { state, source } = this.#parts;
      state.admit(await source.overlay(state.projection, published, options));
    });
  }

  /** Takes in all that the server has. Runs in the line only, so that one pull is in progress at most. */
  async #pull(whole: boolean): Promise<void> {
    const { state, source } = this.#parts;
    const { secretRegistry } = state.projection.fields;
    this.#on({ kind: 'pull' });
    const compare = this.#state.kind === 'comparing';
    try {
      // each step is complete in itself: after a pull that fails half-way, the next pull continues from there
      for await (const step of source.pull(state.projection, { whole, compare })) state.admit(step);
    } catch (error) {
      throw this.#judged(error);
    }
    this.#on({ kind: 'pulled' });
    if (!isSameJson(secretRegistry, state.projection.fields.secretRegistry)) await this.#readAnew();
    this.#delays.reset();
    this.#announced.looked();
  }

  /** Returns the error of a failed pull for its caller: `LOG_CHANGED` if that is what it means. */
  #judged(error: unknown): unknown {
    if (isConversationError(error, 'LOG_CHANGED')) this.#on({ kind: 'changed', error });
    else if (error instanceof ShorterLog) this.#on({ kind: 'shorter', at: this.#parts.connection.platform.now() });
    else this.#on({ kind: 'failed' });
    return this.changed ?? error;
  }

  /** Reads everything again, because with other secrets the server masks other texts, also in events that were read before (P9). */
  async #readAnew(): Promise<void> {
    const { state, source, reader } = this.#parts;
    reader.forget();
    state.replace(await source.refresh(state.projection));
    await this.#parts.secretsChanged();
  }

  #look(): void {
    this.sync(false).then(
      () => this.#announced.ids.length > 0 && this.#on({ kind: 'missed', delay: ANNOUNCED }),
      () => this.#missed(),
    );
  }

  #missed(): void {
    this.#on({ kind: 'missed', delay: this.#delays.next() });
  }

  /** Moves to the next state, then performs the effects: an effect that causes another event finds the new state. */
  #on(event: FollowerEvent): void {
    const { state, effects } = transition(this.#state, event, this.#parts);
    this.#state = state;
    for (const effect of effects) this.#perform(effect);
  }

  #perform(effect: FollowerEffect): void {
    if (effect.kind === 'connect') this.#connect();
    if (effect.kind === 'look') this.#look();
    if (effect.kind === 'lookLater') this.#timers.lookLater(effect.delay);
    if (effect.kind === 'doubt') this.#timers.doubt();
    if (effect.kind === 'release') this.#release();
    if (effect.kind === 'tell') this.#parts.state.fail(effect.error);
  }

  #connect(): void {
    this.#channel.open();
    this.#timers.watchSilence(this.#parts.connection.heartbeat);
  }

  #release(): void {
    this.#channel.close();
    this.#timers.stop();
    this.#intake.close();
  }

  #assertOpen(): void {
    this.#parts.closed.throwIfAborted();
    if (this.#state.kind === 'changed') throw this.#state.error;
  }
}
