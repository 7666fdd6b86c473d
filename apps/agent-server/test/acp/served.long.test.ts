import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { JsonObject } from '@conv/core';
import { isEvent } from '@conv/core/events';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { eventsOf, make, says, until } from '../calls.ts';
import { newFolder, removeFolders } from '../new-folder.ts';
import { callWith, eventually, ServerProcess } from '../server-process.ts';

const SESSION_KEY = 'session-key-0123456789';
const APPROVER_KEY = 'approver-key-0123456789';
const PROGRAM = fileURLToPath(new URL('scripted-program.ts', import.meta.url));

let cwd: string;
let env: Readonly<Record<string, string>>;
let server: ServerProcess;

beforeAll(async () => {
  cwd = newFolder();
  // the program of these tests lies in a home folder, which a sandbox hides
  env = { CONV_SANDBOX: 'off', OH_SESSION_API_KEYS_0: APPROVER_KEY, OH_SECRET_KEY: 'a-secret-key-0123456789' };
  server = await ServerProcess.start({ cwd, env });
});

afterAll(async () => {
  await server.stop();
  removeFolders();
});

const sessionsFile = (): string => join(cwd, 'sessions.json');

function settings(...can: readonly string[]): JsonObject {
  return { agent_kind: 'acp', acp_server: 'custom', acp_command: [process.execPath, PROGRAM], acp_args: can };
}

function request(members: JsonObject = {}, ...can: readonly string[]): JsonObject {
  return {
    agent_settings: settings(...can),
    workspace: { working_dir: join(cwd, 'work') },
    secrets: { SESSIONS: { kind: 'StaticSecret', value: sessionsFile() } },
    ...members,
  };
}

const send = (id: string, text: string): Promise<unknown> =>
  server.call('POST', `/api/conversations/${id}/events`, says(text, { run: true }));

async function toolStatuses(id: string): Promise<readonly unknown[]> {
  return (await eventsOf(server, id)).flatMap((event) => (isEvent(event, 'ACPToolCallEvent') ? [event.status] : []));
}

test('a conversation with agent_settings of an ACP agent runs its program, and shows its models', async () => {
  const { id, agent } = await make(server, request({}, 'models', 'usage'));
  expect(agent).toMatchObject({ kind: 'ACPAgent', acp_server: 'custom', llm: { usage_id: 'acp-managed' } });
  await send(id, 'tool Haul\ncost 0.5\nsay Hello');
  const info = await until(server, id, 'finished', 'error');
  expect(info).toMatchObject({
    execution_status: 'finished',
    current_model_id: 'small',
    available_models: [{ model_id: 'small' }, { model_id: 'large' }],
    supports_runtime_model_switch: true,
    stats: { usage_to_metrics: { 'acp-managed': { accumulated_cost: 0.5 } } },
  });
  expect(await toolStatuses(id)).toEqual(['pending', 'in_progress', 'completed']);
  expect((await server.call('POST', `/api/conversations/${id}/switch_acp_model`, { model: 'large' })).status).toBe(200);
  await send(id, 'model');
  await until(server, id, 'finished', 'error');
  const { body } = await server.call('GET', `/api/conversations/${id}/agent_final_response`);
  expect(body).toEqual({ response: 'model=large' });
});

test('P10: a person approves what the program asks for', async () => {
  const { id } = await make(server, request({ confirmation_policy: { kind: 'AlwaysConfirm' } }));
  await send(id, 'ask Haul');
  await until(server, id, 'waiting_for_confirmation', 'error');
  await server.call('POST', `/api/conversations/${id}/events/respond_to_confirmation`, { accept: true });
  await until(server, id, 'finished', 'error');
  const { body } = await server.call('GET', `/api/conversations/${id}/agent_final_response`);
  expect(body).toEqual({ response: 'answered: once' });
});

test('P5: a server goes on with the session of a program after the server before was killed in a turn', async () => {
  const { id } = await make(server, request({}, 'resume'));
  await send(id, 'begin Haul\nwait');
  await eventually(async () => (await toolStatuses(id)).length > 0);
  server.kill('SIGKILL');
  await server.ended();
  server = await ServerProcess.start({ cwd, env });
  expect((await until(server, id, 'finished', 'error')).execution_status).toBe('finished');
  expect(await toolStatuses(id)).toEqual(['pending', 'failed']);
  const prompts = Object.values(JSON.parse(readFileSync(sessionsFile(), 'utf8')) as Record<string, string[]>).at(-1);
  expect(prompts).toEqual(['begin Haul\nwait', expect.stringContaining('Check what it has already done')]);
});

test('POST /api/acp/models answers with the models of agent_settings, by its secrets, or with the reason', async () => {
  const secrets = { SESSIONS: { kind: 'StaticSecret', value: sessionsFile() }, PLAIN: 'plain-0123456789' };
  const ask = async (agent: JsonObject): Promise<unknown> =>
    (await server.call('POST', '/api/acp/models', { agent_settings: agent, secrets, refresh: true })).body;
  expect(await ask(settings('models'))).toEqual({
    agent_name: 'scripted',
    agent_version: '1.2.3',
    current_model_id: 'small',
    available_models: [
      { model_id: 'small', name: 'Small', description: null },
      { model_id: 'large', name: 'Large', description: 'Slow' },
    ],
    supports_runtime_model_switch: true,
    error: null,
  });
  expect(await ask(settings('login'))).toMatchObject({ available_models: [], error: { code: 'ACPAuthRequired' } });
  expect(await ask({ ...settings(), acp_command: ['/no/such/program'] })).toMatchObject({
    error: { code: 'ACPSpawnError', detail: expect.stringContaining('install it') },
  });
});

test('P10: a key needs the right to approve to start a program, keep it or ask for its models', async () => {
  const folder = newFolder();
  const keys = { ...env, OH_SESSION_API_KEYS_0: SESSION_KEY, CONV_APPROVER_KEYS: APPROVER_KEY };
  const guarded = await ServerProcess.start({ cwd: folder, env: keys });
  try {
    const asked = (key: string, method: string, path: string, body: JsonObject): Promise<{ status: number }> =>
      callWith(key, guarded.url + path, { method, body });
    const strict = { confirmation_policy: { kind: 'AlwaysConfirm' } };
    const calls: readonly (readonly [string, string, JsonObject])[] = [
      ['POST', '/api/conversations', { ...request(strict), workspace: { working_dir: join(folder, 'work') } }],
      ['PATCH', '/api/settings', { agent_settings_diff: settings() }],
      ['POST', '/api/acp/models', { agent_settings: settings() }],
    ];
    for (const [method, path, body] of calls) {
      expect((await asked(SESSION_KEY, method, path, body)).status).toBe(403);
      expect((await asked(APPROVER_KEY, method, path, body)).status).toBeLessThan(300);
    }
    // its secrets are variables of the program, and a variable can lead its keys elsewhere
    const id = randomUUID();
    const work = { working_dir: join(folder, 'work') };
    await asked(APPROVER_KEY, 'POST', '/api/conversations', {
      ...request(strict),
      workspace: work,
      conversation_id: id,
    });
    const secrets = { secrets: { ANTHROPIC_BASE_URL: 'https://elsewhere.example' } };
    const path = `/api/conversations/${id}/secrets`;
    expect((await asked(SESSION_KEY, 'POST', path, secrets)).status).toBe(403);
    expect((await asked(APPROVER_KEY, 'POST', path, secrets)).status).toBe(200);
  } finally {
    await guarded.stop();
  }
});
