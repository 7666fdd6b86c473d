import { ConversationError, type Hooks, type JsonObject, type StoredHooks } from '@conv/core';
import { isStoreError, MemoryStore } from '@conv/core/store';
import { defineTool, type Tool } from '@conv/core/tool';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import type { ExecutedConversation, ExecutorRuntime, RuntimesOptions } from '../../src/index.ts';
import { agentServer } from '../../src/plugin.ts';
import { ended, events, message } from '../support/conversation-calls.ts';
import { newConversation, startServer, until } from '../support/test-server.ts';
import { ScriptedAgents } from '../support/scripted-agents.ts';

/** A runtime of this process, and what a server asked of it. */
class OwnRuntime {
  readonly opened: ExecutedConversation[] = [];
  readonly closed: string[] = [];
  readonly removed: string[] = [];
  readonly executed: string[] = [];
  /** Looks at the conversation while its executor stops. Default: does not look. */
  whileStopping: (id: string, options: { readonly isTakenOver: boolean }) => Promise<void> = async () => {};

  readonly runtime: ExecutorRuntime = {
    most: { memory: 2 ** 30 },
    open: (conversation) => this.#open(conversation),
    remove: async (id) => void this.removed.push(id),
  };

  #open(conversation: ExecutedConversation): ReturnType<ExecutorRuntime['open']> {
    this.opened.push(conversation);
    return {
      executor: {
        execute: async () => {
          this.executed.push(conversation.id);
          return { by: conversation.id };
        },
        end: async () => undefined,
      },
      close: async (options) => {
        await this.whileStopping(conversation.id, options);
        this.closed.push(conversation.id);
      },
    };
  }
}

/** A tool that acts in the executor of its conversation, if that has one. */
const actTool: Tool = defineTool({
  name: 'act',
  description: 'Acts.',
  input: z.object({}),
  execute: async (_, context) => JSON.stringify((await context.executor?.execute(context, {}, context)) ?? 'here'),
});

const ACT = { calls: [{ name: 'act', arguments: {} }] };

function offering({ runtime }: Pick<OwnRuntime, 'runtime'>, more: RuntimesOptions['offered'] = {}): RuntimesOptions {
  return { default: 'apart', offered: { apart: runtime, ...more } };
}

/** The place that a refusal names, and its text. */
async function refusalOf(
  server: Awaited<ReturnType<typeof startServer>>,
  more: JsonObject,
): Promise<readonly [unknown, string]> {
  const { status, body } = await server.call('POST', '/api/conversations', {
    ...newConversation(server.folder),
    ...more,
  });
  expect(status).toBe(422);
  const [detail] = body['detail'] as readonly { readonly loc: unknown; readonly msg: string }[];
  return [detail?.loc, detail?.msg ?? ''];
}

