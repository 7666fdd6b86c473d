import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Above the ports of services and the ports that `fetch` refuses, below the ports that the system chooses. */
const [FIRST, END] = [10_100, 30_000];

/**
 * Resolves with a port of this machine at which no program listens, for a server that takes the same port again when it comes back. A
 * port that the system chose may be given to another program while no server has it.
 */
export async function keptPort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, END);
    const server = createServer().listen(port, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
