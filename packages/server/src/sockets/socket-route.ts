import type { SocketConnection } from './socket-connection.ts';

/** What the braces of a path stood for. */
export type SocketParams = Readonly<Record<string, string>>;

/** One path that sockets are opened on. */
export interface SocketRoute {
  /** With parameters in braces: `/sockets/events/{conversation_id}`. */
  readonly path: string;
  /** Whether it can be opened so. Asked before the upgrade: the answer to what it does not take is 403. Default: it takes everything. */
  readonly takes?: (params: SocketParams, query: URLSearchParams) => boolean;
  /**
   * Called when the client has shown that it may. The connection is closed when the promise is settled and the handler did not close
   * it; what it rejects with is reported.
   */
  open(connection: SocketConnection, params: SocketParams, query: URLSearchParams): Promise<void>;
}

/** A route that was found for a path. */
export interface FoundRoute {
  readonly route: SocketRoute;
  readonly params: SocketParams;
}

/** The route of a path, and what its braces stood for; `undefined` when there is none, or a parameter is not decodable. */
export function findRoute(routes: readonly SocketRoute[], path: string): FoundRoute | undefined {
  const segments = path.split('/');
  for (const route of routes) {
    const params = match(route.path.split('/'), segments);
    if (params) return { route, params };
  }
  return undefined;
}

function match(pattern: readonly string[], segments: readonly string[]): SocketParams | undefined {
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
