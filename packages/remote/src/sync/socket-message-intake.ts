import type { Event } from '@conv/core/events';

import type { StateSource } from '../sources/state-source.ts';
import { statusOf } from '../sources/wire-state.ts';
import type { AnnouncedEvents } from './announced-events.ts';
import type { FollowerEvent } from './follower-state.ts';
import type { RemoteState } from './remote-state.ts';
import type { SocketMessage } from './socket-messages.ts';
import type { WorkLine } from './work-line.ts';

/** Receives a status that a server published: alone, or as a part of the whole state. */
export type StatusListener = (status: unknown, about: { readonly whole: boolean }) => void;

export interface SocketMessageIntakeDeps {
  readonly state: RemoteState;
  readonly source: StateSource;
  readonly line: WorkLine;
  readonly announced: AnnouncedEvents;
  readonly follower: {
    /** True while a numbered event may belong to a different log. */
    readonly isUnsure: () => boolean;
    /** The number of connections that were lost. */
    readonly losses: () => number;
    /** Reads events by REST, in the line. */
    readonly pull: () => Promise<void>;
    readonly on: (event: FollowerEvent) => void;
    /** Called when a message could not be taken in, to look again later. */
    readonly missed: () => void;
  };
}

type MessageOf<Kind extends SocketMessage['kind']> = Extract<SocketMessage, { readonly kind: Kind }>;

/**
 * Takes in what the frames of a socket bring. Pieces of an answer pass at once when the events before the answer are known. All else
 * waits its turn in the follower's line. A frame is a hint: if it cannot be taken in, the next look reads its event or state by REST.
 */
export class SocketMessageIntake {
  readonly #parts: SocketMessageIntakeDeps;
  readonly #listeners = new Set<StatusListener>();
  /** The pieces of an answer that began while events before it were on their way. */
  #early: { readonly eventId: string; readonly said: SocketMessage[] } | undefined;

  constructor(parts: SocketMessageIntakeDeps) {
    this.#parts = parts;
  }

  /** Calls the listener with each status that the server publishes, after all earlier messages were taken in. */
  onStatus(listener: StatusListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Forgets the listeners. */
  close(): void {
    this.#listeners.clear();
  }

  take(message: SocketMessage): void {
    const { announced, follower } = this.#parts;
    if (message.kind === 'begun') this.#begin(message);
    if (message.kind === 'token' && !this.#waits(message.delta.eventId, message)) this.#say(message);
    if (message.kind === 'aborted' && !this.#waits(message.eventId, message)) this.#say(message);
    if (message.kind === 'output') this.#say(message);
    if (message.kind === 'changed') follower.on({ kind: 'hint' });
    if (message.kind === 'announced' && announced.add(message.id)) follower.on({ kind: 'hint' });
    // a frame proves something about the log only if its connection was not lost meanwhile
    const losses = follower.losses();
    if (message.kind === 'event') this.#enqueue(() => this.#admit(message.index, message.event, losses));
    if (message.kind === 'updated') this.#enqueue(async () => this.#update(message.update));
    if (message.kind === 'published') this.#enqueue(() => this.#publish(message));
  }

  /** Lets the pieces of an answer wait for the events before it, which are in the line. */
  #begin({ eventId, events }: MessageOf<'begun'>): void {
    if (events <= this.#parts.state.events.length) return;
    const early = { eventId, said: [] };
    this.#early = early;
    this.#enqueue(async () => {
      if (this.#early === early) this.#early = undefined;
      for (const message of early.said) this.#say(message);
    });
  }

  /** Keeps a message about an answer that waits. Returns false for any other answer. */
  #waits(eventId: string, message: SocketMessage): boolean {
    if (this.#early?.eventId !== eventId) return false;
    this.#early.said.push(message);
    return true;
  }

  #say(message: SocketMessage): void {
    const { state } = this.#parts;
    if (message.kind === 'token') state.publishToken(message.delta);
    if (message.kind === 'output') state.publishOutput(message.output);
    if (message.kind === 'aborted') state.publishAborted(message.eventId, message.reason);
  }

  #enqueue(work: () => Promise<void>): void {
    const { line, follower } = this.#parts;
    // caught, because no caller waits for a frame; the error is not lost, because REST will meet it again
    line.run(work).catch(follower.missed);
  }

  async #admit(index: number, event: Event, losses: number): Promise<void> {
    const { state, source, follower } = this.#parts;
    // fence: the number counts in the log that the server has now, and that may be a different log until REST has compared them,
    // or the last known event was repeated; the pull that compares them reads this event too
    if (follower.isUnsure()) {
      const proved = losses === follower.losses() && source.proves(index, event);
      return follower.on({ kind: proved ? 'proved' : 'repeated' });
    }
    const next = state.events.length;
    // a smaller number is a repetition; a gap is read by REST, with everything behind it
    if (index > next) await follower.pull();
    // the line is held across the await, so `next` is still the number of the next event
    else if (index === next) state.admit(await source.ahead(state.projection, index, event));
  }

  async #publish({ state: published, at }: MessageOf<'published'>): Promise<void> {
    const { state, source, follower } = this.#parts;
    // the published state was made from events that must be known before the state is
    if (follower.isUnsure() || !source.covers(state.projection, published)) await follower.pull();
    // `undefined` for a state that is older than what the pull brought: taking it in would go back in time
    const step = await source.published(state.projection, published, at);
    if (!step) return;
    state.admit(step);
    this.#tell(published['execution_status'], true);
  }

  #update(update: Event): void {
    const { state, source, follower } = this.#parts;
    state.admit(source.updated(state.projection, update));
    // listeners are told after the state has it, so that they never read an older status than they were told
    this.#tell(statusOf(update), false);
    follower.on({ kind: 'hint' });
  }

  #tell(status: unknown, whole: boolean): void {
    if (status !== undefined) for (const listener of this.#listeners) listener(status, { whole });
  }
}
