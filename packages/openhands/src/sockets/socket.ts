import type { z } from 'zod';

import type { NeededScope } from '../rest/route.ts';

/**
 * WebSocket of the server: its address, and the frames of both ends. All frames are JSON texts. An upgrade is refused with HTTP 403 if
 * `params` or `query` do not fit, or for a wrong key in the URL or a header.
 */
export interface SocketRoute<Params, Query, ServerFrame, ClientFrame> {
  /** With parameters in braces. */
  readonly path: string;
  readonly params?: z.ZodType<Params>;
  /** Scopes that a client needs to open the socket. */
  readonly scope: NeededScope;
  /** Scopes that a client needs, beside `scope`, for its frames to be executed. */
  readonly frameScope: NeededScope;
  /** True if the frames are about more than single conversations, so a client that may know only some of them is refused. */
  readonly allConversations?: true;
  readonly query: z.ZodType<Query>;
  readonly serverFrame: z.ZodType<ServerFrame>;
  readonly clientFrame: z.ZodType<ClientFrame>;
  /** Ours: OpenHands' 1.43.1 does not have it. */
  readonly extension?: true;
}

/** Returns the route; its types are those of its schemas. */
export function defineSocket<Params, Query, ServerFrame, ClientFrame>(
  route: SocketRoute<Params, Query, ServerFrame, ClientFrame>,
): SocketRoute<Params, Query, ServerFrame, ClientFrame> {
  return route;
}
