import type { JsonObject } from '@conv/core';
import { AuthorizationServer, filesWith, ProtectedMcpServer, TOKEN_CANARY } from '@conv/testing-harness';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { newFolder } from '../new-folder.ts';
import { ServerProcess } from '../server-process.ts';

const KEY = 'session-key-of-trials-63ab';
const START = '/api/mcp/oauth/start';
const SECRET = 'value-of-the-credential-51ce';
const cwd = newFolder();
let authorization: AuthorizationServer;
let open: ProtectedMcpServer;
let server: ServerProcess;

beforeAll(async () => {
  authorization = await AuthorizationServer.start();
  open = await ProtectedMcpServer.start({ admits: () => true });
  const env = { OH_SESSION_API_KEYS_0: KEY, CONV_MCP_HOSTS: authorization.host };
  server = await ServerProcess.start({ cwd, env });
});

afterAll(async () => {
  await server.stop();
  await Promise.all([authorization.stop(), open.stop()]);
});

/** Starts an MCP server that wants a login. */
async function guarded(): Promise<{ readonly mcp: ProtectedMcpServer; readonly body: JsonObject }> {
  const mcp = await ProtectedMcpServer.start(authorization);
  const auth = { strategy: 'oauth2', authentication: { type: 'oauth', client_name: 'The shop of Ann' } };
  return { mcp, body: { name: 'shop', server: { url: mcp.url, auth }, timeout: 20 } };
}

interface Settings {
  readonly agent_settings: { readonly mcp_config: Readonly<Record<string, JsonObject>> };
}

