import { SECRET_MASK, type Agent, type AgentSession, type Cipher, type StateFields } from '@conv/core';
import { drafts, agentMessage } from '@conv/core/events';
import { toCommitSeq } from '@conv/core/store';
import { FaultyStore } from '@conv/testing-harness';
import { describe, expect, test } from 'vitest';

import { freshFolder, gate, open, play, texts } from '../support/bench.ts';
import { fakeCipher, FakeVault } from '../support/fake-vault.ts';
import { openLocalConversation, type LocalConversation } from '../../src/index.ts';

/** A model of these tests, which says its name. */
interface NamedModel {
  readonly name: string;
  readonly key?: string;
  readonly think?: () => Promise<void>;
}

interface AgentParts {
  readonly model: NamedModel;
  readonly start?: () => Promise<void>;
  readonly fixed?: boolean;
  /** Told what is started and closed. */
  readonly log?: string[];
}

/** An agent whose answers are the names of its models. */
function agentOf(parts: AgentParts): Agent {
  const { model, log = [] } = parts;
  return {
    toolNames: ['finish'],
    describe: ({ cipher, secrets } = {}) => ({
      kind: 'Agent',
      tools: [],
      llm: {
        model: model.name,
        ...(model.key === undefined
          ? {}
          : { api_key: secrets === 'encrypted' && cipher ? cipher.encrypt(model.key) : '**' }),
      },
    }),
    secretValues: () => (model.key === undefined ? [] : [model.key]),
    withModel: (other) => {
      if (typeof other !== 'object' || other === null || !('name' in other)) throw new TypeError('no named model');
      return agentOf({ ...parts, model: other as NamedModel });
    },
    start: async () => {
      await parts.start?.();
      log.push(`start ${model.name}`);
      return sessionOf(parts, log);
    },
  };
}

function sessionOf({ model: first, fixed = false }: AgentParts, log: string[]): AgentSession {
  let model = first;
  const session: AgentSession = {
    tools: [],
    systemPrompt: () => drafts.systemPrompt('Say your name.', []),
    step: async (context) => {
      const { name, think } = model;
      await think?.();
      await context.emit([agentMessage({ content: name, llm_response_id: crypto.randomUUID() })]);
      return 'finished';
    },
    resources: () => [],
    execute: () => Promise.reject(new Error('there are no tools')),
    answer: () => Promise.reject(new Error('not asked')),
    close: async () => void log.push('close'),
  };
  if (fixed) return session;
  return {
    ...session,
    switchTo: (agent) => {
      const description = agent.describe() as { llm: { model: string } };
      model = { ...model, name: description.llm.model };
    },
  };
}

async function answer(conversation: LocalConversation): Promise<string | undefined> {
  await conversation.sendMessage('Who are you?');
  await conversation.run();
  return (await texts(conversation)).at(-1);
}

/** The name of the model in a stored description. */
function modelIn({ agent }: Pick<StateFields, 'agent'>): unknown {
  return (agent as { llm: { model: string } }).llm.model;
}

test('P4: the model that was set answers after a restart where the agent is built from what is stored', async () => {
  const store = new FaultyStore();
  const first = await open(store, { agent: agentOf({ model: { name: 'first' } }) });
  await first.settings.setModel({ name: 'second' });
  await first.close();
  const { id } = first;
  const agents = {
    revive: async (stored: unknown) => agentOf({ model: { name: String(modelIn({ agent: stored as never })) } }),
  };
  const again = await openLocalConversation({ storeAt: () => store, agents }, { id, store, workspace: freshFolder() });
  expect(await answer(again)).toBe('second');
});

test('an agent that is given on resume wins over the model that was set', async () => {
  const store = new FaultyStore();
  const agent = agentOf({ model: { name: 'first' } });
  const first = await open(store, { agent });
  await first.settings.setModel({ name: 'second' });
  await first.close();
  const again = await open(store, { id: first.id, agent });
  expect(await answer(again)).toBe('first');
  expect(modelIn(again.state)).toBe('first');
});

test('P7: a request that is under way ends as it is and delays nothing; the next one asks the new model', async () => {
  const thinking = gate();
  const { conversation } = await play({}, { agent: agentOf({ model: { name: 'first', think: thinking.pass } }) });
  await conversation.sendMessage('Who are you?');
  const running = conversation.run();
  await thinking.reached;
  await conversation.settings.setModel({ name: 'second' });
  expect(modelIn(conversation.state)).toBe('second');
  thinking.open();
  await running;
  expect(await texts(conversation)).toEqual(['Who are you?', 'first']);
  expect(await answer(conversation)).toBe('second');
});

test('the later of two models that are set at once is stored and answers', async () => {
  const { conversation } = await play({}, { agent: agentOf({ model: { name: 'first' } }) });
  await answer(conversation);
  await Promise.all(['second', 'third'].map((name) => conversation.settings.setModel({ name })));
  expect(modelIn(conversation.state)).toBe('third');
  expect(await answer(conversation)).toBe('third');
});

test('setModel starts nothing before the tools are made, and waits for tools that are being made', async () => {
  const log: string[] = [];
  const making = gate();
  const agent = agentOf({ model: { name: 'first' }, start: making.pass, log });
  const { conversation } = await play({}, { agent });
  await conversation.settings.setModel({ name: 'second' });
  expect(log).toEqual([]);
  const sending = conversation.sendMessage('Who are you?');
  await making.reached;
  await conversation.settings.setModel({ name: 'third' });
  making.open();
  await sending;
  await conversation.run();
  expect([log, (await texts(conversation)).at(-1)]).toEqual([['start second'], 'third']);
});

