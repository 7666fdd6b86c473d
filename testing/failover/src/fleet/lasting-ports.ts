import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Ports below the range that systems give to clients. */
const FIRST = 15_000;
const LAST = 32_000;

/** Returns free ports. No client is given such a port while its server is away and is to come back there. */
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
