import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';

import type { JsonObject } from '@conv/core';
import { fernetCipher } from '@conv/secrets';
import { call, createModelServer, lastUserText, say, toolResults, type ModelServer } from '@conv/testing-model-server';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { eventsOf, kindsOf, make, payload, says, until } from './calls.ts';
import { newFolder } from './new-folder.ts';
import { launch, ServerProcess } from './server-process.ts';

const KEY = 'session-key-canary-7f3a';
const SECRET_KEY = 'cipher-key-canary-91bc';
const API_KEY = 'model-key-canary-d04e';
const VALUE = 'vault-value-canary-5e88';

let model: ModelServer;
let server: ServerProcess;
const cwd = newFolder();
const env = { OH_SESSION_API_KEYS_0: KEY, OH_SECRET_KEY: SECRET_KEY, CONV_HOST: '127.0.0.1' };

beforeAll(async () => {
  // does what it is told: `run COMMAND` in the terminal, then it says what that printed
  const script = (request: Parameters<typeof lastUserText>[0]) => {
    const told = lastUserText(request);
    const [result] = toolResults(request);
    if (result) return say(`It printed: ${result.text}`);
    return told.startsWith('run ') ? call('terminal', { command: told.slice(4) }) : say(`You said: ${told}`);
  };
  model = await createModelServer({ script, apiKey: API_KEY });
  server = await ServerProcess.start({ cwd, env });
});

afterAll(async () => {
  await server.stop();
  await model.close();
});

function described(more: JsonObject = {}): JsonObject {
  return payload({
    cwd,
    llm: { model: 'openai/test-model', base_url: model.url, api_key: API_KEY, stream: true, num_retries: 0, ...more },
  });
}

test('an agent as OpenHands clients describe it runs here, and unknown tools come back as they were sent', async () => {
  const body = described();
  const made = await make(server, body);
  expect((made.agent as JsonObject)['tools']).toEqual((body['agent'] as JsonObject)['tools']);
  expect(JSON.stringify(made)).not.toContain(API_KEY);
  await server.call('POST', `/api/conversations/${made.id}/events`, says('run echo $((6*7))', { run: true }));
  await until(server, made.id, 'finished', 'error');
  expect(await kindsOf(server, made.id)).toEqual([
    'SystemPromptEvent',
    'MessageEvent',
    'ActionEvent',
    'ObservationEvent',
    'MessageEvent',
  ]);
  const final = await server.call('GET', `/api/conversations/${made.id}/agent_final_response`);
  expect(final.body).toMatchObject({ response: expect.stringContaining('It printed: 42') as string });
  const { violations } = model;
  expect(violations).toEqual([]);
});

test('a key that this server encrypted is read, and one of another server is refused by name', async () => {
  const encrypted = fernetCipher(SECRET_KEY).encrypt(API_KEY);
  const { id } = await make(server, { ...described({ api_key: encrypted }), secrets_encrypted: true });
  await server.call('POST', `/api/conversations/${id}/events`, says('hello', { run: true }));
  expect((await until(server, id, 'finished', 'error')).execution_status).toBe('finished');
  const foreign = fernetCipher('another key').encrypt(API_KEY);
  const refused = await server.call('POST', '/api/conversations', {
    ...described({ api_key: foreign }),
    secrets_encrypted: true,
  });
  expect(refused.status).toBe(422);
  expect(JSON.stringify(refused.body)).toContain('secrets_encrypted');
});

test('P9: a secret that is looked up at a path of this server reaches only the process that names it', async () => {
  const kept = await server.call('PUT', '/api/settings/secrets', { name: 'DEPLOY_TOKEN', value: VALUE });
  expect(kept.status).toBe(200);
  const headers = { 'X-Session-API-Key': KEY };
  const lookup = { kind: 'LookupSecret', url: '/api/settings/secrets/DEPLOY_TOKEN', description: 'deploys', headers };
  const { id } = await make(server, { ...described(), secrets: { DEPLOY_TOKEN: lookup } });
  const command = 'run printf %s "$DEPLOY_TOKEN" | wc -c; echo "$DEPLOY_TOKEN"';
  await server.call('POST', `/api/conversations/${id}/events`, says(command, { run: true }));
  await until(server, id, 'finished', 'error');
  const texts = JSON.stringify(await eventsOf(server, id));
  expect(texts).toContain(`${VALUE.length}`);
  expect(texts).toContain('<secret-hidden>');
  expect(texts).not.toContain(VALUE);
});

