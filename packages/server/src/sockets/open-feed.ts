import { isConversationError } from '@conv/core';
import { CLOSE_CODES, type CloseCode } from '@conv/openhands/sockets';

import type { FeedLease, FeedRegistry } from './feed-registry.ts';
import type { SocketConnection } from './socket-connection.ts';

/** Default maximum number of sockets per conversation. */
export const MAX_SOCKETS = 10_000;

/**
 * Resolves with a conversation's feed for one connection; `undefined` when there is none, after closing the connection with the
 * code of the reason. Rejects for errors that neither the client nor the conversation causes.
 */
export async function openFeed(
  feeds: FeedRegistry,
  connection: SocketConnection,
  id: string,
  maxSockets: number,
): Promise<FeedLease | undefined> {
  let lease: FeedLease;
  try {
    lease = await feeds.open(id);
  } catch (error) {
    const code = closeCode(error);
    if (!code) throw error;
    connection.close(code);
    return undefined;
  }
  if (lease.feed.size < maxSockets && !connection.isClosed) return lease;
  connection.close(CLOSE_CODES.tooManyConnections);
  lease[Symbol.dispose]();
  return undefined;
}

/**
 * Closes the connection because the conversation can no longer be followed, for this reason. A client of a deleted conversation is told not to
 * come back; any other client may come back and find its owner.
 */
export function closeAtEnd(connection: SocketConnection, reason: unknown): void {
  connection.close(closeCode(reason) ?? CLOSE_CODES.shutdown);
}

/**
 * Returns the close code for an error, which tells clients not to come back or to come back later; `undefined` for other errors.
 */
function closeCode(error: unknown): CloseCode | undefined {
  if (isConversationError(error, 'NOT_FOUND') || isConversationError(error, 'INVALID_INPUT'))
    return CLOSE_CODES.notFound;
  return isConversationError(error, 'CLOSED') ? CLOSE_CODES.shutdown : undefined;
}
