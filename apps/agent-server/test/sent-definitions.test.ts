import type { JsonObject } from '@conv/core';
import type { ConversationInfo } from '@conv/openhands/rest';
import { call, lastUserText, say, toolResults } from '@conv/testing-model-server';
import { expect, onTestFinished, test } from 'vitest';

import { childrenOf, eventsOf, make, payload, says, until } from './calls.ts';
import { startScriptedServer } from './scripted-server.ts';
import { ServerProcess } from './server-process.ts';

// gives a task to the sub-agent that a message names, and says what came of it
const { cwd, model, server } = await startScriptedServer((request) => {
  const result = toolResults(request).at(-1);
  if (result) return say(`It said: ${result.text}`);
  const [verb, name] = (lastUserText(request) ?? '').split(' ');
  return verb === 'ask' ? call('task', { prompt: 'look at it', subagent_type: name ?? '' }) : say('All is well.');
});

const llm = (name: string): JsonObject => ({ model: `openai/${name}`, base_url: model.url, api_key: 'k' });

/** Starts a conversation with these definitions, which asks this sub-agent. Resolves when its run has ended. */
async function ask(name: string, definitions: readonly JsonObject[], more: JsonObject = {}): Promise<ConversationInfo> {
  const body = payload({ cwd, llm: llm('scripted') });
  const agent = { ...(body['agent'] as JsonObject), tools: [{ name: 'task_tool_set', params: {} }] };
  const { id } = await make(server, {
    ...body,
    agent,
    agent_definitions: definitions,
    initial_message: says(`ask ${name}`, { run: true }),
    ...more,
  });
  return until(server, id, 'finished', 'error');
}

/** The only child of a conversation. */
async function childOf(id: string, at: ServerProcess = server): Promise<ConversationInfo> {
  const children = await childrenOf(at, id);
  expect(children).toHaveLength(1);
  const { body } = await at.call<ConversationInfo>('GET', `/api/conversations/${children[0]}`);
  return body;
}

async function observationsOf({ id }: ConversationInfo): Promise<readonly unknown[]> {
  return (await eventsOf(server, id)).flatMap((event) => ('observation' in event ? [event.observation] : []));
}

test('P10: an agent gives a task to a sub-agent that came with the conversation', async () => {
  await server.call('POST', '/api/profiles/quick', { llm: llm('quick-model') });
  const parent = await ask('checker', [
    {
      name: 'checker',
      description: 'Checks what others did.',
      system_prompt: 'You check.',
      tools: ['terminal'],
      model: 'quick.json',
      permission_mode: 'always_confirm',
      max_iteration_per_run: 3,
      condenser: {
        kind: 'PipelineCondenser',
        condensers: [{ kind: 'LLMSummarizingCondenser', max_size: 33, llm: { model: 'x', api_key: '**********' } }],
      },
      hooks: { stop: [{ matcher: '*', hooks: [{ type: 'command', command: 'true' }] }] },
    },
  ]);
  const child = await childOf(parent.id);
  expect(child).toMatchObject({
    parent_conversation_id: parent.id,
    tags: { subagent: 'checker' },
    max_iterations: 3,
    confirmation_policy: { kind: 'AlwaysConfirm' },
    agent: {
      llm: { model: 'openai/quick-model' },
      tools: [{ name: 'terminal' }],
      condenser: { condensers: [{ max_size: 33, llm: { model: 'openai/quick-model' } }] },
    },
  });
  expect(await observationsOf(parent)).toMatchObject([
    {
      kind: 'TaskObservation',
      task_id: child.id,
      subagent: 'checker',
      status: 'completed',
      is_error: false,
      content: [{ text: 'All is well.' }],
    },
  ]);
  const asked = model.requests.map(({ body }) => JSON.stringify(body));
  expect(asked.some((text) => text.includes('- checker: Checks what others did.'))).toBe(true);
  expect(asked.some((text) => text.includes('quick-model') && text.includes('You check.'))).toBe(true);
});

test('a sub-agent whose skill its caller lacks is refused when it gets a task', async () => {
  const parent = await ask('knowing', [{ name: 'knowing', skills: ['not-there'] }]);
  const errors = (await eventsOf(server, parent.id)).filter(({ kind }) => kind === 'AgentErrorEvent');
  expect(JSON.stringify(errors)).toContain('skills: the agent that calls it has no');
  expect(parent.sub_conversation_ids).toEqual([]);
});

test('a definition with a wrong member is refused with its place', async () => {
  for (const [wrong, place] of [
    [{ name: ' ' }, 'name'],
    [{ name: 'a', permission_mode: 'sometimes' }, 'permission_mode'],
    [{ name: 'a', max_budget_per_run: 0 }, 'max_budget_per_run'],
  ] as const) {
    const body = { ...payload({ cwd, llm: llm('scripted') }), agent_definitions: [{ name: 'right' }, wrong] };
    const answer = await server.call('POST', '/api/conversations', body);
    expect(answer).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'agent_definitions', 1, place] }] } });
  }
});

test('P4: a fork and a server that starts again know the sub-agents, and show their definitions no secret', async () => {
  const condenser = { kind: 'LLMSummarizingCondenser', llm: { model: 'x', api_key: 'sk-hidden-0123456789' } };
  const initial_message = says('hello', { run: true });
  const parent = await ask('nothing', [{ name: 'kept', description: 'Is kept.', condenser }], { initial_message });
  await server.stop();
  const again = await ServerProcess.start({ cwd });
  onTestFinished(async () => void (await again.stop()));
  const { body: fork } = await again.call<ConversationInfo>('POST', `/api/conversations/${parent.id}/fork`, {});
  for (const id of [parent.id, fork.id]) {
    await again.call('POST', `/api/conversations/${id}/events`, says('ask kept', { run: true }));
    const child = await childOf(id, again);
    expect(child.tags).toMatchObject({ subagent: 'kept' });
    const { body: asked } = await again.call('GET', `/api/conversations/${id}`);
    expect(JSON.stringify([child, asked])).not.toContain('sk-hidden');
  }
});
