import { randomUUID } from 'node:crypto';

import { ConversationState } from '@conv/core';
import { systemPlatform, type Platform } from '@conv/core/platform';
import { MemoryStore, type ConversationStore } from '@conv/core/store';
import { describe, expect, test } from 'vitest';

import { ended, events, kinds, message } from '../support/conversation-calls.ts';
import { startServer, until } from '../support/test-server.ts';
import { waitingTool } from '../support/waiting-tool.ts';

const waitOnce = [{ calls: [{ name: 'wait', arguments: {} }] }, { text: 'done' }] as const;

/** Counts how often each conversation is opened for writing. */
function counting(store: ConversationStore): { store: ConversationStore; opened: string[] } {
  const opened: string[] = [];
  const open: ConversationStore['open'] = (id, options) => {
    opened.push(id);
    return store.open(id, options);
  };
  return { store: new Proxy(store, { get: (target, name) => (name === 'open' ? open : bound(target, name)) }), opened };
}

/** Milliseconds between two looks for conversations in which nothing happens. */
const REST_INTERVAL = 20_000;

/** The platform of the host, on which looks for idle conversations come every millisecond. */
const restless: Platform = {
  ...systemPlatform,
  setTimer: (milliseconds, ...more) =>
    systemPlatform.setTimer(milliseconds === REST_INTERVAL ? 1 : milliseconds, ...more),
};

function bound(target: object, name: string | symbol): unknown {
  const value: unknown = Reflect.get(target, name);
  return typeof value === 'function' ? (value.bind(target) as unknown) : value;
}

