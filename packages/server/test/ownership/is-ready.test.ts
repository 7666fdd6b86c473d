import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

import { ManualPlatform } from '@conv/testing-harness';
import { expect, onTestFinished, test } from 'vitest';

import { isReady } from '../../src/ownership/is-ready.ts';

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a server is ready if it says so in time, and no timer is left when it has said anything', async () => {
  const platform = new ManualPlatform();
  for (const [status, expected] of [
    [200, true],
    [503, false],
  ] as const) {
    const url = await serve((_, response) => response.writeHead(status).end('{}'));
    expect(await isReady(url, platform)).toBe(expected);
  }
  expect(await isReady('http://127.0.0.1:1', platform)).toBe(false);
  expect(platform.waits).toEqual([]);
  const asked = Promise.withResolvers<void>();
  const silent = isReady(await serve(() => asked.resolve()), platform);
  await asked.promise;
  platform.pass(1500);
  expect(await silent).toBe(false);
});
