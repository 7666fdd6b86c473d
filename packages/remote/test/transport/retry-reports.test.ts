import { createServer } from 'node:http';

import { isConversationError } from '@conv/core';
import { systemPlatform } from '@conv/core/platform';
import { ManualPlatform } from '@conv/testing-harness';
import { expect, onTestFinished, test } from 'vitest';

import { openRemoteConversation, RemoteWorkspace, type ServerRetry } from '../../src/index.ts';
import { AGENT } from '../support/bench.ts';
import { listening } from '../support/listening.ts';

test('onRetry tells the reason and the duration of a wait for a server, and the wait continues', async () => {
  const told: ServerRetry[] = [];
  const onRetry = (retry: ServerRetry): void => {
    told.push(retry);
    throw new Error('no interest');
  };
  // the time is over after two retries, however long they take
  const platform = { ...systemPlatform, now: () => (told.length > 1 ? 60_000 : 0) };
  const nowhere = new RemoteWorkspace({
    url: 'http://127.0.0.1:1',
    requests: { requestTimeout: 30_000, backoff: { first: 5 }, onRetry },
    platform,
  });
  const refused = await openRemoteConversation({}, { agent: AGENT, workspace: nowhere }).catch((e: unknown) => e);
  expect(isConversationError(refused, 'UNREACHABLE')).toBe(true);
  expect(told.length).toBeGreaterThan(1);
  expect(told.map(({ attempt }) => attempt)).toEqual(told.map((_, index) => index + 1));
  expect(told[0]?.message).toMatch(/^GET http:\/\/127\.0\.0\.1:1\/server_info: .*ECONNREFUSED/);
});

test('onRecovered is called once when the server answers again', async () => {
  let missing = 3;
  const server = createServer((request, response) => {
    if (missing-- > 0) request.socket.destroy();
    else response.setHeader('content-type', 'application/json').end('{}');
  });
  const told: string[] = [];
  const workspace = new RemoteWorkspace({
    url: await listening(server),
    requests: {
      backoff: { first: 5 },
      onRetry: ({ attempt }) => told.push(`missed ${attempt}`),
      onRecovered: () => {
        told.push('answered');
        throw new Error('no interest');
      },
    },
  });
  const client = workspace.connect();
  onTestFinished(() => client.close());
  for (let request = 0; request < 2; request += 1)
    expect(await client.json({ method: 'GET', path: '/server_info' })).toEqual({});
  expect(told).toEqual(['missed 1', 'missed 2', 'missed 3', 'answered']);
});

test('a client without onRetry warns once of a server that does not answer, but not in alive()', async () => {
  const warnings: Error[] = [];
  const listen = (warning: Error): void => void warnings.push(warning);
  process.on('warning', listen);
  onTestFinished(() => void process.off('warning', listen));
  const platform = new ManualPlatform();
  const workspace = new RemoteWorkspace({ url: 'http://127.0.0.1:1', platform });
  onTestFinished(() => workspace.close());
  const pass = async (): Promise<void> => {
    for (const delay of [187.5, 375, 750, 1500]) {
      await platform.untilWaiting(delay);
      platform.pass(delay);
    }
  };
  const alive = workspace.alive();
  await pass();
  platform.pass(5_000);
  expect([await alive, warnings]).toEqual([false, []]);
  const enough = new AbortController();
  const asked = workspace.serverInfo({ signal: enough.signal }).catch((error: unknown) => error);
  await pass();
  enough.abort('enough');
  expect(await asked).toBe('enough');
  expect(warnings).toHaveLength(1);
  const [warning] = warnings;
  expect(warning?.name).toBe('ServerWarning');
  expect(warning?.message).toMatch(
    /^GET http:\/\/127\.0\.0\.1:1\/server_info: .*ECONNREFUSED.*; waiting for up to 15 s more$/,
  );
});