test('P9: secrets of the agent reach the process that names them, and one of the request wins', async () => {
  const context = { AGENT_TOKEN: 'a-value-of-the-agent', BOTH_TOKEN: 'the-agent-says' };
  const body = described();
  const agent = { ...(body['agent'] as JsonObject), agent_context: { secrets: context } };
  const secrets = { BOTH_TOKEN: { kind: 'StaticSecret', value: 'the-request-says-more' } };
  const { id } = await make(server, { ...body, agent, secrets });
  const command = 'run printf %s "$AGENT_TOKEN" | wc -c; printf %s "$BOTH_TOKEN" | wc -c; echo "$AGENT_TOKEN"';
  await server.call('POST', `/api/conversations/${id}/events`, says(command, { run: true }));
  await until(server, id, 'finished', 'error');
  const texts = JSON.stringify(await eventsOf(server, id));
  expect(texts).toContain(`${context.AGENT_TOKEN.length}\\n${secrets.BOTH_TOKEN.value.length}\\n<secret-hidden>`);
  expect(texts).not.toContain(context.AGENT_TOKEN);
});

test('an action waits for its confirmation, and is carried out after it', async () => {
  const workspace = { kind: 'LocalWorkspace', working_dir: join(cwd, 'work', 'confirmed') };
  const { id } = await make(server, { ...described(), workspace, confirmation_policy: { kind: 'AlwaysConfirm' } });
  const file = join(workspace.working_dir, 'confirmed');
  await server.call('POST', `/api/conversations/${id}/events`, says(`run touch ${file}`, { run: true }));
  await until(server, id, 'waiting_for_confirmation');
  expect(existsSync(file)).toBe(false);
  await server.call('POST', `/api/conversations/${id}/events/respond_to_confirmation`, { accept: true });
  await until(server, id, 'finished', 'error');
  expect(existsSync(file)).toBe(true);
});

test('thresholds for loops are taken as clients write them, and refused when they are none', async () => {
  const thresholds = { action_observation: 2, action_error: 3, monologue: null, alternating_pattern: 6 };
  await make(server, { ...described(), stuck_detection_thresholds: thresholds });
  const refused = await server.call('POST', '/api/conversations', {
    ...described(),
    stuck_detection_thresholds: { ...thresholds, monologue: 'many' },
  });
  expect(refused.status).toBe(422);
});

test('the server answers nothing without the key but that it is there', async () => {
  const headers = { 'x-session-api-key': 'wrong' };
  expect((await server.call('GET', '/api/conversations/search', undefined, headers)).status).toBe(401);
  expect((await server.call('GET', '/health', undefined, headers)).status).toBe(200);
  expect((await server.call('GET', '/docs', undefined, headers)).status).toBe(200);
});

test('an address that cannot be read is refused like everything else, and not repeated', async () => {
  for (const [path, status] of [
    [`/api/%ff?session_api_key=${KEY}`, 400],
    [`/api/settings/secrets/${'x'.repeat(300)}`, 414],
  ] as const) {
    const answer = await server.call('GET', path);
    expect(answer).toEqual({ status, body: { detail: 'The path cannot be read' } });
  }
});

test('an address that cannot be read is answered with the headers that say what browsers may do', async () => {
  for (const path of ['/%zz', '/api/%zz']) {
    const { status, headers } = await fetch(`${server.url}${path}`);
    expect([status, headers.get('x-content-type-options')]).toEqual([400, 'nosniff']);
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('cache-control')).toBe(path.startsWith('/api/') ? 'no-store' : null);
  }
});

test('P9: no key and no value of a secret is ever logged', async () => {
  await server.call('GET', `/api/conversations/search?limit=1&key=${KEY}`);
  await server.call('POST', '/api/conversations', { agent: { api_key: API_KEY, value: VALUE }, secrets: VALUE });
  expect(server.lines.length).toBeGreaterThan(0);
  for (const canary of [KEY, SECRET_KEY, API_KEY, VALUE]) expect(server.log).not.toContain(canary);
});

test('a port that is taken, and a configuration that is wrong, end it with one line', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const elsewhere = newFolder();
  const [second, wrong, unknown] = await Promise.all([
    launch({ cwd: elsewhere, env: { LOG_JSON: 'false' }, args: ['--port', `${port}`] }),
    launch({ cwd: elsewhere, env: { OH_MAX_CONCURRENT_RUNS: 'many' } }),
    launch({ cwd: elsewhere, args: ['--store', 'nowhere:x'] }),
  ]);
  taken.close();
  expect(second).toMatchObject({ exitCode: 1, stdout: '' });
  // the program names its version before it listens
  expect(second.stderr.split('\n')).toEqual([expect.stringContaining('starting'), expect.stringContaining(`${port}`)]);
  expect(wrong).toMatchObject({
    exitCode: 2,
    stdout: '',
    stderr: expect.stringMatching(/^OH_MAX_CONCURRENT_RUNS: .*$/) as string,
  });
  expect(unknown).toMatchObject({ exitCode: 2, stdout: '' });
  expect(unknown.stderr.split('\n')).toHaveLength(1);
});