test('an agent that cannot change at work refuses with UNSUPPORTED, and starts with the model set before', async () => {
  const log: string[] = [];
  const making = gate();
  const agent = agentOf({ model: { name: 'first' }, start: making.pass, log, fixed: true });
  const { conversation, store } = await play({}, { agent });
  const sending = conversation.sendMessage('Who are you?');
  await making.reached;
  await conversation.settings.setModel({ name: 'second' });
  making.open();
  await sending;
  expect(log).toEqual(['start first', 'close', 'start second']);
  const { appends } = store;
  await expect(conversation.settings.setModel({ name: 'third' })).rejects.toMatchObject({ code: 'UNSUPPORTED' });
  expect([store.appends, modelIn(conversation.state), await answer(conversation)]).toEqual([
    appends,
    'second',
    'second',
  ]);
});

test('P9: the key of a new model is masked from its commit on, and stored as ciphertext alone', async () => {
  const key = 'sk-second-0123456789';
  const cipher = fakeCipher();
  const { conversation, store } = await play(
    {},
    { agent: agentOf({ model: { name: 'first' } }), cipher },
    { secrets: (options) => new FakeVault(options) },
  );
  await conversation.settings.setModel({ name: 'second', key });
  await conversation.sendMessage(`My key is ${key}.`);
  const reader = await store.read(conversation.id);
  const commits = JSON.stringify(reader && (await Array.fromAsync(reader.commits({ from: toCommitSeq(0) }))));
  await reader?.close();
  expect(commits).not.toContain(key);
  const { llm } = conversation.state.agent as { llm: { api_key: string } };
  expect(cipher.decrypt(llm.api_key)).toBe(key);
});

test('P1: a model that could not be stored does not answer', async () => {
  const { conversation, store } = await play({}, { agent: agentOf({ model: { name: 'first' } }) });
  store.refuse();
  await expect(conversation.settings.setModel({ name: 'second' })).rejects.toMatchObject({ code: 'STORE_FAILED' });
  store.onAppend = undefined;
  expect([modelIn(conversation.state), await answer(conversation)]).toEqual(['first', 'first']);
});

describe('P9: a key that no model holds now stays masked after a restart', () => {
  const KEYS = ['sk-first-0123456789', 'sk-second-0123456789', 'sk-third-0123456789'] as const;
  const [FIRST, SECOND, THIRD] = KEYS;
  const vault = { secrets: (options: { readonly cipher?: Cipher | undefined }) => new FakeVault(options) };

  interface Restarted {
    /** The stored values of keys that no model held, before the conversation was closed. */
    readonly kept: readonly (string | undefined)[];
    /** The masked text of all keys when it is opened again. */
    readonly masked: string | undefined;
    readonly log: string;
  }

  async function afterRestart(
    change: (settings: LocalConversation['settings']) => Promise<unknown>,
    given: { readonly agent?: Agent } = {},
  ): Promise<Restarted> {
    const cipher = fakeCipher();
    const store = new FaultyStore();
    const agent = agentOf({ model: { name: 'first', key: FIRST } });
    const first = await open(store, { agent, cipher }, vault);
    await change(first.settings);
    const kept = first.state.hiddenValues.map((token) => cipher.decrypt(token));
    await first.close();
    const agents = { revive: async () => agentOf({ model: { name: 'stored', key: THIRD } }) };
    const again = await open(store, { id: first.id, cipher, ...given }, { ...vault, agents });
    await again.sendMessage(KEYS.join(' '));
    const log = JSON.stringify(await Array.fromAsync(again.history.commits()));
    return { kept, masked: (await texts(again)).at(-1), log };
  }

  const allMasked = KEYS.map(() => SECRET_MASK).join(' ');

  test('P9: a replaced key stays masked when another model was set', async () => {
    const { kept, masked, log } = await afterRestart(async (settings) => {
      await settings.setModel({ name: 'second', key: SECOND });
      await settings.setModel({ name: 'third', key: THIRD });
    });
    expect([kept, masked]).toEqual([[FIRST, SECOND], allMasked]);
    for (const key of KEYS) expect(log).not.toContain(key);
  });

  test('P9: a replaced key stays masked when two models were set at once', async () => {
    const both = [
      { name: 'second', key: SECOND },
      { name: 'third', key: THIRD },
    ];
    const { kept, masked } = await afterRestart((settings) =>
      Promise.all(both.map((model) => settings.setModel(model))),
    );
    expect([kept, masked]).toEqual([[FIRST, SECOND], allMasked]);
  });

  test('P9: a replaced key stays masked when the agent given on resume brings another key', async () => {
    const agent = agentOf({ model: { name: 'third', key: THIRD } });
    const { masked, log } = await afterRestart((settings) => settings.setModel({ name: 'second', key: SECOND }), {
      agent,
    });
    expect(masked).toBe(allMasked);
    for (const key of KEYS) expect(log).not.toContain(key);
  });

  test('P9: a replaced key is stored once, however often the model changes back and forth', async () => {
    const cipher = fakeCipher();
    const { conversation } = await play(
      {},
      { agent: agentOf({ model: { name: 'first', key: FIRST } }), cipher },
      vault,
    );
    for (let round = 0; round < 3; round += 1)
      for (const [name, key] of [
        ['second', SECOND],
        ['first', FIRST],
      ] as const)
        await conversation.settings.setModel({ name, key });
    expect(conversation.state.hiddenValues.map((token) => cipher.decrypt(token))).toEqual([FIRST, SECOND]);
  });
});
