import type { JsonObject } from '@conv/core';
import type { Event } from '@conv/core/events';
import type { ConversationInfo } from '@conv/openhands/rest';
import { call, createModelServer, lastUserText, say, toolResults, type ModelServer } from '@conv/testing-model-server';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { eventsOf, make, payload, says, until } from './calls.ts';
import { newFolder } from './new-folder.ts';
import { eventually, ServerProcess } from './server-process.ts';

const cwd = newFolder();
let model: ModelServer;
let server: ServerProcess;

beforeAll(async () => {
  // starts a child where it is told to, and says what came of it
  model = await createModelServer({
    script: (request) => {
      const result = toolResults(request).at(-1);
      if (result) return say(`It said: ${result.text}`);
      if (lastUserText(request) !== 'start one') return say('Done.');
      return call('start_child_conversation', { task: 'look at it', title: 'The look' });
    },
  });
  server = await ServerProcess.start({ cwd });
});

afterAll(async () => {
  await server.stop();
  await model.close();
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
  // a server may name its children a moment later
  const children = await eventually(async () => {
    const { body: now } = await server.call<ConversationInfo>('GET', `/api/conversations/${parent.id}`);
    return now.sub_conversation_ids.length > 0 && now.sub_conversation_ids;
  });
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
