import type { Event } from '@conv/core/events';

import type { StateSource } from '../sources/state-source.ts';
import { statusOf } from '../sources/wire-state.ts';
import type { AnnouncedEvents } from './announced-events.ts';
import type { FollowerEvent } from './follower-state.ts';
import type { RemoteState } from './remote-state.ts';
import type { News } from './socket-messages.ts';
import type { WorkLine } from './work-line.ts';

/** Receives a status that a server published: alone, or as a part of the whole state. */
export type StatusListener = (status: unknown, about: { readonly whole: boolean }) => void;

/** Dependencies of {@link NewsIntake}. */
export interface NewsIntakeParts {
  readonly state: RemoteState;
  readonly source: StateSource;
  readonly line: WorkLine;
  readonly announced: AnnouncedEvents;
  readonly follower: {
    /** True while a numbered event may belong to a different log. */
    readonly isUnsure: () => boolean;
    /** Reads events by REST, in the line. */
    readonly pull: () => Promise<void>;
    readonly on: (event: FollowerEvent) => void;
    /** Something could not be taken in: look again later. */
    readonly missed: () => void;
  };
}

type NewsOf<Kind extends News['kind']> = Extract<News, { readonly kind: Kind }>;

/**
 * Takes in what the frames of a socket bring. Pieces of an answer pass at once. All else waits its turn in the line of the follower.
 * A frame is a hint: when it cannot be taken in, the next look reads by REST what it stood for.
 */
export class NewsIntake {
  readonly #parts: NewsIntakeParts;
  readonly #listeners = new Set<StatusListener>();

  constructor(parts: NewsIntakeParts) {
    this.#parts = parts;
  }

  /** Calls the listener with each status that the server publishes, after all earlier news was taken in. */
  onStatus(listener: StatusListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Forgets the listeners. */
  close(): void {
    this.#listeners.clear();
  }

  /** Takes a frame in. */
  take(news: News): void {
    const { state, announced, follower } = this.#parts;
    if (news.kind === 'token') state.publishToken(news.delta);
    if (news.kind === 'aborted') state.publishAborted(news.eventId, news.reason);
    if (news.kind === 'changed') follower.on({ kind: 'news' });
    if (news.kind === 'announced' && announced.add(news.id)) follower.on({ kind: 'news' });
    if (news.kind === 'event') this.#enqueue(() => this.#admit(news.index, news.event));
    if (news.kind === 'updated') this.#enqueue(async () => this.#update(news.update));
    if (news.kind === 'published') this.#enqueue(() => this.#publish(news));
  }

  #enqueue(work: () => Promise<void>): void {
    const { line, follower } = this.#parts;
    // caught, because no caller waits for a frame; the error is not lost, REST meets it again
    line.run(work).catch(follower.missed);
  }

  async #admit(index: number, event: Event): Promise<void> {
    const { state, source, follower } = this.#parts;
    // fence: the number counts in the log that the server has now, and that may be a different log until REST has compared them;
    // the pull that compares them reads this event too
    if (follower.isUnsure()) return follower.on({ kind: 'repeated' });
    const next = state.events.length;
    // a smaller number is a repetition; a gap is read by REST, with everything behind it
    if (index > next) await follower.pull();
    // the line is held across the await, so `next` is still the number of the next event
    else if (index === next) state.admit(await source.ahead(state.projection, index, event));
  }

  async #publish({ state: published, at }: NewsOf<'published'>): Promise<void> {
    const { state, source, follower } = this.#parts;
    // the published state was made from events that must be known before the state is
    await follower.pull();
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
    follower.on({ kind: 'news' });
  }

  #tell(status: unknown, whole: boolean): void {
    if (status !== undefined) for (const listener of this.#listeners) listener(status, { whole });
  }
}