describe('the runtime of a conversation', () => {
  test('the runtime of a server without others is local, and another one is refused by name', async () => {
    const server = await startServer();
    await server.make({ conversation_runtime: 'local', container: { memory: '1g' } });
    expect(await refusalOf(server, { conversation_runtime: 'docker' })).toEqual([
      ['body', 'conversation_runtime'],
      expect.stringMatching(/offers \(local\), found docker/),
    ]);
    expect((await server.call('GET', '/server_info')).body).toMatchObject({
      conversation_runtime: 'local',
      available_conversation_runtimes: [],
    });
  });

  test('the runtime of a conversation is the default of the server unless the request names another', async () => {
    const runtime = new OwnRuntime();
    const runtimes = offering(runtime, { local: true });
    const server = await startServer({
      runtimes,
      turns: [ACT, { text: 'done' }, ACT, { text: 'done' }],
      tools: [actTool],
    });
    expect((await server.call('GET', '/server_info')).body).toMatchObject({
      conversation_runtime: 'apart',
      available_conversation_runtimes: ['apart', 'local'],
    });
    const apart = await server.make({ initial_message: message('go') });
    await ended(server, apart.id);
    expect(JSON.stringify(await events(server, apart.id))).toContain(`by\\":\\"${apart.id}`);
    const here = await server.make({ initial_message: message('go'), conversation_runtime: 'local' });
    await ended(server, here.id);
    expect(runtime.executed).toEqual([apart.id]);
    expect(runtime.opened).toMatchObject([
      { id: apart.id, workingDirectory: apart.workspace['working_dir'], limits: {} },
    ]);
  });

  test('the default runtime does not stand in for local on a server that does not offer local', async () => {
    const server = await startServer({ runtimes: offering(new OwnRuntime()) });
    expect(await refusalOf(server, { conversation_runtime: 'local' })).toEqual([
      ['body', 'conversation_runtime'],
      expect.stringContaining('offers (apart), found local'),
    ]);
  });

  test('a runtime has the limits of the request that the operator allows, and others are refused by name', async () => {
    const runtime = new OwnRuntime();
    const server = await startServer({ runtimes: offering(runtime) });
    await server.make({ container: { memory: '512m', browser: false } });
    expect(runtime.opened).toMatchObject([{ limits: { memory: 512 * 2 ** 20 } }]);
    expect(await refusalOf(server, { container: { memory: '2g' } })).toEqual([
      ['body', 'container', 'memory'],
      `the server allows at most ${2 ** 30} bytes of memory, found ${2 ** 31}; change it, or leave it out`,
    ]);
    expect(await refusalOf(server, { container: { cpus: 1 } })).toEqual([
      ['body', 'container', 'cpus'],
      'the server allows no choice of processors, found 1; change it, or leave it out',
    ]);
    expect((await refusalOf(server, { container: { gpus: 1 } }))[0]).toEqual(['body', 'container', 'gpus']);
  });

  test('P9: a runtime is refused limits that are so small that a container would have none', async () => {
    const runtime: ExecutorRuntime = { ...new OwnRuntime().runtime, most: { memory: 2 ** 30, processors: 2 } };
    const server = await startServer({ runtimes: offering({ runtime }) });
    expect(await refusalOf(server, { container: { cpus: 1e-10 } })).toEqual([
      ['body', 'container', 'cpus'],
      'the server allows at least 0.01 processors, found 1e-10; change it, or leave it out',
    ]);
    expect(await refusalOf(server, { container: { memory: '0' } })).toEqual([
      ['body', 'container', 'memory'],
      'the server allows at least 1 bytes of memory, found 0; change it, or leave it out',
    ]);
    await server.make({ container: { cpus: 0.01, memory: '1b' } });
  });

  test('a runtime refuses a worktree by name where conversations have none', async () => {
    const runtime: ExecutorRuntime = { ...new OwnRuntime().runtime, worktrees: false };
    const server = await startServer({ runtimes: offering({ runtime }) });
    expect((await refusalOf(server, { worktree: true }))[0]).toEqual(['body', 'worktree']);
  });

  test('a runtime stops its executor when the conversation is unloaded, and starts it at the next load', async () => {
    const runtime = new OwnRuntime();
    const script = { turns: [ACT, { text: 'done' }], tools: [actTool] };
    const server = await startServer({ runtimes: offering(runtime), idleTimeout: 1, ...script });
    const { id } = await server.make();
    await until(async () => runtime.closed.length === 1);
    await server.call('POST', `/api/conversations/${id}/events`, message('go', { run: true }));
    await ended(server, id);
    await until(async () => runtime.closed.length === 2);
    expect(runtime.opened.map((each) => each.id)).toEqual([id, id]);
    expect(runtime.executed).toEqual([id]);
  });

  test('a runtime stops its executor while no other server can own the conversation yet', async () => {
    const store = new MemoryStore();
    const runtime = new OwnRuntime();
    const codes: unknown[] = [];
    runtime.whileStopping = async (id) => {
      const taken = await store.open(id, { create: 'never', owner: 'next' }).catch((error: unknown) => error);
      codes.push(isStoreError(taken, 'OWNED'));
    };
    const script = { turns: [ACT, { text: 'done' }], tools: [actTool] };
    const server = await startServer({ store, runtimes: offering(runtime), ...script });
    const { id } = await server.make({ initial_message: message('go') });
    await ended(server, id);
    await server.close();
    expect([runtime.closed, codes]).toEqual([[id], [true]]);
    await (await store.open(id, { create: 'never', owner: 'next' })).close();
  });

  test('a runtime stops no executor of a conversation that another server owns', async () => {
    const store = new MemoryStore();
    const [first, second] = [new OwnRuntime(), new OwnRuntime()];
    const stopped: boolean[] = [];
    second.whileStopping = async (_, { isTakenOver }) => void stopped.push(isTakenOver);
    const { id } = await (await startServer({ store, runtimes: offering(first) })).make();
    const server = await startServer({ store, runtimes: offering(second) });
    const refused = await server.call('POST', `/api/conversations/${id}/events`, message('go', { run: true }));
    expect(refused.status).toBeGreaterThan(400);
    expect(second.opened.length).toBeGreaterThan(0);
    expect(stopped).toEqual(second.opened.map(() => true));
    expect(first.closed).toEqual([]);
  });

  test('a conversation keeps its runtime after a restart, and its forks have executors of their own', async () => {
    const store = new MemoryStore();
    const runtime = new OwnRuntime();
    const first = await startServer({ store, runtimes: offering(runtime) });
    const { id } = await first.make();
    const fork = (await first.call('POST', `/api/conversations/${id}/fork`, {})).body['id'] as string;
    await first.close();
    const turns = { turns: [ACT, { text: 'done' }, ACT, { text: 'done' }], tools: [actTool] };
    const second = await startServer({
      store,
      runtimes: { ...offering(runtime, { local: true }), default: 'local' },
      ...turns,
    });
    for (const each of [id, fork]) {
      await second.call('POST', `/api/conversations/${each}/events`, message('go', { run: true }));
      await ended(second, each);
    }
    expect(runtime.executed).toEqual([id, fork]);
  });

  test('a started child has a runtime of its own before a restart and after it', async () => {
    const store = new MemoryStore();
    const runtime = new OwnRuntime();
    const script = { turns: Array.from({ length: 2 }, () => [ACT, { text: 'done' }]).flat(), tools: [actTool] };
    const first = await startServer({ store, runtimes: offering(runtime), ...script });
    const { id } = await first.make();
    const { body } = await first.call('POST', `/api/conversations/${id}/children`, { task: 'act' });
    const child = body['conversation_id'] as string;
    await ended(first, child);
    await first.close();
    const second = await startServer({ store, runtimes: offering(runtime), ...script });
    await second.call('POST', `/api/conversations/${child}/events`, message('again', { run: true }));
    await ended(second, child);
    expect(runtime.executed).toEqual([child, child]);
  });

  test('a conversation of a withdrawn runtime stays readable, and its commands are refused by name', async () => {
    const store = new MemoryStore();
    const first = await startServer({ store, runtimes: offering(new OwnRuntime()) });
    const { id } = await first.make();
    await first.close();
    const second = await startServer({ store });
    expect((await second.info(id)).id).toBe(id);
    const refused = await second.call('POST', `/api/conversations/${id}/events`, message('go', { run: true }));
    expect(refused).toMatchObject({ status: 422, body: { detail: expect.stringContaining('the runtime apart') } });
    expect((await second.call('GET', `/api/conversations/${id}/runtime`)).body).toEqual({
      runtime_status: 'missing',
      can_resume: false,
      runtime_error: { code: 'RUNTIME_NOT_OFFERED', message: expect.stringContaining('the runtime apart') },
    });
  });

  test('a conversation of a withdrawn runtime is deleted only when its executor can be removed', async () => {
    const store = new MemoryStore();
    const runtime = new OwnRuntime();
    const first = await startServer({ store, runtimes: offering(runtime) });
    const { id } = await first.make();
    await first.close();
    const second = await startServer({ store });
    const refused = await second.call('DELETE', `/api/conversations/${id}`);
    expect(refused).toMatchObject({ status: 422, body: { detail: expect.stringContaining('the runtime apart') } });
    expect((await second.info(id)).id).toBe(id);
    await second.close();
    const third = await startServer({ store, runtimes: offering(runtime) });
    expect(await third.call('DELETE', `/api/conversations/${id}`)).toMatchObject({ status: 200 });
    expect(runtime.removed).toEqual([id]);
  });

  test('hooks in the server are told the runtime, and hooks that refuse it are refused by name', async () => {
    const store = new MemoryStore();
    const told: boolean[] = [];
    const hooks = (config: StoredHooks, { isExecuted }: { readonly isExecuted: boolean }): Hooks => {
      told.push(isExecuted);
      if (JSON.stringify(config).includes('never') && isExecuted)
        throw new ConversationError('UNSUPPORTED', 'not here');
      const runner = { handles: () => false, run: async () => ({ events: [] }), close: async () => {} };
      return { config, start: () => runner } as unknown as Hooks;
    };
    const runtimes = offering(new OwnRuntime(), { local: true });
    const config = (command: string): JsonObject => ({ pre_tool_use: [{ hooks: [{ command }] }] });
    const first = await startServer({ store, runtimes, hooks });
    const { id } = await first.make({ hook_config: config('true') });
    await first.make({ hook_config: config('never'), conversation_runtime: 'local' });
    const refused = await refusalOf(first, { hook_config: config('never') });
    expect(refused).toEqual([['body', 'hook_config'], expect.stringContaining('not here')]);
    await first.close();
    expect(told).toEqual([true, false, true]);
    const second = await startServer({ store, runtimes, hooks, turns: [{ text: 'done' }] });
    await second.call('POST', `/api/conversations/${id}/events`, message('go', { run: true }));
    await ended(second, id);
    expect(new Set(told.slice(3))).toEqual(new Set([true]));
  });

  test('a runtime removes what it has left when the conversation is deleted', async () => {
    const runtime = new OwnRuntime();
    const server = await startServer({ runtimes: offering(runtime) });
    const { id } = await server.make();
    expect(await server.call('DELETE', `/api/conversations/${id}`)).toMatchObject({ status: 200 });
    expect([runtime.closed, runtime.removed]).toEqual([[id], [id]]);
  });
});

test.each([
  [{ default: 'local', offered: { local: true, apart: true } }, 'offered: apart'],
  [{ default: 'docker', offered: { local: true } }, 'runtimes: default: expected one of local'],
  [{ default: 'apart', offered: { apart: { opens: () => undefined } } }, 'offered: apart'],
] as const)('a server with the runtimes %j is not made', (runtimes, text) => {
  const options = {
    store: new MemoryStore(),
    persistenceDir: '/tmp/conversations',
    agents: new ScriptedAgents({}, []),
  };
  expect(() => agentServer({ ...options, runtimes: runtimes as unknown as RuntimesOptions })).toThrow(text);
});
