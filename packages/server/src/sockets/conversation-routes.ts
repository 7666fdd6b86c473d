import { toConversationId } from '@conv/core/store';

import { takeFrame, type FrameError } from './client-frames.ts';
import type { ConversationFeed, FeedListener } from './conversation-feed.ts';
import { EventsSocket, type EventsReplay } from './events-socket.ts';
import { FeedRegistry } from './feed-registry.ts';
import { closeAtEnd, MAX_SOCKETS, openFeed } from './open-feed.ts';
import { firstSince } from './replay-since.ts';
import { SessionSocket } from './session-socket.ts';
import type { SocketConnection } from './socket-connection.ts';
import type { SocketHost } from './socket-host.ts';
import { readCursor, readReplay, type ReplayQuery } from './socket-query.ts';
import type { SocketParams, SocketRoute } from './socket-route.ts';

/** How the sockets of conversations behave. */
export interface ConversationSocketOptions {
  readonly host: SocketHost;
  /** Sockets per conversation; one more is closed with 1013. Default 10,000. */
  readonly maxSockets?: number;
}

/** A socket that has been given its feed. */
interface OpenSocket extends FeedListener {
  fail(code: string, detail: string): void;
}

/** The sockets of conversations: the one of the protocol, and the one whose frames carry numbers. */
export function conversationSockets({
  host,
  maxSockets = MAX_SOCKETS,
}: ConversationSocketOptions): readonly SocketRoute[] {
  const feeds = new FeedRegistry(host);
  const serve = async <S extends OpenSocket>(
    connection: SocketConnection,
    params: SocketParams,
    make: (feed: ConversationFeed) => S,
    begin: (socket: S, feed: ConversationFeed) => Promise<void>,
  ): Promise<void> => {
    const id = idOf(params) as string;
    const lease = await openFeed(feeds, connection, id, maxSockets);
    if (!lease) return;
    const { feed } = lease;
    const socket = make(feed);
    try {
      closeAtEnd(connection, feed.conversation.ended);
      await Promise.all([
        begin(socket, feed),
        takeFrames(connection, id, host, (error) => socket.fail(error.code, error.detail)),
      ]);
    } finally {
      feed.remove(socket);
      lease[Symbol.dispose]();
    }
  };
  return [
    {
      path: '/sockets/events/{conversation_id}',
      takes: (params, query) => idOf(params) !== undefined && readReplay(query) !== undefined,
      open: (connection, params, query) =>
        serve(
          connection,
          params,
          (feed) => new EventsSocket(feed, connection),
          async (socket, feed) => socket.begin(await replayOf(feed, readReplay(query))),
        ),
    },
    {
      path: '/sockets/session/{conversation_id}',
      takes: (params, query) => idOf(params) !== undefined && readCursor(query) !== undefined,
      open: (connection, params, query) =>
        serve(
          connection,
          params,
          (feed) => new SessionSocket(feed, connection),
          (socket) => socket.begin(readCursor(query)?.after),
        ),
    },
  ];
}

/** Takes what the client sends, one frame after the other, until the connection is closed. */
async function takeFrames(
  connection: SocketConnection,
  id: string,
  host: SocketHost,
  fail: (error: FrameError) => void,
): Promise<void> {
  const report = (error: unknown): void =>
    host.report(error, { conversationId: id, doing: 'taking a message from a socket' });
  for (;;) {
    const frame = await connection.receive();
    if (!frame) return;
    const error = await takeFrame(frame, (message) => host.send(id, message), report);
    if (error) fail(error);
  }
}

async function replayOf(
  { conversation }: ConversationFeed,
  query: ReplayQuery | undefined,
): Promise<EventsReplay | undefined> {
  if (query?.mode === 'all') return { from: 0 };
  if (query?.mode !== 'since') return undefined;
  return { from: await firstSince(conversation.events, query.since), since: query.since };
}

function idOf({ conversation_id: id = '' }: SocketParams): string | undefined {
  try {
    return toConversationId(id);
  } catch {
    return undefined;
  }
}
