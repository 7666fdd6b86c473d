import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { expect, onTestFinished, test } from 'vitest';

import { EngineClient } from '../src/engine/engine-client.ts';
import { startChecked } from '../src/start-checked.ts';

const container = { id: 'one', name: 'one', options: {} };

/** An engine that starts and kills containers, and answers with this status what is mounted in one. Returns the paths that it was asked for, too. */
async function engineWith(
  status: number,
  asked: () => void = () => undefined,
  started: (path: string) => void = () => undefined,
) {
  const paths: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    paths.push(url);
    started(url);
    if (!url.endsWith('/json')) return response.writeHead(204).end();
    asked();
    return response.writeHead(status).end(JSON.stringify({ message: 'no table of mounts' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const engine = new EngineClient({ origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  onTestFinished(async () => {
    await engine.close();
    server.close();
  });
  return { engine, paths };
}

const ALL = ['/containers/one/start', '/containers/one/json', '/containers/one/kill'];

test('a container whose mounts the engine does not tell is killed', async () => {
  const { engine, paths } = await engineWith(500);
  const { signal } = new AbortController();
  await expect(startChecked(engine, container, signal)).rejects.toMatchObject({
    code: 'SERVER_FAILED',
    message: expect.stringContaining('no table of mounts'),
  });
  expect(paths).toEqual(ALL);
});

test('a container whose start is cancelled before it was compared is killed', async () => {
  const cancelled = new AbortController();
  const { engine, paths } = await engineWith(200, () => cancelled.abort(new Error('no longer wanted')));
  await expect(startChecked(engine, container, cancelled.signal)).rejects.toThrow('no longer wanted');
  expect(paths).toEqual(ALL);
});

test('a container whose start is cancelled while the engine starts it is killed', async () => {
  const cancelled = new AbortController();
  const atStart = (path: string): void => {
    if (path.endsWith('/start')) cancelled.abort(new Error('no longer wanted'));
  };
  const { engine, paths } = await engineWith(200, undefined, atStart);
  await expect(startChecked(engine, container, cancelled.signal)).rejects.toThrow('no longer wanted');
  expect(paths).toEqual(['/containers/one/start', '/containers/one/kill']);
});
