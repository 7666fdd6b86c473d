import type { JsonObject } from '@conv/core';
import { expect, test } from 'vitest';

import { testCipher } from '../support/test-cipher.ts';
import { startServer } from '../support/test-server.ts';

const extension = '/api/canvas-extensions/installed/a-b';
const backend = {
  name: 'a-b',
  state: 'missing',
  revision: null,
  prepared_revision: null,
  pid: null,
  port: null,
  detail: 'Canvas App is not installed or its manifest is invalid',
};
const loggedOut = { vendor: 'openai', connected: false, account_email: null, expires_at: null };
const detail = (text: string): JsonObject => ({ detail: text });
const failed = (text: string): JsonObject => ({ detail: 'Internal Server Error', exception: text });
const login = '/api/llm/subscription/openai';

// the answers of OpenHands' server 1.58 on which these features were not used
test.each<[string, string, unknown, number, unknown]>([
  ['GET', '/api/canvas-extensions/installed', undefined, 200, { canvas_extensions: [] }],
  ['GET', extension, undefined, 404, detail("Canvas extension 'a-b' is not installed")],
  ['PATCH', extension, { enabled: true }, 404, detail("Canvas extension 'a-b' is not installed")],
  ['DELETE', extension, undefined, 404, detail("Canvas extension 'a-b' is not installed")],
  ['GET', `${extension}/bundle`, undefined, 404, detail("Canvas extension 'a-b' bundle not found")],
  ['GET', `${extension}/icon`, undefined, 404, detail("Canvas extension 'a-b' icon not found")],
  ['GET', `${extension}/backend`, undefined, 200, backend],
  ['POST', `${extension}/backend/prepare`, { revision: 'r' }, 200, backend],
  ['POST', `${extension}/backend/start`, { revision: 'r' }, 200, backend],
  ['POST', `${extension}/backend/stop`, undefined, 200, backend],
  ['DELETE', `${extension}/backend/data`, undefined, 200, backend],
  ['GET', `${extension}/backend/logs`, undefined, 200, { name: 'a-b', logs: '', truncated: false }],
  ['POST', '/app-backends/a-b/session', undefined, 503, failed('503: Canvas App backend ingress is not configured')],
  ['DELETE', '/app-backends/a-b/session', undefined, 503, failed('503: Canvas App backend ingress is not configured')],
  ['GET', `${login}/status`, undefined, 200, loggedOut],
  ['POST', `${login}/logout`, undefined, 200, loggedOut],
  ['POST', `${login}/device/poll`, { device_code: 'x' }, 404, detail('Subscription device login not found or expired')],
  [
    'GET',
    '/api/init',
    undefined,
    404,
    detail('server is not running with deferred_init=True; the /api/init endpoint is not available'),
  ],
  [
    'POST',
    '/api/init',
    {},
    404,
    detail('server is not running with deferred_init=True; the /api/init endpoint is not available'),
  ],
])('%s %s answers as where the feature is not used', async (method, path, body, status, answer) => {
  const server = await startServer({ catalog: { models: {} } });
  expect(await server.call(method, path, body)).toMatchObject({ status, body: answer });
});

test('a configured server asks for the key of its configuration, and compares none', async () => {
  const server = await startServer({ cipher: testCipher });
  const init = async (headers: Record<string, string>): Promise<number> =>
    (await server.call('POST', '/api/init', { member: 1 }, headers)).status;
  expect(await init({})).toBe(401);
  expect(await init({ 'x-init-api-key': 'any' })).toBe(404);
  expect(await init({ 'x-init-api-key': 'a secret key for this test' })).toBe(404);
  expect((await server.call('GET', '/api/init')).status).toBe(404);
});

test.each<[string, unknown, number, string]>([
  ['/api/canvas-extensions/install', { source: 'github:a/b' }, 400, 'Could not read canvas extension source'],
  [`${login}/device/start`, undefined, 503, 'give the model an API key'],
])('POST %s is refused with its reason', async (path, body, status, reason) => {
  const server = await startServer({ catalog: { models: {} } });
  const refused = await server.call('POST', path, body);
  expect(refused.status).toBe(status);
  expect(JSON.stringify(refused.body)).toContain(reason);
});

test('a server that starts no programs says so when it is asked for their models', async () => {
  const server = await startServer({ catalog: { models: {} } });
  const { status, body } = await server.call('POST', '/api/acp/models', { agent_settings: { agent_kind: 'acp' } });
  expect(status).toBe(200);
  expect(body).toMatchObject({ available_models: [], current_model_id: null, error: { code: 'ACPSpawnError' } });
});

test('impossible names of extensions are refused', async () => {
  const server = await startServer({ catalog: { models: {} } });
  expect((await server.call('GET', '/api/canvas-extensions/installed/A_B')).status).toBe(422);
  expect((await server.call('GET', `${extension}/backend/logs?limit_bytes=0`)).status).toBe(422);
});
