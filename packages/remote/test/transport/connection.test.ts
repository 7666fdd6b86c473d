import { isConversationError } from '@conv/core';
import { ManualPlatform } from '@conv/testing-harness';
import { expect, test } from 'vitest';

import { openRemoteConversation } from '../../src/index.ts';
import { AGENT, Bench } from '../support/bench.ts';

test('a server that is not there is UNREACHABLE, with the reason as cause', async () => {
  const bench = await Bench.start();
  await bench.server.stop();
  const workspace = bench.workspace({ requests: { requestTimeout: 30, backoff: { first: 5, most: 10 } } });
  const error = await openRemoteConversation({}, { agent: AGENT, workspace }).catch((reason: unknown) => reason);
  expect(isConversationError(error, 'UNREACHABLE')).toBe(true);
  expect(((error as Error).cause as Error).cause).toMatchObject({ code: 'ECONNREFUSED' });
  expect(await workspace.alive()).toBe(false);
});

test('asking if a server is alive leaves no timer behind', async () => {
  await using bench = await Bench.start();
  const platform = new ManualPlatform();
  expect(await bench.workspace({ platform }).alive()).toBe(true);
  expect(platform.waits).toEqual([]);
});

test('an answer that does not match the route rejects SERVER_FAILED', async () => {
  await using bench = await Bench.start({
    fault: ({ path }) => (path.endsWith('/search') ? { status: 200, body: { items: [{ no: 'event' }] } } : undefined),
  });
  const error = await bench.open().catch((reason: unknown) => reason);
  expect(isConversationError(error, 'SERVER_FAILED')).toBe(true);
});

test('a snapshot of two megabytes is no reason to give a socket up', async () => {
  await using bench = await Bench.start({ turns: [(one) => (one.say('Done.'), 'finished')] });
  const conversation = await bench.open();
  await conversation.sendMessage('Go');
  bench.server.conversation.tags = { large: 'x'.repeat(2 * 1024 * 1024) };
  await bench.until(() => bench.server.conversation.listeners.size > 0);
  expect((await conversation.run({ pollInterval: 1_000_000 })).status).toBe('finished');
  expect(bench.server.connections).toBe(1);
});

test.for([{ persistenceDir: 'conversations' }, { store: {} }, { maxIterations: 0 }, { tags: { 'A b': 'c' } }])(
  'P13: %j is refused before any request',
  async (options) => {
    await using bench = await Bench.start();
    const error = await bench.open(options as never).catch((reason: unknown) => reason);
    expect(isConversationError(error, 'INVALID_INPUT')).toBe(true);
    expect(bench.server.requests).toEqual([]);
  },
);

test('opening says what is missing, there already, or of another kind', async () => {
  await using bench = await Bench.start();
  const conversation = await bench.open();
  const { id } = conversation;
  const codes: unknown[] = [];
  for (const options of [
    { id: crypto.randomUUID(), create: 'never' },
    { id, create: 'must' },
    { id, agent: { kind: 'ACPAgent' } },
    { agent: undefined },
    { id: 'no uuid' },
  ] as const)
    codes.push(await bench.open(options as never).catch((error: { code: unknown }) => error.code));
  expect(codes).toEqual(['NOT_FOUND', 'EXISTS', 'AGENT_MISMATCH', 'AGENT_REQUIRED', 'INVALID_INPUT']);
});

test('a command that no server has begun with is sent again, whatever it is', async () => {
  await using bench = await Bench.start();
  const conversation = await bench.open();
  let refusals = 2;
  let headers: Record<string, string> = { 'x-conv-not-begun': 'closing' };
  bench.server.options = {
    ...bench.server.options,
    fault: ({ path }) => {
      if (!path.endsWith('/condense')) return undefined;
      return refusals-- > 0 ? { status: 503, headers } : { status: 200, body: { success: true } };
    },
  };
  await conversation.history.condense();
  expect(bench.server.count('POST', /\/condense$/)).toBe(3);
  refusals = 1;
  headers = {};
  await expect(conversation.history.condense()).rejects.toMatchObject({ code: 'SERVER_FAILED' });
  expect(bench.server.count('POST', /\/condense$/)).toBe(4);
});
