import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { createConversationFactory, type Cipher, type JsonObject, type StateFields, type Visualizer } from '@conv/core';
import { MemoryStore } from '@conv/core/store';
import { FaultyStore } from '@conv/testing-harness';
import { describe, expect, test } from 'vitest';

import { local, LocalWorkspace, openLocalConversation, type LocalConversationOptions } from '../../src/index.ts';
import { freshFolder, never, open, play, story } from '../support/bench.ts';
import { ScriptedAgent } from '../support/scripted-agent.ts';

const ID = '0197b5a0-0000-7000-8000-000000000001';

describe('opening', () => {
  test.each<[string, LocalConversationOptions]>([
    ['an id with ../', { id: '../../etc' }],
    ['an id that is no UUID', { id: 'mine' }],
    ['a parent that is no UUID', { parentId: '../x' }],
    ['a policy of no known kind', { confirmationPolicy: { kind: 'Sometimes' as 'AlwaysConfirm' } }],
    ['an analyzer without a kind', { securityAnalyzer: {} as never }],
    ['a limit of 0', { maxIterations: 0 }],
    ['a tag key with capitals', { tags: { Team: 'a' } }],
    ['a title that is no text', { title: 7 as unknown as string }],
    ['a store and a folder', { persistenceDir: 'x' }],
    ['a workspace elsewhere', { workspace: { kind: 'RemoteWorkspace', workingDir: '/', host: 'h' } as never }],
  ])('P13: %s rejects INVALID_INPUT and makes nothing', async (_, wrong) => {
    const store = new FaultyStore();
    await expect(open(store, { agent: new ScriptedAgent(), ...wrong })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
    expect((await store.list()).items).toEqual([]);
    expect(store.appends).toBe(0);
  });

  test('P13: the option resume is answered with Conversation.resume', async () => {
    const given = { agent: new ScriptedAgent(), resume: ID } as object;
    await expect(open(new FaultyStore(), given)).rejects.toThrow(
      'to open a stored conversation write Conversation.resume(id)',
    );
  });

  test('the options never, must and ifMissing do what they say', async () => {
    const store = new FaultyStore();
    const agent = new ScriptedAgent();
    await expect(open(store, { agent, id: ID, create: 'never' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await (await open(store, { agent, id: ID, create: 'must' })).close();
    await expect(open(store, { agent, id: ID, create: 'must' })).rejects.toMatchObject({ code: 'EXISTS' });
    const again = await open(store, { agent, id: ID.replaceAll('-', '').toUpperCase() });
    expect(again.id).toBe(ID);
  });

  test('a new conversation without an agent rejects AGENT_REQUIRED and makes nothing', async () => {
    const store = new FaultyStore();
    for (const create of ['must', 'ifMissing'] as const)
      await expect(open(store, { id: ID, create })).rejects.toMatchObject({ code: 'AGENT_REQUIRED' });
    expect(await store.read(ID)).toBeUndefined();
  });

  test('a stored conversation finds its agent through the factory', async () => {
    const { conversation, store, agent } = await play();
    await conversation.close();
    const { id } = conversation;
    const revive = async (): Promise<ScriptedAgent> => agent;
    const runtime = { storeAt: () => store, agents: { revive } };
    const again = await openLocalConversation(runtime, { id, store });
    expect(again.agent).toBe(agent);
  });

  test('an agent of another kind or with fewer tools is refused; more tools and another model are fine', async () => {
    const { conversation, store } = await play();
    const { id } = conversation;
    await conversation.close();
    const described = (description: object): ScriptedAgent => new ScriptedAgent({ description: description as never });
    const wrong = described({ kind: 'ACPAgent', tools: [{ name: 'work' }] });
    await expect(open(store, { id, agent: wrong })).rejects.toMatchObject({ code: 'AGENT_MISMATCH' });
    const fewer = described({ kind: 'Agent', tools: [] });
    await expect(open(store, { id, agent: fewer })).rejects.toMatchObject({
      code: 'TOOLS_REMOVED',
      message: expect.stringContaining('work') as string,
    });
    const more = { kind: 'Agent', tools: [{ name: 'work' }, { name: 'more' }], llm: { model: 'other' } };
    const again = await open(store, { id, agent: described(more) });
    expect(again.state.agent).toEqual(more);
  });

  test('an agent with other MCP servers is accepted, because the offers of servers are no part of it', async () => {
    const agentWith = (mcp_config: object): ScriptedAgent =>
      new ScriptedAgent({ description: { kind: 'Agent', tools: [], mcp_config } as never });
    const { conversation, store } = await play({}, { agent: agentWith({ search: { command: 'a' } }) });
    await conversation.close();
    for (const servers of [{ tickets: { command: 'b' } }, {}]) {
      const again = await open(store, { id: conversation.id, agent: agentWith(servers) });
      expect(again.state.agent['mcp_config']).toEqual(servers);
      await again.close();
    }
  });

  test("P2: a second opening rejects OWNED with the owner's name, and the first goes on", async () => {
    const { conversation, store, agent } = await play();
    await expect(open(store, { agent, id: conversation.id })).rejects.toMatchObject({
      code: 'OWNED',
      cause: { owner: { owner: expect.stringContaining(String(process.pid)) as string } },
    });
    await conversation.sendMessage('go');
    expect((await conversation.run()).status).toBe('finished');
  });

  test('an aborted opening rejects with the reason of the signal', async () => {
    const reason = new Error('never mind');
    const signal = AbortSignal.abort(reason);
    await expect(play({}, { signal })).rejects.toBe(reason);
  });

  test('P12: an opening with the stored agent changes nothing, even if an address holds ciphertext', async () => {
    let count = 0;
    const cipher: Cipher = {
      encrypt: (plain) => `gAAAAA${++count}_${Buffer.from(plain.padEnd(30, ' ')).toString('base64url')}`,
      decrypt: (token) => {
        const text = /^gAAAAA\d+_([\w-]+)$/.exec(token)?.[1];
        return text === undefined ? undefined : Buffer.from(text, 'base64url').toString().trim();
      },
    };
    const description = (): JsonObject => ({
      kind: 'Agent',
      mcp_config: { one: { url: `https://x.example/mcp?key=${cipher.encrypt('a key')}&page=2` } },
    });
    const { conversation, store } = await play({ description }, { cipher });
    await conversation.close();
    const { appends } = store;
    const given = { id: conversation.id, agent: new ScriptedAgent({ description }), cipher, store };
    const again = await openLocalConversation({ storeAt: () => store }, given);
    expect([store.appends, again.state.agent]).toEqual([appends, conversation.state.agent]);
  });

  test('given options override stored ones, defaults do not, and opening unchanged writes nothing', async () => {
    const given = {
      confirmationPolicy: { kind: 'AlwaysConfirm' as const },
      maxIterations: 7,
      title: 't',
      tags: { a: '1' },
    };
    const { conversation, store, agent } = await play({}, given);
    const { id } = conversation;
    const { workspace } = conversation.state;
    await conversation.close();
    const { appends } = store;
    const again = await openLocalConversation({ storeAt: () => store }, { store, agent, id });
    expect(again.state).toMatchObject({ ...given, workspace });
    expect(store.appends).toBe(appends);
    await again.close();
    const changed = await open(store, { agent, id, maxIterations: 9 });
    expect(changed.state).toMatchObject({ ...given, maxIterations: 9 });
  });

  test('a store that is made for a folder is closed with the conversation and named in the state', async () => {
    const folder = freshFolder();
    const stores: FaultyStore[] = [];
    const runtime = {
      storeAt: () => {
        const store = new FaultyStore();
        stores.push(store);
        return store;
      },
    };
    const options = {
      agent: new ScriptedAgent(),
      workspace: join(folder, 'w'),
      persistenceDir: join(folder, 'p'),
      id: ID,
    };
    const conversation = await openLocalConversation(runtime, options);
    expect(conversation.state.persistenceDir).toBe(join(folder, 'p', ID.replaceAll('-', '')));
    expect(existsSync(join(folder, 'w'))).toBe(true);
    await conversation.close();
    expect(stores[0]?.closed).toBe(true);
    const { agent: _, ...without } = options;
    const never = openLocalConversation(runtime, { ...without, create: 'must' });
    await expect(never).rejects.toMatchObject({ code: 'AGENT_REQUIRED' });
    expect(stores[1]?.closed).toBe(true);
  });

  test('a visualizer may be an object, a class or null, and is told the state, the events and the end', async () => {
    const seen: string[] = [];
    class Shown implements Visualizer {
      initialize(state: StateFields): void {
        seen.push(`initialize ${state.executionStatus}`);
      }
      onEvent(event: { readonly kind: string }): void {
        seen.push(event.kind);
      }
      close(): void {
        seen.push('close');
      }
    }
    for (const visualizer of [Shown, new Shown()]) {
      seen.length = 0;
      const { conversation } = await play({}, { visualizer });
      await conversation.sendMessage('go');
      await conversation.run();
      await conversation.close();
      expect(seen).toEqual(['initialize idle', 'SystemPromptEvent', 'MessageEvent', 'MessageEvent', 'close']);
    }
    await (await play({}, { visualizer: null })).conversation.close();
  });

  test('P1: subscribers get every event, and a subscriber that hangs or throws delays no other', async () => {
    const seen: string[] = [];
    const failures: unknown[] = [];
    const subscribers = [
      { onEvent: never },
      { onEvent: () => Promise.reject(new Error('no')), onError: (error: unknown) => void failures.push(error) },
      { onEvent: (event: { kind: string }) => void seen.push(event.kind) },
    ];
    const { conversation } = await play({}, { subscribers });
    await conversation.sendMessage('go');
    await conversation.run();
    expect(seen).toHaveLength(3);
    expect(failures).toHaveLength(3);
  });
});

describe('P10: an analyzer with a misspelt member', () => {
  test.each([
    [
      { kind: 'PatternSecurityAnalyzer', high_pattern: [] },
      'securityAnalyzer: .*"high_pattern"; did you mean high_patterns',
    ],
    [
      { kind: 'EnsembleSecurityAnalyzer', analyzers: [{ kind: 'GraySwanAnalyzer', apikey: 'x' }] },
      'securityAnalyzer.analyzers.0: .*"apikey"; did you mean api_key',
    ],
  ])('P10: an analyzer with a misspelt member is refused by name: %j', async (analyzer, message) => {
    const options = {
      agent: new ScriptedAgent(),
      id: ID,
      workspace: freshFolder(),
      securityAnalyzer: analyzer as never,
    };
    await expect(open(new MemoryStore(), options)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringMatching(new RegExp(message)) as string,
    });
  });
});

describe('the runtime', () => {
  test('the error of a failed run names the folder in which the conversation is stored', async () => {
    const folder = freshFolder();
    const Conversation = createConversationFactory({ runtimes: [local({ storeAt: () => new MemoryStore() })] });
    const broken = new ScriptedAgent({
      think: () => {
        throw new Error('no model here');
      },
    });
    await using conversation = await Conversation({ agent: broken, workspace: folder, persistenceDir: folder });
    await conversation.sendMessage('go');
    const place = join(folder, conversation.id.replaceAll('-', ''));
    await expect(conversation.run()).rejects.toMatchObject({
      code: 'RUN_FAILED',
      message: expect.stringContaining(`which is stored in ${place}, failed: no model here`) as string,
    });
  });

  test('the runtime accepts folders and local workspaces, and nothing else', async () => {
    const folder = freshFolder();
    const Conversation = createConversationFactory({ runtimes: [local({ storeAt: () => new MemoryStore() })] });
    const agent = new ScriptedAgent();
    for (const workspace of [folder, new LocalWorkspace(folder)]) {
      await using conversation = await Conversation({ agent, workspace, persistenceDir: folder });
      await conversation.sendMessage('go');
      expect(await story(conversation)).toBe('system user');
    }
    const remote = { kind: 'RemoteWorkspace', host: 'http://h', workingDir: '/' } as never;
    await expect(Conversation({ agent, workspace: remote })).rejects.toMatchObject({ code: 'UNSUPPORTED' });
  });
});
