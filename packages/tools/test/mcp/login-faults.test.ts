import { ManualPlatform } from '@conv/testing-harness';
import { systemPlatform, type Platform } from '@conv/core/platform';
import { describe, expect, test } from 'vitest';

import { finishMcpLogin, type McpAuthorization } from '../../src/index.ts';
import { AuthRecord, recordKey, type AuthState } from '../../src/mcp/auth-record.ts';
import { ServerLogin } from '../../src/mcp/server-login.ts';
import { textOf } from '../open-tool.ts';
import { listen } from './support/http-server.ts';
import { addressOf, allowing, logIn, opened, refreshes } from './support/logins.ts';
import {
  authorizationAt,
  authorizationServer,
  MemoryRecords,
  oauthServer,
  type OAuthServer,
} from './support/oauth-server.ts';
import { openServers } from './support/open-servers.ts';

const never = new AbortController().signal;

/** Returns the authorization at a server, as a process has it. */
function loginAt(
  { config }: Pick<OAuthServer, 'config'>,
  authorization: McpAuthorization,
  platform: Platform = systemPlatform,
): ServerLogin {
  return new ServerLogin({ platform, config, authorization, session: { conversationId: 'other' } });
}

function recordOf({ url }: Pick<OAuthServer, 'url'>, { records }: McpAuthorization): AuthRecord {
  return new AuthRecord(records, recordKey('', url), url);
}

