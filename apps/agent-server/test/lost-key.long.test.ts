import { once } from 'node:events';

import type { JsonObject } from '@conv/core';
import { inCi } from '@conv/testing-harness';
import { createModelServer, say, type ModelServer } from '@conv/testing-model-server';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { eventsOf, make, payload, says, until } from './calls.ts';
import { newFolder } from './new-folder.ts';
import { ServerHere } from './server-here.ts';

const KEY = 'sk-lost-0123456789';

let model: ModelServer;

beforeAll(async () => {
  model = await createModelServer({ script: () => say('Yes.') });
});

afterAll(() => model.close());

/** Starts a server with this key of its own. */
function start(cwd: string, secretKey: string): Promise<ServerHere> {
  return ServerHere.start(cwd, { OH_SECRET_KEY: secretKey });
}

/** A server that holds a conversation whose model key was encrypted by another key. */
async function withLostKey(
  agent: JsonObject = {},
  llm: JsonObject = { model: 'anthropic/claude-opus-4-5', api_key: KEY },
): Promise<{ readonly server: ServerHere; readonly id: string }> {
  const cwd = newFolder();
  const first = await start(cwd, 'the key that is lost');
  const asked = payload({ cwd, llm });
  const { id } = await make(first, { ...asked, agent: { ...(asked['agent'] as JsonObject), ...agent } });
  await first.call('POST', `/api/conversations/${id}/events`, says('hello'));
  await first.stop();
  return { server: await start(cwd, 'another key'), id };
}

test('P5: a conversation whose model key cannot be read does everything but run', async () => {
  const { server, id } = await withLostKey();
  const path = `/api/conversations/${id}`;
  const leaf = (await server.call<JsonObject>('GET', path)).body['leaf_event_id'];
  const calls: readonly (readonly [string, string, JsonObject?])[] = [
    ['GET', path],
    ['POST', `${path}/pause`],
    ['POST', `${path}/events`, says('and this?')],
    ['POST', `${path}/fork`, {}],
    ['POST', `${path}/navigate`, { event_id: leaf as string }],
    ['POST', `${path}/secrets`, { secrets: { TOKEN: 'a-value-0123456789' } }],
    ['POST', `${path}/confirmation_policy`, { policy: { kind: 'AlwaysConfirm' } }],
    ['POST', `${path}/security_analyzer`, { security_analyzer: { kind: 'LLMSecurityAnalyzer' } }],
    ['PATCH', path, { title: 'Still mine', tags: { a: 'b' } }],
    ['POST', `${path}/interrupt`],
    ['GET', `${path}/events/search`],
    ['GET', `${path}/agent_final_response`],
  ];
  for (const [method, url, body] of calls) {
    const answer = await server.call(method, url, body);
    expect({ url, status: answer.status < 300 || answer.body }).toEqual({ url, status: true });
  }
  const socket = new WebSocket(
    `${server.url.replace('http', 'ws')}/sockets/events/${id}?resend_mode=all&session_api_key=${server.key}`,
  );
  const [frame] = (await once(socket, 'message')) as [{ readonly data: string }];
  expect(JSON.parse(frame.data)).toHaveProperty('kind');
  socket.close();
  expect((await server.call('POST', `${path}/run`)).status).toBe(200);
  const { agent } = await until(server, id, 'error');
  expect(agent).toMatchObject({ llm: { model: 'anthropic/claude-opus-4-5', api_key: null } });
  expect((await eventsOf(server, id)).findLast(({ kind }) => kind === 'ConversationErrorEvent')).toMatchObject({
    code: 'LLMBadRequestError',
    detail: expect.stringMatching(/anthropic\/claude-opus-4-5: api_key is missing/),
  });
  await server.stop();
});

const models = ['openai/test-model', 'anthropic/claude-opus-4-5', 'some-model'];

test.each(inCi(models, 3))(
  'P5: a run of %s behind a base URL says that its key cannot be read, and sends no request',
  async (name) => {
    const { server, id } = await withLostKey({}, { model: name, base_url: model.url, api_key: KEY });
    const before = model.requests.length;
    expect((await server.call('POST', `/api/conversations/${id}/run`)).status).toBe(200);
    await until(server, id, 'error');
    expect((await eventsOf(server, id)).findLast(({ kind }) => kind === 'ConversationErrorEvent')).toMatchObject({
      detail: expect.stringContaining(`${name}: api_key is missing in the stored description`),
    });
    expect(model.requests.length).toBe(before);
    // the key may come back with the secret key
    const { agent } = (await server.call<JsonObject>('GET', `/api/conversations/${id}`)).body;
    expect(agent).toMatchObject({ llm: { model: name, base_url: model.url } });
    await server.stop();
  },
);

test.each(['switch_llm', 'switch_profile'])(
  'P5: %s brings the conversation a key, and it runs again',
  async (route) => {
    const { server, id } = await withLostKey();
    const llm = { model: 'openai/test-model', base_url: model.url, api_key: 'sk-new-0123456789', usage_id: 'new' };
    const profile = await server.call('POST', '/api/profiles/mine', { llm });
    expect(profile.status).toBe(201);
    const body = route === 'switch_llm' ? { llm } : { profile_name: 'mine' };
    expect((await server.call('POST', `/api/conversations/${id}/${route}`, body)).status).toBe(200);
    expect((await server.call('POST', `/api/conversations/${id}/run`)).status).toBe(200);
    expect((await until(server, id, 'finished', 'error')).execution_status).toBe('finished');
    await server.stop();
  },
);

test.each<[string, JsonObject]>([
  [
    'MCP servers',
    { mcp_config: { remote: { url: 'http://127.0.0.1:9/mcp', headers: { Authorization: 'Bearer t-0123456789' } } } },
  ],
  ['a condenser', { condenser: { kind: 'LLMSummarizingCondenser', llm: { model: 'anthropic/claude', api_key: KEY } } }],
])('P5: a lost key of %s does not keep the conversation from being opened', async (_, agent) => {
  const { server, id } = await withLostKey(agent);
  expect((await server.call('POST', `/api/conversations/${id}/pause`)).status).toBe(200);
  expect((await server.call('POST', `/api/conversations/${id}/fork`, {})).status).toBe(201);
  await server.stop();
});
