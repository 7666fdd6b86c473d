import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below those that systems give to clients. */
const FIRST = 15_000;
const LAST = 32_000;

/** Ports that nobody listens on, and that no client is given while a server is away that is to come back there. */
export async function lastingPorts(count: number): Promise<readonly number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = randomInt(FIRST, LAST);
    if (!ports.has(port) && (await isFree(port))) ports.add(port);
  }
  return [...ports];
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const free = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => resolve(true));
  });
  if (free) await new Promise((resolve) => server.close(resolve));
  return free;
}