/** Holds the first token request back until `go` is called. */
function firstHeld(server: { onToken: () => Promise<void> }): {
  readonly came: Promise<void>;
  readonly go: () => void;
} {
  const [came, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  server.onToken = async () => {
    server.onToken = () => Promise.resolve();
    came.resolve();
    await gate.promise;
  };
  return { came: came.promise, go: gate.resolve };
}

/** Calls a tool at a server whose tokens have expired. Resolves when their renewal waits for `go`. */
async function renewing() {
  const server = await authorizationServer();
  const mcp = await oauthServer(server);
  const auth = authorizationAt(server);
  const { call } = await opened(server, mcp, auth);
  server.expire();
  const { came, go } = firstHeld(server);
  const calling = call('say', { text: 'hi' });
  await came;
  return { server, mcp, auth, calling, go };
}

test.each([undefined, ''])('P9: an owner %j has not the authorizations that conversations share', async (name) => {
  const server = await authorizationServer();
  const mcp = await oauthServer(server);
  const auth = authorizationAt(server);
  await opened(server, mcp, auth);
  const nameless = { ...auth, owner: () => name as string };
  await expect(openServers({ shop: mcp.config }, { auth: nameless })).rejects.toThrow('owner of auth must return');
});

test.each([0, -1, 1e306])('an access that ends in %d s is used until it is refused', async (expiresIn) => {
  const server = await authorizationServer({ expiresIn });
  const mcp = await oauthServer(server);
  const { call } = await opened(server, mcp, authorizationAt(server));
  expect(textOf(await call('say', { text: 'hi' }))).toBe('hi');
  expect(refreshes(server)).toBe(0);
});

test('an address to come back to that is none is named', async () => {
  const server = await authorizationServer();
  const mcp = await oauthServer(server);
  const auth = authorizationAt(server, { redirectUrl: () => 'back' });
  await expect(openServers({ shop: mcp.config }, { auth })).rejects.toThrow('redirectUrl of auth must return a URL');
});

test("P9: an address or an owner that fails is reported in the app's words, and no other record is used", async () => {
  const server = await authorizationServer();
  const mcp = await oauthServer(server);
  const auth = authorizationAt(server);
  const refuse = (): never => {
    throw new Error('set the public URL');
  };
  const opening = (wrong: Partial<McpAuthorization>): Promise<unknown> =>
    openServers({ shop: mcp.config }, { auth: { ...auth, ...wrong } });
  await expect(opening({ redirectUrl: refuse })).rejects.toThrow('a login cannot begin: set the public URL');
  await expect(opening({ owner: refuse })).rejects.toThrow('its authorization is not known: set the public URL');
  expect(auth.records.all).toEqual([]);
});

test('P9: finishMcpLogin rejects a text in place of a URL, and does not show its code', async () => {
  const auth = authorizationAt({ host: '127.0.0.1:9' });
  const finishing = finishMcpLogin(auth, 'http://127.0.0.1:9/callback?code=the-code' as unknown as URL);
  const error: unknown = await finishing.catch((reason: unknown) => reason);
  expect(String(error)).toMatch(/^TypeError: finishMcpLogin: callback: expected a URL/);
  expect(String(error)).not.toContain('the-code');
});

test('finishMcpLogin rejects a text in place of a list of hosts', async () => {
  const auth = authorizationAt({ host: '127.0.0.1:9' }, { hosts: 'login.internal' as unknown as string[] });
  await expect(finishMcpLogin(auth, new URL('http://127.0.0.1:9/'))).rejects.toThrow('hosts: expected a list');
});

test('P9: a token that begins with another one is masked whole', async () => {
  const mcp = await oauthServer({ admits: () => true });
  const auth = authorizationAt({ host: '127.0.0.1:9' });
  const tokens = { access: 'token-abc', refresh: 'token-abc.more' };
  await recordOf(mcp, auth).change((state) => ({ ...state, tokens }));
  const { call } = await openServers({ shop: mcp.config }, { auth });
  expect(textOf(await call('say', { text: tokens.refresh }))).toBe('<secret-hidden>');
});

test('a call that needs more rights finds them in the login of another conversation', async () => {
  const server = await authorizationServer();
  const mcp = await oauthServer(server);
  const auth = authorizationAt(server);
  const { tool, asked } = allowing(server, auth);
  const one = await opened(server, mcp, auth, { ownTools: [tool] });
  const other = await openServers({ shop: mcp.config }, { auth, ownTools: [tool] });
  mcp.scope = 'admin';
  for (const { call } of [one, other]) expect(textOf(await call('say', { text: 'hi' }))).toBe('hi');
  expect(asked).toHaveLength(1);
});

describe('a renewal', () => {
  test('P5: a renewal under way stores its tokens though a login begins meanwhile', async () => {
    const { server, mcp, auth, calling, go } = await renewing();
    const login = loginAt(mcp, auth);
    await login.begin();
    await login.close();
    go();
    expect(textOf(await calling)).toBe('hi');
    const next = await openServers({ shop: mcp.config }, { auth });
    expect(textOf(await next.call('say', { text: 'hi' }))).toBe('hi');
    expect(refreshes(server)).toBe(1);
  });

  test('P5: a renewal under way does not replace the tokens of a login that ends meanwhile', async () => {
    const { server, mcp, auth, calling, go } = await renewing();
    const login = loginAt(mcp, auth);
    await logIn(server, auth, (await login.begin())?.address ?? '');
    await login.close();
    const { tokens } = (await recordOf(mcp, auth).read()).state;
    go();
    await calling;
    expect((await recordOf(mcp, auth).read()).state.tokens).toEqual(tokens);
  });

  test('P5: a renewal uses the client of its tokens though a login at another address has begun', async () => {
    const server = await authorizationServer();
    const mcp = await oauthServer(server);
    const auth = authorizationAt(server);
    const { call } = await opened(server, mcp, auth);
    const elsewhere = { ...auth, redirectUrl: 'http://127.0.0.1:10/callback' };
    const login = loginAt(mcp, elsewhere);
    const { address = '' } = (await login.begin()) ?? {};
    await login.close();
    server.expire();
    expect(textOf(await call('say', { text: 'hi' }))).toBe('hi');
    await logIn(server, auth, address);
    server.expire();
    expect(textOf(await call('say', { text: 'hi' }))).toBe('hi');
    const clients = server.tokenRequests.map((body) => `${body.get('grant_type')} ${body.get('client_id')}`);
    expect(clients).toEqual([
      'authorization_code client-1',
      'refresh_token client-1',
      'authorization_code client-2',
      'refresh_token client-2',
    ]);
  });

  test('P5: a renewal is taken over from an ended process with its clock an hour ahead', async () => {
    const server = await authorizationServer();
    const mcp = await oauthServer(server);
    const auth = authorizationAt(server);
    await logIn(server, auth, await addressOf(mcp.config, auth));
    server.expire();
    const platform = new ManualPlatform(Date.now());
    const lock = { id: 'ended', until: platform.now() + 3_600_000 };
    await recordOf(mcp, auth).change((state: AuthState) => ({ ...state, renewing: lock }));
    const opening = openServers({ shop: mcp.config }, { auth, platform, connectTimeout: 300 });
    await platform.untilWaiting(250);
    platform.pass(45_000);
    const { names } = await opening;
    expect(names()).toContain('say');
    expect(refreshes(server)).toBe(1);
  });
});

describe('a login', () => {
  test('a login whose tokens are not stored, because another one took its place, says so', async () => {
    const server = await authorizationServer();
    const mcp = await oauthServer(server);
    const auth = authorizationAt(server);
    const back = await server.allow(await addressOf(mcp.config, auth));
    const held = firstHeld(server);
    const finishing = finishMcpLogin(auth, back);
    await held.came;
    await addressOf(mcp.config, { ...auth, redirectUrl: 'http://127.0.0.1:10/callback' });
    held.go();
    expect(await finishing).toMatchObject({ ok: false, message: expect.stringContaining('Another login') as unknown });
  });

  test('P5: a login whose code is sent just now is waited for, and no other one is begun', async () => {
    const server = await authorizationServer();
    const mcp = await oauthServer(server);
    const auth = authorizationAt(server);
    const address = await addressOf(mcp.config, auth);
    const held = firstHeld(server);
    const finishing = finishMcpLogin(auth, await server.allow(address));
    await held.came;
    expect(await addressOf(mcp.config, auth)).toBe(address);
    held.go();
    expect(await finishing).toMatchObject({ ok: true });
  });

  test('P5: a login that ends while a call is refused is found by the call, which asks no person', async () => {
    const server = await authorizationServer();
    const mcp = await oauthServer(server);
    const auth = authorizationAt(server);
    const { tool, asked } = allowing(server, auth);
    const { call } = await openServers({ shop: mcp.config }, { auth, ownTools: [tool] });
    const address = await loginAt(mcp, auth).begin();
    const { records } = auth;
    const unchanged = { get: records.get.bind(records), replace: records.replace.bind(records) };
    let reads = 0;
    // the login ends between the refusal of the request and the look for a login
    records.get = async (key) => {
      reads += 1;
      if (reads === 3) await logIn(server, { ...auth, records: unchanged }, address?.address ?? '');
      return unchanged.get(key);
    };
    expect(textOf(await call('authorize'))).toContain('has allowed access');
    expect(asked).toEqual([]);
    expect(server.tokenRequests).toHaveLength(1);
  });

  test('a login is not waited for after the conversation has ended', async () => {
    const server = await authorizationServer();
    const mcp = await oauthServer(server);
    const login = loginAt(mcp, authorizationAt(server));
    const finished = login.finished((await login.begin()) ?? { address: '', state: '' }, never);
    await Promise.all([expect(finished).rejects.toThrow('closed'), login.close()]);
  });

  test('a login at a silent authorization server ends with the start of its conversation', async () => {
    const [came, stop] = [Promise.withResolvers<void>(), new AbortController()];
    const silent = await listen(() => came.resolve());
    const { url } = await listen((request, response) => {
      if (!request.url?.startsWith('/.well-known')) return void response.writeHead(401).end();
      response.end(JSON.stringify({ resource: url, authorization_servers: [silent.url] }));
    });
    const auth = authorizationAt({ host: new URL(silent.url).host }, { records: new MemoryRecords() });
    const config = { shop: { url, auth: { strategy: 'oauth2' } } } as const;
    const opening = openServers(config, { auth, signal: stop.signal });
    await Promise.all([
      expect(opening).rejects.toThrow('the start was given up'),
      came.promise.then(() => stop.abort(new Error('the start was given up'))),
    ]);
  });
});
