import type { IncomingMessage } from 'node:http';

import { authFrameSchema, CLOSE_CODES } from '@conv/protocol';

import type { AccessKeys } from '../auth/access-keys.ts';
import type { OriginRules } from '../auth/cross-origin.ts';
import type { SocketClock } from './socket-clock.ts';
import type { SocketConnection } from './socket-connection.ts';

/** The key that opens it, which is none where none is needed. `first-frame`: nothing was shown yet; the first frame has to. */
export type UpgradeVerdict = { readonly key: string | undefined } | 'refused' | 'first-frame';

/**
 * What a request for an upgrade shows: a key in the query counts before one in the header. Browsers let every page open sockets; where
 * no key is needed only pages that may call are let in.
 */
export function judgeUpgrade(
  keys: AccessKeys,
  origins: OriginRules,
  { headers, url = '' }: IncomingMessage,
): UpgradeVerdict {
  const { origin } = headers;
  if (!keys.required) return origin === undefined || origins.allow(origin, '') ? { key: undefined } : 'refused';
  const inQuery = keysInQuery(url);
  const shown = inQuery.length > 0 ? inQuery : [headers['x-session-api-key']].flat().filter((key) => !!key);
  if (shown.length === 0) return 'first-frame';
  const key = shown.find((one) => keys.accepts(one));
  return key === undefined ? 'refused' : { key };
}

/**
 * Waits for the frame that shows a key. Resolves with it when it came in time; otherwise the connection is closed with 4001, which tells
 * the client not to come back.
 */
export async function awaitKey(
  connection: SocketConnection,
  keys: AccessKeys,
  { clock, deadline }: { readonly clock: SocketClock; readonly deadline: number },
): Promise<string | undefined> {
  const stop = clock.after(deadline, () => connection.close(CLOSE_CODES.authenticationFailed));
  const frame = await connection.receive();
  stop();
  const key = frame && 'text' in frame ? keyOf(frame.text) : undefined;
  if (key !== undefined && keys.accepts(key)) return key;
  connection.close(CLOSE_CODES.authenticationFailed);
  return undefined;
}

/** Whether a frame is one that shows a key; behind the first frame it says nothing. */
export function isAuthFrame(frame: unknown): boolean {
  return typeof frame === 'object' && frame !== null && 'type' in frame && frame.type === 'auth';
}

function keyOf(text: string): string | undefined {
  try {
    return authFrameSchema.safeParse(JSON.parse(text)).data?.session_api_key;
  } catch {
    return undefined;
  }
}

/** Decoded, and as it stands: there are clients that put a key into an address without encoding it. */
function keysInQuery(url: string): readonly string[] {
  const query = url.slice(url.indexOf('?') + 1);
  if (!url.includes('?')) return [];
  const raw = query.split('&').find((pair) => pair.startsWith('session_api_key='));
  const decoded = new URLSearchParams(query).get('session_api_key');
  return [decoded, raw?.slice('session_api_key='.length)].filter(
    (key) => key !== undefined && key !== null && key !== '',
  ) as string[];
}
