import type { Sandbox } from '@conv/core/tool';
import type { OpenApiDocument } from '@conv/openhands';
import type { ServerInfo } from '@conv/openhands/rest';
import { expect, test } from 'vitest';

import { PROTOCOL_VERSION } from '../../src/routes/serve-server-info.ts';
import { startServer } from '../support/test-server.ts';

test('a server says without a key that it is there, what it can do and which tools there are', async () => {
  const server = await startServer({ sessionKeys: ['key'], about: { tools: ['terminal'], commit: 'abc' } });
  for (const path of ['/alive', '/health'])
    expect(await server.call('GET', path)).toMatchObject({ status: 200, body: { status: 'ok' } });
  expect(await server.call('GET', '/ready')).toMatchObject({ status: 200, body: { status: 'ready' } });
  for (const path of ['/server_info', '/']) {
    const { status, body } = await server.call<ServerInfo>('GET', path);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      usable_tools: ['terminal'],
      build_git_sha: 'abc',
      version: PROTOCOL_VERSION,
      conv_version: null,
    });
    expect(body.capabilities).toContain('session_socket_v1');
    expect(body.uptime).toBeGreaterThanOrEqual(body.idle_time);
  }
  expect((await server.call('GET', '/api/tools/')).status).toBe(401);
  const tools = await server.call('GET', '/api/tools/', undefined, { 'x-session-api-key': 'key' });
  expect(tools.body).toEqual(['terminal']);
  const redirected = await server.call('GET', '/api/tools', undefined, { 'x-session-api-key': 'key' });
  expect([redirected.status, redirected.headers.get('location')]).toEqual([307, '/api/tools/']);
});

test('a server describes its tools, and says which ones agents get by default', async () => {
  const server = await startServer({ about: { tools: ['terminal', 'browser'] } });
  const entry = { user_selectable: true, usable: true, description: '' };
  expect((await server.call('GET', '/api/tools/catalog')).body).toEqual({
    tools: [
      { ...entry, name: 'terminal', in_default_set: true },
      { ...entry, name: 'browser', in_default_set: false },
    ],
  });
});

test('a server says which sandbox confines commands, and why none does', async () => {
  const sandbox: Sandbox = { name: 'bubblewrap', open: () => Promise.reject(new Error('never opened')) };
  const told = async (options: Parameters<typeof startServer>[0]): Promise<unknown> => {
    const { body } = await (await startServer(options)).call<ServerInfo>('GET', '/server_info');
    return { sandbox: body.sandbox, unconfined: body.unconfined };
  };
  expect(await told({ sandbox })).toEqual({ sandbox: 'bubblewrap', unconfined: null });
  expect(await told({ about: { unconfined: 'bwrap is missing' } })).toEqual({
    sandbox: null,
    unconfined: 'bwrap is missing',
  });
  expect(await told({})).toEqual({ sandbox: null, unconfined: null });
});

test('a server shows its counters to those with a key, or to all, and has no such path without counters', async () => {
  const text = async (): Promise<string> => 'runs 1\n';
  const [none, closed, open] = await Promise.all([
    startServer(),
    startServer({ sessionKeys: ['key'], metrics: { text } }),
    startServer({ sessionKeys: ['key'], metrics: { text, open: true } }),
  ]);
  expect((await none.call('GET', '/metrics')).status).toBe(404);
  expect((await closed.call('GET', '/metrics')).status).toBe(401);
  const read = await closed.call<string>('GET', '/metrics', undefined, { 'x-session-api-key': 'key' });
  expect([read.status, read.body]).toEqual([200, 'runs 1\n']);
  expect(read.headers.get('content-type')).toContain('text/plain; version=0.0.4');
  expect((await open.call('GET', '/metrics')).status).toBe(200);
});

test('a server describes what it serves, as a document and as a page', async () => {
  const server = await startServer({ sessionKeys: ['key'] });
  const { status, body } = await server.call<OpenApiDocument>('GET', '/openapi.json');
  expect([status, body.openapi]).toEqual([200, '3.1.0']);
  expect(Object.keys(body.paths)).toEqual(expect.arrayContaining(['/api/conversations', '/server_info', '/health']));
  expect(Object.keys(body.paths)).not.toContain('/v1/chat/completions');
  const page = await server.call<string>('GET', '/docs');
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(page.body).toContain('GET /api/conversations/{conversation_id}');
});
