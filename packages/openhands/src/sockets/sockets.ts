import type { SocketRoute } from './socket.ts';
import { bashSocket, eventsSocket, sessionSocket } from './socket-routes.ts';

/** Every WebSocket. */
export const sockets: readonly SocketRoute<unknown, unknown, unknown, unknown>[] = [
  eventsSocket,
  sessionSocket,
  bashSocket,
];
