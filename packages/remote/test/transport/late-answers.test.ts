import { once } from 'node:events';
import { createServer } from 'node:http';

import { ManualPlatform } from '@conv/testing-harness';
import { expect, onTestFinished, test } from 'vitest';

import { RemoteWorkspace, type ServerRetry } from '../../src/index.ts';
import { Bench, collect, NUMBERED } from '../support/bench.ts';
import type { FakeSocket } from '../support/fake-server.ts';
import { listening } from '../support/listening.ts';

/** Starts a server whose answers wait until they are let go. */
async function slowServer(): Promise<{
  readonly url: string;
  readonly asked: () => number;
  readonly letGo: () => void;
}> {
  const waiting: (() => void)[] = [];
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json');
    waiting.push(() => response.end('{}'));
  });
  return {
    url: await listening(server),
    asked: () => waiting.length,
    letGo: () => waiting.splice(0).forEach((answer) => answer()),
  };
}

test('onRetry reports a server that keeps its connections silent for 5 s, and the request continues', async () => {
  const { url, asked, letGo } = await slowServer();
  const told: (ServerRetry | string)[] = [];
  const platform = new ManualPlatform();
  const workspace = new RemoteWorkspace({
    url,
    platform,
    requests: { onRetry: (retry) => told.push(retry), onRecovered: () => told.push('answered') },
  });
  const client = workspace.connect();
  onTestFinished(() => client.close());
  const answer = client.json({ method: 'GET', path: '/server_info' });
  await platform.untilWaiting(5_000);
  platform.pass(4_999);
  expect(told).toEqual([]);
  platform.pass(1);
  const message = `GET ${url}/server_info: no answer for 5 s`;
  expect(told).toEqual([{ message, attempt: 1, delay: 55_000, left: 55_000 }]);
  while (asked() === 0) await platform.nextTurn();
  letGo();
  expect(await answer).toEqual({});
  expect(told.slice(1)).toEqual(['answered']);
  expect(platform.waits).toEqual([]);
});

test('an answer that comes in time, or may take long, is never told of as late', async () => {
  const { url, asked, letGo } = await slowServer();
  const told: unknown[] = [];
  const platform = new ManualPlatform();
  const requests = { onRetry: (retry: ServerRetry) => told.push(retry), onRecovered: () => told.push('answered') };
  const client = new RemoteWorkspace({ url, platform, requests }).connect();
  onTestFinished(() => client.close());
  for (const [more, wait] of [
    [{}, 4_999],
    [{ timeout: 600_000 }, 60_000],
  ] as const) {
    const answer = client.json({ method: 'GET', path: '/server_info', ...more });
    while (asked() === 0) await platform.nextTurn();
    platform.pass(wait);
    letGo();
    expect(await answer).toEqual({});
  }
  platform.pass(3_600_000);
  expect(told).toEqual([]);
});

test('P11: a follower reports a stopped server within 15 s, and once more when it continues', async () => {
  const told: string[] = [];
  const platform = new ManualPlatform();
  const requests = {
    onRetry: ({ message }: ServerRetry) => told.push(message),
    onRecovered: () => told.push('answered'),
  };
  await using bench = await Bench.start({ capabilities: NUMBERED });
  const conversation = await bench.open({ workspace: bench.workspace({ platform, requests }) });
  const { seen } = collect(conversation);
  await bench.until(() => bench.server.sockets.size === 1);
  // the open and the subscriber each read the log; a request that waits when time passes would be told of as late
  const late = (): number => platform.waits.filter((wait) => wait === 5_000).length - 1;
  await bench.until(() => bench.server.count('GET', /events\/search$/) === 2 && late() === 0);
  const [{ socket }] = [...bench.server.sockets] as [FakeSocket];
  platform.pass(5_000);
  await once(socket, 'ping');
  // comes behind the answer to the ping
  bench.server.conversation.say('Here.');
  await bench.until(() => seen.length === 1);
  const { promise: goesOn, resolve: goOn } = Promise.withResolvers<undefined>();
  bench.server.options = { ...bench.server.options, fault: () => goesOn };
  socket.pause();
  const { length: asked } = bench.server.requests;
  platform.pass(5_000);
  platform.pass(4_999);
  await platform.nextTurn();
  expect(bench.server.requests).toHaveLength(asked);
  platform.pass(1);
  await bench.until(() => bench.server.requests.length > asked);
  expect(told).toEqual([]);
  platform.pass(5_000);
  expect(told).toEqual([expect.stringMatching(/: no answer for 5 s$/)]);
  socket.resume();
  goOn(undefined);
  await bench.until(() => told.length > 1);
  bench.server.conversation.say('Still here.');
  await bench.until(() => seen.length === 2);
  expect(told.slice(1)).toEqual(['answered']);
  expect(bench.server.connections).toBe(1);
});
