import type { JsonObject } from '@conv/core';
import { call, lastUserText, say } from '@conv/testing-model-server';
import { expect, test } from 'vitest';

import { eventsOf, make, payload, says, until } from './calls.ts';
import { startScriptedServer } from './scripted-server.ts';

const { cwd, model, server } = await startScriptedServer((request) => {
  if (request.model === 'small') return say('2', { usage: { promptTokens: 100, completionTokens: 1 } });
  if (request.model === 'wise') return say('Take the second way.');
  if (request.model === 'deep') return say('The deep model says it.');
  const wanted = lastUserText(request) ?? '';
  if (request.messages.some(({ role }) => role === 'tool')) return say('It stays with me.');
  return wanted.includes('oracle') ? call('ask_oracle', { question: 'Which way?' }) : call('route_task_to_model', {});
});

const llm = (name: string): JsonObject => ({ model: `openai/${name}`, base_url: model.url, api_key: 'k' });

async function started(agent: JsonObject, text: string): Promise<string> {
  const { id } = await make(server, {
    ...payload({ cwd, llm: llm('first') }),
    ...agent,
    initial_message: says(text, { run: true }),
  });
  await until(server, id, 'finished', 'error');
  return id;
}

test('an agent of settings with active rules goes on with the model of the class that a small model names', async () => {
  for (const [name, of] of [
    ['small', 'small'],
    ['deep', 'deep'],
    ['fast', 'fast'],
  ] as const)
    await server.call('POST', `/api/profiles/${name}`, { llm: llm(of) });
  await server.call('POST', '/api/meta-profiles/by-kind', {
    classifier_model: 'small',
    classes: [
      { description: 'a question', model: 'fast' },
      { description: 'a change of code', model: 'deep' },
    ],
  });
  await server.call('POST', '/api/meta-profiles/by-kind/activate');
  await server.call('PATCH', '/api/settings', { agent_settings_diff: { llm: llm('first') } });
  const { body } = await server.call<{ agent_settings: JsonObject }>('GET', '/api/settings', undefined, {
    'x-expose-secrets': 'encrypted',
  });
  const id = await started({ agent: null, agent_settings: body.agent_settings }, 'Rename the function, please.');
  const events = await eventsOf(server, id);
  const [observation] = events.flatMap((event) => ('observation' in event ? [event.observation] : []));
  expect(observation).toMatchObject({
    kind: 'ClassifyAndSwitchLLMObservation',
    is_error: false,
    chosen_class: 'a change of code',
    model: 'deep',
    active_model: 'openai/deep',
  });
  expect(JSON.stringify(events.at(-1))).toContain('The deep model says it.');
  const info = await server.call<JsonObject>('GET', `/api/conversations/${id}`);
  expect(info.body).toMatchObject({
    agent: { llm: { model: 'openai/deep', usage_id: 'profile:deep' } },
    stats: { usage_to_metrics: { 'classifier:small': { model_name: 'openai/small' } } },
  });
  const asked = model.requests.find(({ model: name }) => name === 'small');
  expect(JSON.stringify(asked?.body)).toContain('Rename the function, please.');
});

test('an agent asks the profile oracle for a second opinion and goes on with its own model', async () => {
  await server.call('POST', '/api/profiles/oracle', { llm: llm('wise') });
  const { agent } = payload({ cwd, llm: llm('first') }) as { readonly agent: JsonObject };
  const id = await started({ agent: { ...agent, tools: [{ name: 'ask_oracle' }] } }, 'Ask the oracle.');
  const events = await eventsOf(server, id);
  const [observation] = events.flatMap((event) => ('observation' in event ? [event.observation] : []));
  expect(observation).toMatchObject({
    kind: 'AskOracleObservation',
    is_error: false,
    content: [{ text: 'Take the second way.' }],
  });
  expect(JSON.stringify(events.at(-1))).toContain('It stays with me.');
});
