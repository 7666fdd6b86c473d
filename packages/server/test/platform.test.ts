import { randomUUID } from 'node:crypto';

import { MemoryStore } from '@conv/core/store';
import { ManualPlatform } from '@conv/testing-harness';
import { expect, onTestFinished, test } from 'vitest';

import { ConversationHost } from '../src/hosting/conversation-host.ts';
import { only, StreamingAgent } from '@conv/testing-harness';
import { startServer } from './support/test-server.ts';

test('a server tells the time of the platform that it was given', async () => {
  const platform = new ManualPlatform(Date.UTC(2030, 0, 1));
  const server = await startServer({ platform });
  const { id } = await server.make();
  expect((await server.info(id))['created_at']).toMatch(/^2030-01-01T00:00:00/);
  platform.pass(90_000);
  expect((await server.call('GET', '/server_info')).body).toMatchObject({ uptime: 90, idle_time: 90 });
});

test('an idle conversation is unloaded when twenty minutes of the given platform have passed', async () => {
  const platform = new ManualPlatform();
  const agent = new StreamingAgent();
  const host = new ConversationHost({
    platform,
    store: new MemoryStore(),
    persistenceDir: '/nowhere',
    agents: only(agent),
  });
  onTestFinished(() => host.close());
  const id = randomUUID();
  (await host.create({ id, agent, workspace: '/tmp' })).release();
  platform.pass(20 * 60_000 - 1);
  await platform.nextTurn();
  expect(host.load.conversations).toBe(1);
  platform.pass(1);
  await expect.poll(() => host.load.conversations).toBe(0);
});
