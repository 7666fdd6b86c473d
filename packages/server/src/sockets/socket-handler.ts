import type { SocketRoute } from '@conv/openhands/sockets';

import type { NeededScope } from '../auth/principal.ts';
import type { SocketConnection } from './socket-connection.ts';

/**
 * Serves a connection. When the promise settles, the connection is closed if it is still open, unless it resolves with `stays`: then the connection is
 * served by calls, so that an idle one has no function that waits. A rejection is reported.
 */
export type ServeConnection = (connection: SocketConnection) => Promise<'stays' | void>;

/** A path for sockets. Made by {@link handleSocket}. */
export interface SocketHandler {
  /** The path with parameters in braces: `/sockets/events/{conversation_id}`. */
  readonly path: string;
  /** Scopes that a client needs. */
  readonly scope: NeededScope;
  /** True to refuse clients that are limited to some conversations. */
  readonly allConversations?: boolean | undefined;
  /**
   * Returns how to serve a socket, from the path's parameters and the query. Called before the upgrade. `undefined` is answered
   * with 403.
   */
  accept(params: Readonly<Record<string, string>>, query: URLSearchParams): ServeConnection | undefined;
}

/**
 * Serves a socket of the protocol. Requests that do not fit its schemas are refused before the upgrade. `open` receives the
 * parsed input of all other requests.
 */
export function handleSocket<Params, Query, ServerFrame, ClientFrame>(
  route: SocketRoute<Params, Query, ServerFrame, ClientFrame>,
  open: (
    connection: SocketConnection,
    input: { readonly params: Params; readonly query: Query },
  ) => ReturnType<ServeConnection>,
): SocketHandler {
  return {
    path: route.path,
    scope: route.scope,
    allConversations: route.allConversations,
    accept(given, search) {
      const params = route.params ? route.params.safeParse(given) : { success: true as const, data: given as Params };
      const query = route.query.safeParse(Object.fromEntries(search));
      if (!params.success || !query.success) return undefined;
      return (connection) => open(connection, { params: params.data, query: query.data });
    },
  };
}

/** A socket of a handler. */
export interface FoundSocket extends Pick<SocketHandler, 'path' | 'scope' | 'allConversations'> {
  readonly params: Readonly<Record<string, string>>;
  readonly serve: ServeConnection;
}

/** Returns the handler's function for a path; `undefined` when no handler accepts it. */
export function findSocket(
  handlers: readonly SocketHandler[],
  path: string,
  query: URLSearchParams,
): FoundSocket | undefined {
  const segments = path.split('/');
  for (const handler of handlers) {
    const params = match(handler.path.split('/'), segments);
    const serve = params && handler.accept(params, query);
    const { path: found, scope, allConversations } = handler;
    if (serve) return { path: found, scope, allConversations, params, serve };
  }
  return undefined;
}

function match(pattern: readonly string[], segments: readonly string[]): Readonly<Record<string, string>> | undefined {
  if (pattern.length !== segments.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of pattern.entries()) {
    const segment = segments[index] as string;
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    if (name === undefined && part !== segment) return undefined;
    if (name === undefined) continue;
    const value = decoded(segment);
    if (value === undefined || value === '') return undefined;
    params[name] = value;
  }
  return params;
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
