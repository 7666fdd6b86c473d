import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

import type { FastifyInstance } from 'fastify';

import { SocketServer, type SocketServerOptions } from './socket-server.ts';

/**
 * Serves sockets on the server of a Fastify instance, below its prefix. When the instance closes, they are closed with a code
 * that tells clients to come back. Requests for other paths are left to other listeners for upgrades; without such listeners they
 * are refused.
 */
export function registerSockets(app: FastifyInstance, options: SocketServerOptions): SocketServer {
  const sockets = new SocketServer(options);
  const upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const path = (request.url ?? '').split('?')[0] as string;
    const isOurs = path.startsWith(`${app.prefix}/sockets/`);
    if (!isOurs && app.server.listenerCount('upgrade') > 1) return;
    void sockets.handle(request, socket, head, isOurs ? path.slice(app.prefix.length) : '');
  };
  app.server.on('upgrade', upgrade);
  app.addHook('preClose', async () => sockets.close());
  app.addHook('onClose', async () => void app.server.off('upgrade', upgrade));
  return sockets;
}