describe('a host', () => {
  test('a host reads without loading, and loads once for many that write at the same time', async () => {
    const first = await startServer();
    const { id } = await first.make();
    await first.close();
    const { store, opened } = counting(first.store);
    const server = await startServer({ store });
    await server.info(id);
    await events(server, id);
    await server.call('GET', `/api/conversations/${id}/agent_final_response`);
    expect(opened).toEqual([]);
    const texts = Array.from({ length: 10 }, (_, at) => `message ${at}`);
    await Promise.all(texts.map((text) => server.call('POST', `/api/conversations/${id}/events`, message(text))));
    expect(opened).toEqual([id]);
    expect(await events(server, id, '?source=user')).toHaveLength(10);
  });

  test('a host reads aside with the stored status, although it shows an accepted run as running', async () => {
    const server = await startServer();
    const { id } = await server.make();
    using lease = await server.host.acquire(id);
    const [begun, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const go = async (): Promise<void> => {
      begun.resolve();
      await over.promise;
    };
    const started = lease.conversation.start({ go });
    await begun.promise;
    expect((await server.info(id)).execution_status).toBe('running');
    await using aside = await server.host.readAside(id);
    expect(aside?.fields.executionStatus).toBe('idle');
    over.resolve();
    await started;
  });

  test('a host unloads an unused conversation, and loads it again', async () => {
    const { store, opened } = counting(new MemoryStore());
    const server = await startServer({ store, idleTimeout: 1 });
    const { id } = await server.make();
    await until(async () => (await isFree(store, id)) || undefined);
    expect((await server.call('POST', `/api/conversations/${id}/events`, message('again'))).status).toBe(200);
    expect(opened.filter((each) => each === id).length).toBeGreaterThan(1);
    expect(await kinds(server, id)).toEqual(['SystemPromptEvent', 'MessageEvent']);
  });

  test('P12: a host forgets what it can read again of a conversation in which nothing happens', async () => {
    const rests: number[] = [];
    const server = await startServer({ turns: [{ text: 'one' }, { text: 'two' }], platform: restless });
    const { id } = await server.make({ initial_message: message('first') });
    await ended(server, id);
    using lease = await server.host.acquire(id);
    const { state } = lease.conversation.conversation;
    const rest = state.rest.bind(state);
    state.rest = async () => {
      rests.push(state.end.seq);
      await rest();
    };
    await server.call('POST', `/api/conversations/${id}/events`, message('second', { run: true }));
    await ended(server, id);
    await until(async () => rests.at(-1) === state.end.seq || undefined);
    expect(await kinds(server, id)).toEqual([
      'SystemPromptEvent',
      'MessageEvent',
      'MessageEvent',
      'MessageEvent',
      'MessageEvent',
    ]);
    // what a reader reads then is forgotten, too
    const before = rests.length;
    await state.modelView();
    await until(async () => rests.length > before + 1 || undefined);
    expect(new Set(rests.slice(before))).toEqual(new Set([state.end.seq]));
  });

  test('P12: idle conversations of a host rest one after the other', async () => {
    let looks = 0;
    const setTimer: Platform['setTimer'] = (milliseconds, ...more) => {
      if (milliseconds === REST_INTERVAL) looks++;
      return restless.setTimer(milliseconds, ...more);
    };
    const server = await startServer({ platform: { ...restless, setTimer } });
    const goOn = Promise.withResolvers<void>();
    const resting: string[] = [];
    const states: ConversationState[] = [];
    for (let count = 0; count < 3; count++) {
      const { id } = await server.make();
      const { conversation } = await server.host.acquire(id);
      const { state } = conversation.conversation;
      states.push(state);
      state.rest = async () => {
        resting.push(id);
        await goOn.promise;
      };
    }
    await Promise.all(states.map((state) => state.update({ set: { title: 'changed' } })));
    await until(async () => resting.length > 0 || undefined);
    const before = looks;
    await until(async () => looks > before + 5 || undefined);
    expect(resting).toHaveLength(1);
    goOn.resolve();
    await until(async () => new Set(resting).size === 3 || undefined);
  });

  test('a host keeps what a run works on, however long it takes', async () => {
    const wait = waitingTool();
    const server = await startServer({ turns: [...waitOnce], tools: [wait.tool], idleTimeout: 0 });
    const { id } = await server.make({ initial_message: message('go') });
    await wait.begun;
    const other = await server.make();
    await until(async () => (await isFree(server.store, other.id)) || undefined);
    expect(await isFree(server.store, id)).toBe(false);
    wait.release();
    expect((await ended(server, id)).execution_status).toBe('finished');
  });

  test("a host serves what another process writes to readers, and refuses writes with the owner's name", async () => {
    const owner = await startServer({ turns: [{ text: 'hello' }] });
    const { id } = await owner.make({ initial_message: message('hi') });
    await ended(owner, id);
    const other = await startServer({ store: owner.store });
    expect((await other.info(id)).execution_status).toBe('finished');
    expect(await kinds(other, id)).toEqual(await kinds(owner, id));
    const refused = await other.call('POST', `/api/conversations/${id}/events`, message('mine'));
    expect(refused.status).toBe(409);
    expect(refused.body['detail']).toContain(`pid ${process.pid}`);
    expect((await other.call('DELETE', `/api/conversations/${id}`)).status).toBe(409);
    expect((await owner.info(id)).id).toBe(id);
  });

  test('a host settles what another program left running', async () => {
    const store = new MemoryStore();
    const ids = [randomUUID(), randomUUID()];
    for (const id of ids) {
      const journal = await store.open(id, { owner: 'a server that crashes' });
      const agent = { kind: 'Agent', llm: { model: 'scripted' }, tools: [] };
      const state = await ConversationState.open(journal, { id, agent, executionStatus: 'running' });
      await state.close();
    }
    const server = await startServer({ store });
    for (const id of ids) expect((await server.info(id)).execution_status).toBe('paused');
    expect(server.reported).toEqual([]);
    // the server unloads settled conversations, so that another process may own them
    for (const id of ids) await until(async () => (await isFree(store, id)) || undefined);
  });

  test('P5: a closing server leaves its runs and the queued ones to the next start, and blames no user', async () => {
    const wait = waitingTool();
    const server = await startServer({ turns: [...waitOnce], tools: [wait.tool], maxConcurrentRuns: 1 });
    const { id } = await server.make({ initial_message: message('go') });
    const queued = await server.make({ initial_message: message('go') });
    await wait.begun;
    await server.close();
    const next = await startServer({ store: server.store, turns: [{ text: 'done' }, { text: 'done' }] });
    expect((await ended(next, id)).execution_status).toBe('finished');
    expect((await kinds(next, id)).slice(-2)).toEqual(['AgentErrorEvent', 'MessageEvent']);
    expect((await ended(next, queued.id)).execution_status).toBe('finished');
    expect(await kinds(next, queued.id)).toEqual(['SystemPromptEvent', 'MessageEvent', 'MessageEvent']);
    expect([...server.reported, ...next.reported]).toEqual([]);
  });

  test('a run that a user paused stays paused after a restart', async () => {
    const wait = waitingTool();
    const server = await startServer({ turns: [...waitOnce], tools: [wait.tool] });
    const { id } = await server.make({ initial_message: message('go') });
    await wait.begun;
    expect((await server.call('POST', `/api/conversations/${id}/interrupt`)).status).toBe(200);
    const before = await kinds(server, id);
    await server.close();
    const next = await startServer({ store: server.store, turns: [{ text: 'done' }] });
    expect((await next.info(id)).execution_status).toBe('paused');
    expect(await kinds(next, id)).toEqual(before);
  });

  test('a host says why a stored agent cannot be built here, and goes on reading it', async () => {
    const first = await startServer({ scripts: { special: [] } });
    const { id } = await first.make({ agent: { kind: 'Agent', llm: { model: 'special' } } });
    await first.close();
    const server = await startServer({ store: first.store });
    expect((await server.info(id)).agent).toMatchObject({ llm: { model: 'special' } });
    const refused = await server.call('POST', `/api/conversations/${id}/events`, message('go'));
    expect(refused.status).toBe(409);
    expect(refused.body['detail']).toContain('special');
    expect((await server.call('DELETE', `/api/conversations/${id}`)).status).toBe(200);
  });

  test('a host deletes a running conversation: the run is interrupted, and nothing of it comes back', async () => {
    const wait = waitingTool();
    const server = await startServer({ turns: [...waitOnce], tools: [wait.tool] });
    const { id } = await server.make({ initial_message: message('go') });
    await wait.begun;
    expect((await server.call('DELETE', `/api/conversations/${id}`)).status).toBe(200);
    expect((await server.call('GET', `/api/conversations/${id}`)).status).toBe(404);
    expect((await server.call('POST', `/api/conversations/${id}/run`)).status).toBe(404);
  });
});

/** True if no process owns the conversation. */
async function isFree(store: ConversationStore, id: string): Promise<boolean> {
  try {
    const journal = await store.open(id, { owner: 'a test that looks', create: 'never' });
    await journal.close();
    return true;
  } catch {
    return false;
  }
}
