import type { JsonObject } from '@conv/core';
import { fail, say } from '@conv/testing-model-server';
import { expect, test } from 'vitest';

import { eventsOf, make, payload, says, until } from './calls.ts';
import { startScriptedServer } from './scripted-server.ts';

const { cwd, model, server } = await startScriptedServer((request) => {
  if (request.model === 'broken') return fail(503);
  const { text } = request.messages.at(-1) ?? { text: '' };
  if (request.tools.length > 0) return say('It has calls of its own.');
  if (text.startsWith('EXECUTION RESULT of [terminal]:\nmade')) return say('It says made.');
  return say('I make it.\n<function=terminal>\n<parameter=command>echo made</parameter>\n');
});

const llm = (more: JsonObject): JsonObject => ({
  model: 'openai/test-model',
  base_url: model.url,
  api_key: 'sk-test-0123456789',
  num_retries: 1,
  ...more,
});

async function lastAfter(id: string, text: string): Promise<string> {
  await server.call('POST', `/api/conversations/${id}/events`, says(text, { run: true }));
  await until(server, id, 'finished', 'error');
  return JSON.stringify((await eventsOf(server, id)).at(-1));
}

test('a model that writes its calls as text works with tools, also as a fallback and after a switch', async () => {
  const writes = llm({ native_tool_calling: false });
  const { id } = await make(server, payload({ cwd, llm: writes }));
  expect(await lastAfter(id, 'Make it.')).toContain('It says made.');
  const { body: info } = await server.call<JsonObject>('GET', `/api/conversations/${id}`);
  expect(info).toMatchObject({ agent: { llm: { native_tool_calling: false } } });
  expect((await eventsOf(server, id)).find(({ kind }) => kind === 'ActionEvent')).toMatchObject({
    thought: [{ text: 'I make it.' }],
    tool_call: { name: 'terminal', id: 'call_1' },
  });

  const falls = llm({ model: 'openai/broken', fallbacks: [writes] });
  const { id: other } = await make(server, payload({ cwd, llm: falls }));
  expect(await lastAfter(other, 'Make it.')).toContain('It says made.');

  await server.call('POST', '/api/profiles/writes', { llm: writes });
  const { id: third } = await make(server, payload({ cwd, llm: llm({}) }));
  expect(await lastAfter(third, 'Say it.')).toContain('It has calls of its own.');
  const switched = await server.call('POST', `/api/conversations/${third}/switch_profile`, { profile_name: 'writes' });
  expect(switched.status).toBe(200);
  expect(await lastAfter(third, 'Make it.')).toContain('It says made.');
});
