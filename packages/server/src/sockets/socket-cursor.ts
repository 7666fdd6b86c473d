import type { EventsList } from '@conv/core';
import type { Event } from '@conv/core/events';

import type { ConversationFeed } from './conversation-feed.ts';
import { EventFrames } from './event-frames.ts';
import type { SocketConnection } from './socket-connection.ts';

/** Number of events read at a time. */
const PAGE = 100;

export interface SocketCursorDeps {
  readonly feed: ConversationFeed;
  readonly connection: SocketConnection;
  readonly send: (frames: EventFrames) => void;
}

/**
 * Position of a connection in a log. While it is behind, it reads the log at the pace of its peer and holds at most a page. Once it
 * has caught up, it sends the events that the feed publishes. The switch is atomic, so no event is missing, none comes twice, and
 * all come in order (P11).
 */
export class SocketCursor {
  readonly #deps: SocketCursorDeps;
  #next: number;
  #live = false;

  /** @param from the number of the first event to send */
  constructor(deps: SocketCursorDeps, from: number) {
    this.#deps = deps;
    this.#next = from;
  }

  /** True if it has caught up and sends published events. */
  get live(): boolean {
    return this.#live;
  }

  /**
   * Sends the log up to `through` and to the feed's position, then goes live. Resolves with false when the connection was closed
   * before that.
   */
  async catchUp(through: number): Promise<boolean> {
    const { feed, connection } = this.#deps;
    while (this.#next < feed.position || this.#next <= through) {
      const to = Math.min(this.#next + PAGE, Math.max(feed.position, through + 1));
      for await (const frames of framesOf(feed.conversation.events, this.#next, to)) {
        this.#deps.send(frames);
        await connection.drained();
        if (connection.isClosed) return false;
      }
      this.#next = to;
      // let other work run during the replay of a long log
      await feed.platform.nextTurn();
    }
    this.#live = !connection.isClosed;
    return this.#live;
  }

  /** Sends an event that the feed published. */
  event(frames: EventFrames): void {
    if (!this.#live || frames.seq < this.#next) return;
    this.#next = frames.seq + 1;
    this.#deps.send(frames);
  }
}

/** Yields events with their numbers; damaged events are left out. */
async function* framesOf(events: EventsList, from: number, to: number): AsyncGenerator<EventFrames> {
  const page = await events.slice(from, to);
  if (page.length === to - from) {
    for (const [offset, event] of page.entries()) yield new EventFrames(event, from + offset);
    return;
  }
  for (let index = from; index < to; index++) {
    const event: Event | undefined = await events.at(index);
    if (event) yield new EventFrames(event, index);
  }
}
