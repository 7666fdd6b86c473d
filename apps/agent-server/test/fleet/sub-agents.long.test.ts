import { join } from 'node:path';

import type { JsonObject } from '@conv/core';
import type { ConversationInfo } from '@conv/openhands/rest';
import { call, createModelServer, lastUserText, say, toolResults, type ModelServer } from '@conv/testing-model-server';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { eventsOf, kindsOf, make, payload, says, until } from '../calls.ts';
import { newFolder } from '../new-folder.ts';
import { eventually, type ServerProcess } from '../server-process.ts';
import { startInFleet, type FleetProcess } from './fleet-process.ts';

let model: ModelServer;

/** Part of a result that names the child conversation of its call. */
const CHILD = /by id: "([\da-f-]{36})"/;

beforeAll(async () => {
  model = await createModelServer({
    script: (request) => {
      const [first, second] = toolResults(request, 'since-last-user-message');
      const text = lastUserText(request);
      if (text === 'sleep') return call('terminal', { command: 'sleep 600' });
      if (text !== 'delegate') return say('Well rested.');
      if (!first) return call('task', { prompt: 'sleep' });
      const resume = CHILD.exec(first.text)?.[1];
      return second || resume === undefined ? say('Over.') : call('task', { prompt: 'go on', resume });
    },
  });
});

afterAll(() => model.close());

/** Two servers, and a conversation of the first for which another one works. */
async function delegating() {
  const cwd = newFolder();
  const store = `sqlite:${join(cwd, 'conversations.db')}`;
  const start = (): Promise<FleetProcess> =>
    startInFleet({ cwd, store, env: { OH_SECRET_KEY: 'one-secret-for-all-servers' } });
  const [first, second] = [await start(), await start()];
  const llm = { model: 'openai/test-model', base_url: model.url, api_key: 'sk-test-0123456789' };
  const body = payload({ cwd, llm });
  const agent = { ...(body['agent'] as JsonObject), tools: [{ name: 'terminal' }, { name: 'task' }] };
  const { id } = await make(first.server, { ...body, agent });
  await first.server.call('POST', `/api/conversations/${id}/events`, says('delegate', { run: true }));
  const child = await eventually(async () => (await childrenOf(second.server, id))[0]);
  await eventually(async () => (await kindsOf(second.server, child)).includes('ActionEvent'));
  return { first, second, id, child };
}

async function childrenOf(server: ServerProcess, id: string): Promise<readonly string[]> {
  const { body } = await server.call<ConversationInfo>('GET', `/api/conversations/${id}`);
  return body.sub_conversation_ids;
}

test('P4: a run that goes on at another server goes on with what worked for it', async () => {
  const { first, second, id, child } = await delegating();
  first.server.kill('SIGKILL');
  await first.server.ended();
  await until(second.server, id, 'finished');
  const results = (await eventsOf(second.server, id)).filter(({ kind }) => /^(?:AgentError|Observation)/.test(kind));
  expect(results.map(({ kind }) => kind)).toEqual(['AgentErrorEvent', 'ObservationEvent']);
  const [lost, resumed] = results.map((result) => JSON.stringify(result));
  expect(lost).toContain(child);
  expect(resumed).toContain('Well rested.');
  expect(await kindsOf(second.server, child)).toEqual([
    'SystemPromptEvent',
    'MessageEvent',
    'ActionEvent',
    'AgentErrorEvent',
    'PauseEvent',
    'MessageEvent',
    'MessageEvent',
  ]);
});

test('P2: a command for what works for another conversation is refused by any server, which names that one', async () => {
  const { first, second, id, child } = await delegating();
  for (const { server } of [first, second]) {
    const { status, body } = await server.call<{ detail: string }>('POST', `/api/conversations/${child}/pause`);
    expect(status).toBe(409);
    expect(body.detail).toContain(`is in use by conversation ${id} at ${first.url}`);
  }
});
