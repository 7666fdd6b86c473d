import type { JsonObject } from '@conv/core';
import type { Event } from '@conv/core/events';
import { call, lastUserText, say, toolResults } from '@conv/testing-model-server';
import { expect, test } from 'vitest';

import { childrenOf, eventsOf, make, payload, says, until } from './calls.ts';
import { startScriptedServer } from './scripted-server.ts';

// starts a child where it is told to, and says what came of it
const { cwd, model, server } = await startScriptedServer((request) => {
  const result = toolResults(request).at(-1);
  if (result) return say(`It said: ${result.text}`);
  if (lastUserText(request) !== 'start one') return say('Done.');
  return call('start_child_conversation', { task: 'look at it', title: 'The look' });
});

test('P10: an agent starts a child that works by itself, has the secrets of its parent and is as strict', async () => {
  const body = payload({ cwd, llm: { model: 'openai/scripted', base_url: model.url, api_key: 'k' } });
  const agent = { ...(body['agent'] as JsonObject), tools: [{ name: 'start_child_conversation', params: {} }] };
  const parent = await make(server, {
    ...body,
    agent,
    max_iterations: 9,
    secrets: { TOKEN: { kind: 'StaticSecret', value: 'secret-value-0123' } },
    initial_message: says('start one', { run: true }),
  });
  await until(server, parent.id, 'finished');
  const children = await childrenOf(server, parent.id);
  expect(children).toHaveLength(1);
  const child = await until(server, children[0] ?? '', 'finished');
  expect(child).toMatchObject({ parent_conversation_id: parent.id, title: 'The look', max_iterations: 9 });
  expect(Object.keys(Object(child.secret_registry['secret_sources']) as object)).toEqual(['TOKEN']);
  const events = (await eventsOf(server, parent.id)) as readonly (Event & Record<string, JsonObject>)[];
  expect(events.find(({ kind }) => kind === 'ActionEvent')?.['action']).toEqual({
    kind: 'StartChildConversationAction',
    task: 'look at it',
    title: 'The look',
    isolation: 'worktree',
  });
  expect(events.find(({ kind }) => kind === 'ObservationEvent')?.['observation']).toMatchObject({
    kind: 'StartChildConversationObservation',
    conversation_id: child.id,
    parent_conversation_id: parent.id,
    title: 'The look',
    isolation: 'shared',
    is_error: false,
  });
});
