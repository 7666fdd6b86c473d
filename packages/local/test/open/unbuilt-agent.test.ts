import type { Agent, AgentFactory, JsonObject } from '@conv/core';
import { FaultyStore } from '@conv/testing-harness';
import { describe, expect, test } from 'vitest';

import { openLocalConversation, type LocalConversation } from '../../src/index.ts';
import { freshFolder, play } from '../support/bench.ts';
import { ScriptedAgent } from '../support/scripted-agent.ts';

const LLM: JsonObject = { model: 'anthropic/claude', api_key: '**********' };
const STORED: JsonObject = {
  kind: 'Agent',
  llm: LLM,
  tools: [{ name: 'terminal' }],
  include_default_tools: ['FinishTool'],
};

/** An agent of this model; another model is an LLM object. */
function agentOf(llm: JsonObject, description: JsonObject = STORED): Agent {
  const agent = new ScriptedAgent({ description: { ...description, llm } });
  return Object.assign(agent, { withModel: (model: unknown) => agentOf(model as JsonObject, description) });
}

/** Stores a conversation with two messages, whose agent is not given again. */
async function stored(): Promise<{ readonly store: FaultyStore; readonly id: string }> {
  const { conversation, store } = await play({ description: STORED });
  await conversation.sendMessage('first');
  await conversation.run();
  await conversation.close();
  return { store, id: conversation.id };
}

async function openWith(
  agents: AgentFactory | undefined,
  { store, id }: { readonly store: FaultyStore; readonly id: string },
): Promise<LocalConversation> {
  const runtime = { storeAt: () => store, ...(agents ? { agents } : {}) };
  return openLocalConversation(runtime, { id, store, subscriberGrace: 20 });
}

/** Builds only agents that list no tools. */
const toolless: AgentFactory = {
  revive: async (description) => {
    const { tools, llm } = description as { readonly tools?: readonly unknown[]; readonly llm: JsonObject };
    if (tools?.length !== 0) throw new Error('[UNKNOWN_TOOL] it needs tool "terminal"');
    return agentOf(llm, description);
  },
};

describe('a conversation whose agent cannot be built', () => {
  test.each<[string, AgentFactory | undefined, string]>([
    ['no factory', undefined, 'was given no `agents`'],
    ['a factory that does not know it', { revive: async () => undefined }, 'agents of kind "Agent" are not known'],
    ['a factory that fails', { revive: async () => Promise.reject(new Error('no key')) }, 'no key'],
    ['a factory that lacks a tool', toolless, 'it needs tool "terminal"'],
  ])('P5: a conversation with %s opens for all but work, and a run says what is missing', async (_, agents, reason) => {
    const place = await stored();
    const conversation = await openWith(agents, place);
    const told: string[] = [];
    conversation.subscribe((event) => void told.push(event.kind));
    expect(conversation.state.agent).toEqual(STORED);
    expect((await conversation.events.slice()).length).toBe(3);
    await conversation.pause();
    await conversation.settings.setConfirmationPolicy({ kind: 'AlwaysConfirm' });
    await conversation.settings.setTags({ a: 'b' });
    await conversation.history.fork();
    await conversation.history.navigateTo(conversation.state.leafEventId);
    await conversation.sendMessage('again');
    await expect(conversation.run()).rejects.toMatchObject({
      code: 'AGENT_REQUIRED',
      conversationId: place.id,
      message: expect.stringContaining(reason),
    });
    expect(conversation.state.executionStatus).toBe('error');
    expect(await conversation.events.at(-1)).toMatchObject({
      kind: 'ConversationErrorEvent',
      code: 'AGENT_REQUIRED',
      detail: expect.stringContaining(reason),
    });
    expect(told).toContain('MessageEvent');
    await conversation.close();
    const again = await openWith(agents, place);
    expect(again.state.agent).toEqual(STORED);
    await again.close();
  });

  test('a missing agent is built as soon as it can be, without another opening', async () => {
    const place = await stored();
    let there = false;
    const conversation = await openWith(
      { revive: async (description) => (there ? agentOf(LLM, description) : undefined) },
      place,
    );
    await conversation.sendMessage('again');
    await expect(conversation.run()).rejects.toMatchObject({ code: 'AGENT_REQUIRED' });
    there = true;
    expect((await conversation.run()).status).toBe('finished');
    await conversation.close();
  });

  test('a conversation without its agent accepts another model, and the agent is built with it', async () => {
    const place = await stored();
    let tools = false;
    const conversation = await openWith(
      {
        revive: async (description) =>
          tools ? agentOf(description['llm'] as JsonObject, description) : toolless.revive(description),
      },
      place,
    );
    const llm = { model: 'openai/gpt', api_key: 'sk-new' };
    await conversation.settings.setModel(llm);
    expect(conversation.state.agent).toEqual({ ...STORED, llm });
    await conversation.sendMessage('again');
    await expect(conversation.run()).rejects.toMatchObject({ code: 'AGENT_REQUIRED' });
    tools = true;
    expect((await conversation.run()).status).toBe('finished');
    await conversation.close();
  });

  test('a conversation without its agent accepts no other model where no model can be built', async () => {
    const conversation = await openWith(undefined, await stored());
    await expect(conversation.settings.setModel({})).rejects.toMatchObject({ code: 'AGENT_REQUIRED' });
    await conversation.close();
  });

  test('a conversation without its agent accepts no first message', async () => {
    const { conversation, store } = await play({ description: STORED });
    const { id } = conversation;
    await conversation.close();
    const again = await openWith(undefined, { store, id });
    await expect(again.sendMessage('first')).rejects.toMatchObject({ code: 'AGENT_REQUIRED' });
    expect(await again.events.slice()).toEqual([]);
    await again.close();
  });
});

test('a new conversation without an agent is refused before its folder is made', async () => {
  const store = new FaultyStore();
  const opening = openLocalConversation({ storeAt: () => store }, { store, workspace: freshFolder(), create: 'must' });
  await expect(opening).rejects.toMatchObject({ code: 'AGENT_REQUIRED' });
  expect((await store.list()).items).toEqual([]);
});
