import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

/** Number of ports to try, because another program may take a free port before the container does. */
export const PORTS = 5;

/**
 * Resolves with a port of this machine that is free now. A container gets a port of ours and not one of the engine's choice,
 * because that would be another one after a restart, and conversations would not find their server again.
 */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
