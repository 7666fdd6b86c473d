import type { Platform } from '@conv/core/platform';
import { eventsSocket, sessionSocket, type EventsSocketQuery } from '@conv/openhands/sockets';
import { ConversationError, type EventsList } from '@conv/core';
import type { LlmMessage } from '@conv/openhands/messages';

import { refusalFor } from '../auth/principal.ts';
import { takeFrame } from './client-frames.ts';
import type { ConversationFeed, FeedListener } from './conversation-feed.ts';
import { EventsSocket, type EventsReplay } from './events-socket.ts';
import { FeedRegistry } from './feed-registry.ts';
import { MAX_SOCKETS, openFeed } from './open-feed.ts';
import { SessionSocket } from './session-socket.ts';
import type { InboundFrame } from './inbound-queue.ts';
import type { SocketConnection } from './socket-connection.ts';
import { handleSocket, type SocketHandler } from './socket-handler.ts';
import type { SocketHost } from './socket-host.ts';

export interface ConversationSocketOptions {
  readonly platform: Platform;
  readonly host: SocketHost;
  /** Feeds that streams use too. Default: feeds of the sockets alone. */
  readonly feeds?: FeedRegistry;
  /** Maximum number of sockets per conversation; a further socket is closed with 1013. Default 10,000. */
  readonly maxSockets?: number;
}

/** A socket that listens to its feed. */
interface OpenSocket extends FeedListener {
  fail(code: string, detail: string): void;
}

/** Returns the sockets of conversations: the protocol's events socket, and the session socket, whose frames carry numbers. */
export function conversationSockets(options: ConversationSocketOptions): readonly SocketHandler[] {
  const sockets = new ConversationSockets(options);
  return [
    handleSocket(eventsSocket, (connection, { params, query }) =>
      sockets.serve(connection, params.conversation_id, async (feed) => {
        const replay = await replayOf(feed, query);
        const socket = new EventsSocket(feed, connection);
        return { socket, begun: socket.begin(replay) };
      }),
    ),
    handleSocket(sessionSocket, (connection, { params, query }) =>
      sockets.serve(connection, params.conversation_id, async (feed) => {
        const socket = new SessionSocket(feed, connection);
        return { socket, begun: socket.begin(query.after_seq ?? undefined) };
      }),
    ),
  ];
}

class ConversationSockets {
  readonly #host: SocketHost;
  readonly #maxSockets: number;
  readonly #feeds: FeedRegistry;

  constructor({ platform, host, feeds, maxSockets = MAX_SOCKETS }: ConversationSocketOptions) {
    this.#host = host;
    this.#maxSockets = maxSockets;
    this.#feeds = feeds ?? new FeedRegistry(host, platform);
  }

  /** Serves a connection until it is closed. Resolves when it has caught up. */
  async serve(
    connection: SocketConnection,
    id: string,
    start: (feed: ConversationFeed) => Promise<{ readonly socket: OpenSocket; readonly begun: Promise<void> }>,
  ): Promise<'stays' | void> {
    const lease = await openFeed(this.#feeds, connection, id, this.#maxSockets);
    if (!lease) return;
    const { socket, begun } = await start(lease.feed).catch((error: unknown) => {
      lease[Symbol.dispose]();
      throw error;
    });
    connection.eachFrame((frame) => this.#takeFrame(frame, connection, id, socket));
    try {
      await begun;
    } finally {
      // not before: a socket may join its feed while it begins
      connection.whenClosed(() => {
        lease.feed.remove(socket);
        lease[Symbol.dispose]();
      });
    }
    return 'stays';
  }

  /** Handles a frame of the client. */
  async #takeFrame(frame: InboundFrame, connection: SocketConnection, id: string, socket: OpenSocket): Promise<void> {
    // the same for both sockets of a conversation
    const { frameScope } = sessionSocket;
    const host = this.#host;
    const report = (error: unknown): void => host.report(error, { conversationId: id, doing: 'taking a message' });
    const send = async (message: LlmMessage): Promise<unknown> => {
      const refusal = refusalFor(connection.caller, frameScope);
      if (refusal !== undefined) throw new ConversationError('DENIED', refusal, { conversationId: id });
      return host.send(id, message, connection.caller);
    };
    const error = await takeFrame(frame, send, report);
    if (error) socket.fail(error.code, error.detail);
  }
}

async function replayOf(
  { conversation }: ConversationFeed,
  { resend_mode: mode, resend_all: all, after_timestamp: since }: EventsSocketQuery,
): Promise<EventsReplay | undefined> {
  if (mode === 'all' || (mode === null && all)) return { from: 0 };
  if (mode !== 'since' || since === null) return undefined;
  return { from: await firstSince(conversation.events, since), since };
}

/** Number of consecutive older events after which all earlier events are assumed to be older too. */
const PAGE = 256;

/**
 * Resolves with the number of the first event that can be of this time or later. Reads from the end: the newer events and one
 * more page. Logs are in order of time, except for neighbours in imported logs.
 */
async function firstSince(events: EventsList, time: string): Promise<number> {
  let first = events.length;
  for (let to = events.length; to > 0; to -= PAGE) {
    const from = Math.max(0, to - PAGE);
    const page = await events.slice(from, to);
    const newer = page.findIndex(({ timestamp }) => timestamp >= time);
    if (newer === -1) break;
    first = from + (page.length === to - from ? newer : 0);
  }
  return first;
}
