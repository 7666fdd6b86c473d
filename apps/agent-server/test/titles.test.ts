import type { JsonObject } from '@conv/core';
import type { ConversationInfo } from '@conv/openhands/rest';
import { fail, lastUserText, say, type Turn } from '@conv/testing-model-server';
import { expect, onTestFinished, test } from 'vitest';

import { payload, says, until } from './calls.ts';
import { newFolder } from './new-folder.ts';
import { startScriptedServer } from './scripted-server.ts';
import { eventually, ServerProcess } from './server-process.ts';

let title: Turn = say('Greetings');

const { cwd, model, server } = await startScriptedServer(
  (request) => say((lastUserText(request) ?? '').includes('in one word') ? 'Hello' : 'Yes.'),
  () => title,
);

/** Resolves with a conversation that has a title, after the run that answers its first message. */
async function titled(more: JsonObject = {}, at: ServerProcess = server): Promise<ConversationInfo> {
  const llm = { model: 'openai/of-the-agent', base_url: model.url, api_key: 'sk-test-0123456789', num_retries: 0 };
  const { body } = await at.call<ConversationInfo>('POST', '/api/conversations', {
    ...payload({ cwd, llm }),
    ...more,
  });
  const path = `/api/conversations/${body.id}`;
  await at.call('POST', `${path}/events`, says('Good morning to you all', { run: true }));
  expect((await until(at, body.id, 'finished', 'error')).execution_status).toBe('finished');
  return eventually(async () => {
    const { body: info } = await at.call<ConversationInfo>('GET', path);
    return info.title === null ? undefined : info;
  });
}

test("a conversation gets its title from the agent's model, and its cost is that of the conversation", async () => {
  const info = await titled();
  expect(info.title).toBe('Greetings');
  expect(Object.keys(info.stats.usage_to_metrics).sort()).toEqual(['agent', 'title']);
});

test("a conversation gets its title from the agent's model for the prompt of the request", async () => {
  expect((await titled({ prompt: 'A title in one word for {conversation_content}' })).title).toBe('Hello');
});

test("a conversation gets its title from the agent's model if there is no profile for titles", async () => {
  expect((await titled({ title_llm_profile: 'gone' })).title).toBe('Greetings');
});

test('a conversation is titled with its message if the model has no title', async () => {
  for (const turn of [fail(400), fail(503), say(' ')]) {
    title = turn;
    expect((await titled()).title).toBe('Good morning to you all');
  }
});

test('no model is asked for a title where titles are made of messages', async () => {
  title = say('Asked for');
  const plain = await ServerProcess.start({ cwd: newFolder(), env: { CONV_TITLES: 'message' } });
  onTestFinished(async () => void (await plain.stop()));
  const info = await titled({}, plain);
  expect(info.title).toBe('Good morning to you all');
  expect(Object.keys(info.stats.usage_to_metrics)).toEqual(['agent']);
});