const basic = (name: string, password: string): string =>
  `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;

/** The answer to the begin of a login. */
interface Begun {
  readonly ok: boolean;
  readonly job_id: string;
  readonly authorization_url: string;
}

const status = (id: string) => server.call('GET', `/api/mcp/oauth/status/${id}`);

describe('POST /api/mcp/test', () => {
  test('the test route lists the tools of a server, and calls one if asked', async () => {
    const asked = { server: { url: open.url } };
    expect((await server.call('POST', '/api/mcp/test', asked)).body).toEqual({ ok: true, tools: ['say'] });
    const tool_call = { name: 'say', arguments: { text: 'hello' } };
    expect((await server.call('POST', '/api/mcp/test', { ...asked, tool_call })).body).toEqual({
      ok: true,
      tools: ['say'],
      tool_result: { is_error: false, text: 'hello' },
    });
  });

  test.each(['http', 'shttp', 'streamable-http'])(
    'the test route takes the type %s in place of a transport',
    async (type) => {
      const { body } = await server.call('POST', '/api/mcp/test', { server: { type, url: open.url } });
      expect(body).toEqual({ ok: true, tools: ['say'] });
    },
  );

  test.each([
    [{ name: 'shout' }, "Tool 'shout' not advertised by server (available: say)"],
    [{ name: 'say', arguments: {} }, 'text'],
  ])('the test route tells that the call %j failed, and that the server is there', async (tool_call, text) => {
    const { body } = await server.call('POST', '/api/mcp/test', { server: { url: open.url }, tool_call });
    expect(body).toMatchObject({ ok: true, tool_result: { is_error: true, text: expect.stringContaining(text) } });
  });

  test('the test route tells why a server cannot be used, without values of its configuration', async () => {
    const env = { SERVICE_TOKEN: 'value-of-the-service-token' };
    const { status: code, body } = await server.call('POST', '/api/mcp/test', {
      name: 'mine',
      server: { command: 'false', args: ['--quiet'], env },
      timeout: 20,
    });
    expect([code, body]).toEqual([
      200,
      { ok: false, error: expect.stringContaining('mine: '), error_kind: 'connection' },
    ]);
    expect(JSON.stringify(body)).not.toContain(env.SERVICE_TOKEN);
  });

  test('the test route tells that a server needs a login', async () => {
    const { mcp, body } = await guarded();
    expect((await server.call('POST', '/api/mcp/test', body)).body).toEqual({
      ok: false,
      error: expect.stringContaining(START),
      error_kind: 'connection',
    });
    await mcp.stop();
  });

  test.each([
    [{ strategy: 'none' }, 'host', /./],
    [{ strategy: 'bearer', value: SECRET }, 'authorization', `Bearer ${SECRET}`],
    [{ strategy: 'api_key', value: SECRET, header_name: 'X-Key' }, 'x-key', SECRET],
    [{ strategy: 'basic', username: 'ann', password: SECRET }, 'authorization', basic('ann', SECRET)],
    [{ strategy: 'header', headers: { 'X-Own': SECRET } }, 'x-own', SECRET],
  ])('P9: the test route tries a server with the credential that settings keep: %s', async (auth, header, value) => {
    const seen: unknown[] = [];
    const mcp = await ProtectedMcpServer.start({
      admits: ({ headers }) => {
        seen.push(headers[header]);
        return true;
      },
    });
    const key = `kept-${auth.strategy}`;
    await server.call('POST', `/api/settings/mcp/${key}`, { url: mcp.url, auth });
    const headers = { 'x-expose-secrets': 'encrypted' };
    const { body } = await server.call<Settings>('GET', '/api/settings', undefined, headers);
    const kept = body.agent_settings.mcp_config[key];
    expect(JSON.stringify(kept)).not.toContain(SECRET);
    expect((await server.call('POST', '/api/mcp/test', { server: kept })).body).toMatchObject({ ok: true });
    for (const sent of seen) expect(sent).toMatch(value);
    expect(seen.length).toBeGreaterThan(1);
    await mcp.stop();
  });
});

describe('/api/mcp/oauth', () => {
  test('P9: the OAuth route begins a login, follows it, and lists the tools; no token is in an answer', async () => {
    const { mcp, body } = await guarded();
    const { body: begun } = await server.call<Begun>('POST', START, {
      ...body,
      tool_call: { name: 'say', arguments: { text: 'hi' } },
    });
    expect(begun).toEqual({ ok: true, job_id: expect.any(String), authorization_url: expect.any(String) });
    const waiting = { ...begun, status: 'authorizing', callback_ready: true };
    expect((await status(begun.job_id)).body).toEqual(waiting);
    expect(authorization.registrations.at(-1)).toMatchObject({ client_name: 'The shop of Ann' });
    const back = await authorization.allow(begun.authorization_url);
    expect((await fetch(back)).status).toBe(200);
    const ended = { ...waiting, status: 'succeeded', tools: ['say'], tool_result: { is_error: false, text: 'hi' } };
    expect((await status(begun.job_id)).body).toEqual(ended);
    expect((await status(begun.job_id)).body).toEqual(ended);
    expect(mcp.calls).toHaveLength(1);
    // the login is there now
    const { body: again } = await server.call<Begun>('POST', START, body);
    expect(again).toEqual({ ok: true, job_id: expect.any(String) });
    expect((await status(again.job_id)).body).toMatchObject({ status: 'succeeded', tools: ['say'] });
    expect(JSON.stringify([begun, ended, again]) + server.log).not.toContain(TOKEN_CANARY);
    expect(filesWith(cwd, TOKEN_CANARY)).toEqual([]);
    await mcp.stop();
  });

  test('the OAuth route takes the address that a person copied from the browser, and no other', async () => {
    const { mcp, body } = await guarded();
    const { body: begun } = await server.call<Begun>('POST', START, body);
    const path = `/api/mcp/oauth/callback/${begun.job_id}`;
    const back = await authorization.allow(begun.authorization_url);
    const refused = async (callback_url: string): Promise<number> =>
      (await server.call('POST', path, { callback_url })).status;
    expect(await refused('no address')).toBe(400);
    expect(await refused('http://127.0.0.1:9/callback?state=x')).toBe(400);
    // no state begins with this character
    const forged = new URL(back);
    forged.searchParams.set('state', `!${forged.searchParams.get('state')?.slice(1)}`);
    expect(await refused(forged.href)).toBe(400);
    const { body: ended } = await server.call('POST', path, { callback_url: back.href });
    expect(ended).toMatchObject({ ok: true, status: 'succeeded', tools: ['say'] });
    await mcp.stop();
  });

  test('the OAuth route tells that a login was denied', async () => {
    const { mcp, body } = await guarded();
    const { body: begun } = await server.call<Begun>('POST', START, body);
    const back = await authorization.allow(begun.authorization_url);
    back.searchParams.delete('code');
    back.searchParams.set('error', 'access_denied');
    expect((await fetch(back)).status).toBe(400);
    expect((await status(begun.job_id)).body).toMatchObject({
      ok: false,
      status: 'failed',
      error: 'The login failed: access was denied',
    });
    await mcp.stop();
  });

  test('the OAuth route is for servers with oauth2 alone, and answers 404 for an unknown job', async () => {
    const { status: code, body } = await server.call('POST', START, { server: { url: open.url } });
    expect([code, body]).toEqual([400, { detail: "MCP OAuth start requires auth.strategy='oauth2'" }]);
    for (const id of ['x', 'a'.repeat(32), '../settings'])
      expect((await status(encodeURIComponent(id))).body).toEqual({ detail: 'MCP OAuth job not found' });
  });
});
