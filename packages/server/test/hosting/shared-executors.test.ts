import { MemoryStore } from '@conv/core/store';
import { expect, test } from 'vitest';

import { ConversationExecutors, type Hands } from '../../src/hosting/conversation-executors.ts';
import type { ExecutorRuntime } from '../../src/index.ts';
import type { HostOptions } from '../../src/hosting/host-options.ts';
import { startServer } from '../support/test-server.ts';

/** Resolves with the executors of a server that has a conversation, what they were told when they stopped, and hands. */
async function executors(): Promise<{
  readonly parent: () => Promise<Hands>;
  readonly child: () => Promise<Hands>;
  readonly told: readonly boolean[];
}> {
  const told: boolean[] = [];
  const apart: ExecutorRuntime = {
    open: () => ({
      executor: { execute: async () => ({}), end: async () => undefined },
      close: async ({ isTakenOver }) => void told.push(isTakenOver),
    }),
  };
  const runtimes = { default: 'apart', offered: { apart } };
  const store = new MemoryStore();
  const server = await startServer({ store, runtimes });
  const { id } = await server.make();
  await server.close();
  told.length = 0;
  const host = { store, runtimes, persistenceDir: server.folder } as unknown as HostOptions;
  const all = new ConversationExecutors(host);
  const workspace = { kind: 'LocalWorkspace', workingDir: '/work', executor: true } as const;
  const meta = { conversation_runtime: 'apart' };
  return {
    told,
    parent: () => all.forStored(id, { workspace, parentId: null, extra: { meta } } as never),
    child: () => all.forStored('child', { workspace, parentId: id, extra: { meta: {} } } as never),
  };
}

const inOrder = { isTakenOver: false };

test('an executor stops with its last user, if that is its own conversation', async () => {
  const { parent, child, told } = await executors();
  const [first, second] = [await parent(), await child()];
  await second.release(inOrder);
  expect(told).toEqual([]);
  await first.release(inOrder);
  expect(told).toEqual([false]);
});

test('a sub-agent that is unloaded last does not stop the executor under the next owner of its parent', async () => {
  const { parent, child, told } = await executors();
  const [first, second] = [await parent(), await child()];
  await first.release(inOrder);
  await second.release(inOrder);
  expect(told).toEqual([true]);
});

test('a parent that is loaded again owns its executor again', async () => {
  const { parent, child, told } = await executors();
  const [first, second] = [await parent(), await child()];
  await first.release(inOrder);
  const again = await parent();
  await second.release(inOrder);
  await again.release(inOrder);
  expect(told).toEqual([false]);
});

test('a sub-agent that is loaded without its parent leaves the executor to who owns that', async () => {
  const { child, told } = await executors();
  await (await child()).release(inOrder);
  expect(told).toEqual([true]);
});
