import { userMessage } from '@conv/core/events';
import { ConversationState } from '@conv/core';
import { systemPlatform, type Platform } from '@conv/core/platform';
import { MemoryStore, StoreError, type ConversationStore, type JournalEnd } from '@conv/core/store';
import { expect, onTestFinished, test } from 'vitest';

import { ConversationHost } from '../../src/hosting/conversation-host.ts';
import { ScriptedAgents } from '../support/scripted-agents.ts';

/** A platform whose timers fire when told. */
function toldPlatform(): Platform & { readonly fire: () => void } {
  const timers = new Set<() => void>();
  return {
    ...systemPlatform,
    setTimer: (_, work) => {
      timers.add(work);
      const cancel = (): void => void timers.delete(work);
      return { cancel, [Symbol.dispose]: cancel };
    },
    fire: () => {
      for (const work of timers) work();
      timers.clear();
    },
  };
}

/** A store that counts its open readers, with a conversation that another owner writes. */
async function foreign(
  id: string,
): Promise<{ readonly store: ConversationStore; readonly state: ConversationState; open: number; opened: number }> {
  const inner = new MemoryStore();
  const state = await ConversationState.open(await inner.open(id, { owner: 'another' }), { id });
  const counts = { open: 0, opened: 0 };
  const read: ConversationStore['read'] = async (of) => {
    const reader = await inner.read(of);
    if (!reader) return undefined;
    counts.open++;
    counts.opened++;
    const close = async (): Promise<void> => {
      counts.open--;
      await reader.close();
    };
    // as the readers of files and databases do
    const refresh = async (): Promise<JournalEnd> => {
      const again = await inner.read(of);
      if (!again) throw new StoreError('NOT_FOUND', `conversation ${of} was deleted`);
      await again.close();
      return reader.refresh();
    };
    return new Proxy(reader, {
      get: (target, name) => {
        if (name === 'close') return close;
        if (name === 'refresh') return refresh;
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
  };
  const store = new Proxy(inner as ConversationStore, {
    get: (target, name) => {
      if (name === 'read') return read;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  return Object.assign(counts, { store, state });
}

const ID = '00000000-0000-4000-8000-000000000007';

test('readers of the past of a foreign conversation share a reader, which is closed when it is idle', async () => {
  const other = await foreign(ID);
  await other.state.append([userMessage('one')]);
  const platform = toldPlatform();
  const host = new ConversationHost({
    store: other.store,
    agents: new ScriptedAgents({}, []),
    persistenceDir: '/nowhere',
    platform,
  });
  onTestFinished(() => host.close());
  const look = async (event: number): Promise<number | undefined> => {
    await using reading = await host.readPast(ID);
    await reading?.past.at({ event });
    return reading?.state.end.event;
  };
  expect(await look(0)).toBe(1);
  await other.state.append([userMessage('two')]);
  expect([await look(1), other.opened]).toEqual([2, 1]);
  platform.fire();
  await expect.poll(() => other.open).toBe(0);
  expect([await look(1), other.opened, other.open]).toEqual([2, 2, 1]);
  await host.close();
  expect(other.open).toBe(0);
});

test('a deleted conversation is no longer read', async () => {
  const other = await foreign(ID);
  await other.state.append([userMessage('one')]);
  const host = new ConversationHost({
    store: other.store,
    agents: new ScriptedAgents({}, []),
    persistenceDir: '/nowhere',
  });
  onTestFinished(() => host.close());
  await (await host.readPast(ID))?.[Symbol.asyncDispose]();
  await other.state.close();
  await other.store.delete(ID);
  expect(await host.readPast(ID)).toBeUndefined();
  expect(other.open).toBe(0);
});
