import type { JsonObject } from '@conv/core';
import type { ConversationInfo } from '@conv/openhands/rest';
import { MemoryRegistry } from '@conv/store-kit/registry';
import { expect, test } from 'vitest';

import { ended, message } from '../support/conversation-calls.ts';
import {
  newConversation,
  startServer,
  until,
  type TestServer,
  type TestServerOptions,
} from '../support/test-server.ts';

const LONG = 'Please mend the login page, and the one where people change their passwords.';

/** Resolves with the title that a conversation gets for a message without a run. */
async function titled(server: TestServer, text: string, more: JsonObject = {}) {
  const call = <Body>(method: string, path: string, body?: unknown) =>
    server.call<Body>(method, path, body, { 'x-session-api-key': 'ann' });
  const made = await call<ConversationInfo>('POST', '/api/conversations', {
    ...newConversation(server.folder),
    ...more,
  });
  const path = `/api/conversations/${made.body.id}`;
  await call('POST', `${path}/events`, message(text));
  const { title, stats } = await until<ConversationInfo>(async () => {
    const { body: info } = await call<ConversationInfo>('GET', path);
    return info.title !== null && info;
  });
  return { title, calls: Object.keys(stats.usage_to_metrics) };
}

const byAgents = (options: TestServerOptions): Promise<TestServer> => startServer({ titlesByAgents: true, ...options });

test('a title is the beginning of the message unless agents may make titles', async () => {
  const server = await startServer({ turns: [{ text: 'Not asked.' }] });
  expect(await titled(server, LONG)).toEqual({
    title: 'Please mend the login page, and the one where peo…',
    calls: [],
  });
  expect(server.agents.requests()).toBe(0);
});

test("a title by the agent's model is counted in the conversation, and is no event", async () => {
  const server = await byAgents({ turns: [{ text: 'Mending the login page' }] });
  const { title, calls } = await titled(server, LONG);
  expect(title).toBe('Mending the login page');
  expect(calls).toHaveLength(1);
});

test('a title is the beginning of the message if the model of the agent fails', async () => {
  const server = await byAgents({ turns: [{ error: 'away' }] });
  expect((await titled(server, 'Mend it.')).title).toBe('Mend it.');
});

test("a title comes from the agent's model if the profile for titles does not exist", async () => {
  const asked: string[] = [];
  const server = await byAgents({
    turns: [{ text: 'By the agent' }],
    makeTitle: async (_, { profile }) => {
      asked.push(profile);
      return profile === 'there' ? 'By the profile' : undefined;
    },
  });
  expect((await titled(server, 'Mend it.', { title_llm_profile: 'there' })).title).toBe('By the profile');
  expect((await titled(server, 'Mend it.', { title_llm_profile: 'gone' })).title).toBe('By the agent');
  expect(asked).toEqual(['there', 'gone']);
});

test('a title for a sender with a daily limit who starts no run asks no model', async () => {
  const server = await byAgents({
    turns: [{ text: 'For nothing' }],
    principal: () => ({ name: 'ann', scopes: ['read', 'run', 'approve', 'admin'], daily: { cost: 1 } }),
    usage: { registry: new MemoryRegistry(), reserve: 0.001 },
  });
  expect((await titled(server, 'Mend it.')).title).toBe('Mend it.');
  expect(server.agents.requests()).toBe(0);
});

test.each([
  ['of an agent', {}],
  ['of a profile', { title_llm_profile: 'there' }],
])('a title %s asks no model when the limit of all runs together is used up', async (_, more) => {
  const asked: string[] = [];
  const makeTitle = async (text: string): Promise<string> => {
    asked.push(text);
    return 'By the profile';
  };
  const server = await byAgents({ turns: [{ text: 'A picture' }, { text: 'Not asked' }], makeTitle });
  const { id } = await server.make({ max_budget: 0.0001, ...more });
  const path = `/api/conversations/${id}/events`;
  // a message without words gets no title
  const image = { type: 'image', image_urls: ['data:image/png;base64,AAAA'] };
  await server.call('POST', path, { role: 'user', content: [image], run: true });
  await ended(server, id);
  await server.call('POST', path, message('Mend it.'));
  expect(await until(async () => (await server.info(id)).title)).toBe('Mend it.');
  expect([asked, server.agents.requests()]).toEqual([[], 1]);
});

test('no model makes a title of a message that hooks are still to check', async () => {
  const asked: string[] = [];
  const server = await byAgents({
    turns: [{ text: 'By the agent' }],
    makeTitle: async (text) => {
      asked.push(text);
      return 'By the profile';
    },
    hooks: (config) => ({
      config,
      start: () => ({
        handles: ({ type }) => type === 'UserPromptSubmit',
        run: async () => ({ events: [], blocked: false, reason: undefined, additionalContext: undefined }),
        close: async () => {},
      }),
    }),
  });
  const hooked = { hook_config: { user_prompt_submit: [{ hooks: [{ command: 'true' }] }] } };
  for (const more of [hooked, { ...hooked, title_llm_profile: 'there' }])
    expect((await titled(server, 'Mend it.', more)).title).toBe('Mend it.');
  expect([asked, server.agents.requests()]).toEqual([[], 0]);
});

test('a request for a title ends when its conversation is unloaded, and is no error', async () => {
  const asked = Promise.withResolvers<AbortSignal>();
  const server = await startServer({
    makeTitle: (_, { signal }) => {
      asked.resolve(signal);
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    },
  });
  const { id } = await server.make({ title_llm_profile: 'there' });
  await server.call('POST', `/api/conversations/${id}/events`, message('Mend it.'));
  const signal = await asked.promise;
  expect(signal.aborted).toBe(false);
  await server.close();
  expect([signal.aborted, server.reported]).toEqual([true, []]);
});
