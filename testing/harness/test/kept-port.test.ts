import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';

import { keptPort } from '../src/index.ts';

test('a kept port is outside of the range that the system chooses from, and a server can listen there', async () => {
  const ports = await Promise.all(Array.from({ length: 20 }, () => keptPort()));
  for (const port of ports) expect(port < 32_768 && port >= 10_000).toBe(true);
  const server = createServer().listen(ports[0], '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
});
