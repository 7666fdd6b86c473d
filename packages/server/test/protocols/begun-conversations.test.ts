import { randomUUID } from 'node:crypto';
import { join } from 'node:path';

import type { JsonObject } from '@conv/core';
import { expect, test } from 'vitest';

import type { Principal } from '../../src/auth/principal.ts';
import { SettingsStore } from '../../src/settings/settings-store.ts';
import { testCipher } from '../support/test-cipher.ts';
import { startServer, type TestServer } from '../support/test-server.ts';
import { talk } from './test-protocol.ts';

const KEY = { 'x-session-api-key': 'key-of-operator' };

const PEOPLE: Readonly<Record<string, Principal>> = {
  ann: { name: 'ann', scopes: ['read', 'run'], limits: { own: true } },
  eve: { name: 'eve', scopes: ['read', 'approve'] },
};

/** A server with settings and a stored model. */
async function served(): Promise<TestServer> {
  const { folder } = await startServer();
  const server = await startServer({
    turns: [{ text: 'Hello.' }],
    scripts: { other: [{ text: 'I am the other.' }] },
    sessionKeys: ['key-of-operator'],
    principal: (key) => PEOPLE[key],
    cipher: testCipher,
    settingsStore: new SettingsStore(join(folder, 'settings'), testCipher),
    workspaceHost: { workingDirectory: join(folder, 'project'), environment: {} },
    protocols: [talk()],
  });
  const agent = { llm: { model: 'scripted', api_key: 'sk-plain-0123456789' } };
  await server.call('PATCH', '/api/settings', { agent_settings_diff: agent }, KEY);
  await server.call('POST', '/api/profiles/fast', { llm: { model: 'other' } }, KEY);
  return server;
}

async function begin(server: TestServer, wanted: object, headers: Record<string, string> = KEY) {
  return server.call<JsonObject>('POST', '/talk', wanted, headers);
}

test('a conversation begins by the stored settings, in the folder of the server', async () => {
  const server = await served();
  const { status, body } = await begin(server, { instructions: 'Be brief.' });
  expect([status, body['models']]).toEqual([200, ['openhands_fast']]);
  expect(body).toMatchObject({
    agent: { llm: { model: 'scripted' }, agent_context: { system_message_suffix: 'Be brief.' } },
    workspace: { workingDir: expect.stringMatching(/project$/) },
    confirmationPolicy: { kind: 'NeverConfirm' },
  });
});

test('a conversation has the model that is asked for, and another model is refused', async () => {
  const server = await served();
  expect((await begin(server, { model: 'openhands_fast' })).body).toMatchObject({ agent: { llm: { model: 'other' } } });
  for (const model of ['gpt-9', 'openhands_slow', 'openhands_'])
    expect(await begin(server, { model })).toMatchObject({ status: 400, body: expect.stringContaining(model) });
});

test('P11: a request that comes again gets the conversation of the first', async () => {
  const server = await served();
  const id = randomUUID();
  const answers = await Promise.all([1, 2, 3].map(() => begin(server, { id })));
  expect(answers.map(({ body }) => body['id'])).toEqual([id, id, id]);
  expect((await begin(server, { id: 'mine' })).status).toBe(400);
});

test('P11: a conversation that was deleted begins anew under its id, also for a client that had it open', async () => {
  const server = await served();
  const id = randomUUID();
  await begin(server, { id });
  await server.call('DELETE', `/api/conversations/${id}`, undefined, KEY);
  expect((await server.call('GET', `/talk/${id}`, undefined, KEY)).status).toBe(404);
  expect((await begin(server, { id, instructions: 'Be brief.' })).body).toMatchObject({
    id,
    agent: { agent_context: { system_message_suffix: 'Be brief.' } },
  });
  expect((await server.call('GET', `/api/conversations/${id}`, undefined, KEY)).status).toBe(200);
});

test('P10: a sender that may not approve begins a conversation that asks, in a folder of its own', async () => {
  const server = await served();
  const { body } = await begin(server, {}, { 'x-session-api-key': 'ann' });
  expect(body).toMatchObject({
    confirmationPolicy: { kind: 'AlwaysConfirm' },
    workspace: { workingDir: expect.stringContaining(`project/${body['id'] as string}`) },
  });
  expect((await begin(server, {}, { 'x-session-api-key': 'eve' })).status).toBe(403);
});

test('the confirmation mode of the settings asks a person about risky actions', async () => {
  const server = await served();
  const change = { conversation_settings_diff: { confirmation_mode: true, security_analyzer: 'pattern' } };
  await server.call('PATCH', '/api/settings', change, KEY);
  expect((await begin(server, {})).body).toMatchObject({ confirmationPolicy: { kind: 'ConfirmRisky' } });
});

test('max_iterations of the settings limits the runs of a conversation', async () => {
  const server = await served();
  await server.call('PATCH', '/api/settings', { conversation_settings_diff: { max_iterations: 7 } }, KEY);
  expect((await begin(server, {})).body).toMatchObject({ maxIterations: 7 });
});

test('the tools of a client are tools of the conversation', async () => {
  const server = await served();
  const tool = {
    name: 'weather',
    description: 'Tells it.',
    parameters: { type: 'object', properties: {} },
    answers: 'caller',
  };
  expect((await begin(server, { clientTools: [tool] })).body).toMatchObject({ clientTools: [{ name: 'weather' }] });
});

test('a server without settings begins none', async () => {
  const server = await startServer({ protocols: [talk()] });
  expect(await begin(server, {}, {})).toMatchObject({ status: 409, body: expect.stringMatching(/^UNSUPPORTED/) });
});
