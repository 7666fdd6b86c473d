import { type AuthorizationServer, TOKEN_CANARY } from '@conv/testing-harness';
import type { JsonObject, ToolSession } from '@conv/core/tool';
import { describe, expect, test } from 'vitest';

import { finishMcpLogin, type McpAuthorization } from '../../src/index.ts';
import { textOf } from '../open-tool.ts';
import { fakeSecrets } from '../support/fake-secrets.ts';
import { listen } from './support/http-server.ts';
import { addressOf, allowing, logIn, opened, person, refreshes } from './support/logins.ts';
import {
  authorizationAt,
  authorizationServer,
  MemoryRecords,
  oauthServer,
  type OAuthServer,
} from './support/oauth-server.ts';
import { openServers, warnings } from './support/open-servers.ts';

describe.each(['sessions', 'sessionless'] as const)('an MCP server with %s that wants OAuth', (kind) => {
  test('an MCP server has the tool authorize, which asks the person and brings its tools', async () => {
    const server = await authorizationServer();
    const mcp = await oauthServer(server, kind);
    const auth = authorizationAt(server);
    const { tool, asked } = allowing(server, auth);
    const { names, call } = await openServers({ shop: mcp.config }, { auth, ownTools: [tool] });
    expect(names()).toEqual(['authorize']);
    expect(textOf(await call('authorize'))).toContain('has allowed access');
    expect(textOf(await call('say', { text: 'hi' }))).toBe('hi');
    expect(asked).toMatchObject([
      { toolCallId: 'call_ask_1', question: expect.stringContaining('shop needs') as unknown },
    ]);
    expect(server.tokenRequests[0]?.get('resource')).toBe(mcp.url);
  });

  test('P5: an MCP server asks beside a call when the access was revoked, and the call is made once', async () => {
    const server = await authorizationServer();
    const mcp = await oauthServer(server, kind);
    const auth = authorizationAt(server);
    const { tool, asked } = allowing(server, auth);
    const { call } = await opened(server, mcp, auth, { ownTools: [tool] });
    expect(textOf(await call('say', { text: 'before' }))).toBe('before');
    server.revoke();
    expect(textOf(await call('say', { text: 'after' }))).toBe('after');
    expect(asked).toHaveLength(1);
  });

  test("P5: an MCP server's access is renewed once for calls of several conversations", async () => {
    const server = await authorizationServer();
    const mcp = await oauthServer(server, kind);
    const auth = authorizationAt(server);
    const one = await opened(server, mcp, auth);
    const other = await openServers({ shop: mcp.config }, { auth });
    server.expire();
    const calls = [one, other, one, other, one].map(({ call }) => call('say', { text: 'hi' }));
    expect((await Promise.all(calls)).map(textOf)).toEqual(['hi', 'hi', 'hi', 'hi', 'hi']);
    expect(refreshes(server)).toBe(1);
  });
});

test('P5: a call that waits for a login is made by the next process, which finds the login of the first', async () => {
  const server = await authorizationServer();
  const mcp = await oauthServer(server);
  const auth = authorizationAt(server);
  const known: Record<string, JsonObject> = {};
  const handles = {
    get: (id: string): JsonObject | undefined => known[id],
    keep: async (id: string, handle: JsonObject) => void (known[id] = handle),
  };
  const begun = Promise.withResolvers<string>();
  const before = person(async (address) => {
    begun.resolve(address);
    return undefined;
  });
  const first = await openServers({ shop: mcp.config }, { auth, ownTools: [before.tool], handles });
  const stop = new AbortController();
  const lost = first.call('authorize', {}, stop.signal);
  const address = await begun.promise;
  stop.abort(new Error('the process ended'));
  await expect(lost).rejects.toThrow('the process ended');
  expect(known).toEqual({ call: { mcp_login: true } });
  const after = allowing(server, auth);
  const second = await openServers({ shop: mcp.config }, { auth, ownTools: [after.tool], handles });
  expect(textOf(await second.call('authorize'))).toContain('has allowed access');
  expect(after.asked).toMatchObject([{ url: address }]);
  expect(known).toEqual({ call: {} });
});

test('a person who declines a login ends the call', async () => {
  const server = await authorizationServer();
  const mcp = await oauthServer(server);
  const { tool } = person(() => Promise.resolve('{"action":"decline"}'));
  const { call } = await openServers({ shop: mcp.config }, { auth: authorizationAt(server), ownTools: [tool] });
  expect(await call('authorize')).toMatchObject({ isError: true });
  expect(textOf(await call('authorize'))).toContain('did not allow access');
});

test('a login asks for the scope that a server demands, and for the granted scopes', async () => {
  const server = await authorizationServer();
  const mcp = await oauthServer(server);
  const auth = authorizationAt(server);
  const { tool, asked } = allowing(server, auth);
  const { call } = await opened(server, mcp, auth, { ownTools: [tool] });
  mcp.scope = 'admin';
  expect(textOf(await call('say', { text: 'hi' }))).toBe('hi');
  expect(asked.map(({ url }) => new URL(url).searchParams.get('scope'))).toEqual(['use admin']);
});

test('P5: an access whose renewal has lost its answer is asked for again by a login', async () => {
  const server = await authorizationServer();
  const mcp = await oauthServer(server);
  const auth = authorizationAt(server);
  const { tool, asked } = allowing(server, auth);
  const { call } = await opened(server, mcp, auth, { ownTools: [tool] });
  server.expire();
  server.lost = 1;
  expect(textOf(await call('say', { text: 'hi' }))).toBe('hi');
  expect([refreshes(server), asked.length]).toEqual([2, 1]);
});

/** Returns the address of a login at a server with these settings. */
function addressWith(
  mcp: OAuthServer,
  authentication: JsonObject,
  auth: McpAuthorization,
  more: Partial<ToolSession> = {},
): Promise<URL> {
  const config = {
    ...mcp.config,
    auth: { strategy: 'oauth2', authentication: { type: 'oauth', ...authentication } },
  } as const;
  return addressOf(config, auth, more).then((address) => new URL(address));
}

test('a client of the configuration is not registered, and asks for its scopes', async () => {
  const server = await authorizationServer();
  const auth = authorizationAt(server);
  const own = { client_id: 'mine', client_secret: 'secret-of-mine', scopes: ['use', 'read'] };
  const address = await addressWith(await oauthServer(server), own, auth);
  expect([address.searchParams.get('client_id'), address.searchParams.get('scope')]).toEqual(['mine', 'use read']);
  await logIn(server, auth, address.href);
  expect(server.tokenRequests[0]?.get('client_secret')).toBe('secret-of-mine');
  expect(server.registrations).toEqual([]);
});

test('P9: a client of the configuration may name its secret', async () => {
  const server = await authorizationServer();
  const auth = authorizationAt(server);
  const mcp = await oauthServer(server);
  const secrets = fakeSecrets({ SHOP_SECRET: 'secret-of-mine' });
  const address = await addressWith(mcp, { client_id: 'mine', client_secret: '${SHOP_SECRET}' }, auth, { secrets });
  await logIn(server, auth, address.href);
  expect(server.tokenRequests[0]?.get('client_secret')).toBe('secret-of-mine');
});

test('a secret of a client that was stored without a key is left out, and a warning names it', async () => {
  const server = await authorizationServer();
  const auth = authorizationAt(server);
  const told = warnings();
  const address = await addressWith(
    await oauthServer(server),
    { client_id: 'mine', client_secret: '**********' },
    auth,
  );
  expect(await told.next()).toBe('the MCP server shop has lost values: auth.authentication.client_secret');
  await logIn(server, auth, address.href);
  expect(server.tokenRequests[0]?.get('client_secret')).toBe(null);
});

test('a client is registered by its name', async () => {
  const server = await authorizationServer();
  await addressWith(await oauthServer(server), { client_name: 'The shop of Ann' }, authorizationAt(server));
  expect(server.registrations).toMatchObject([{ client_name: 'The shop of Ann' }]);
});

test('a client is the document of the configuration where that is supported', async () => {
  const server = await authorizationServer({ described: { client_id_metadata_document_supported: true } });
  const own = { client_metadata_url: 'https://app.example.com/client.json' };
  const address = await addressWith(await oauthServer(server), own, authorizationAt(server));
  expect(address.searchParams.get('client_id')).toBe(own.client_metadata_url);
  expect(server.registrations).toEqual([]);
});

describe('P9: tokens of an MCP server', () => {
  test('P9: tokens of an MCP server show in no result, error or description', async () => {
    const server = await authorizationServer();
    const mcp = await oauthServer(server);
    const auth = authorizationAt(server);
    const { call, provided } = await opened(server, mcp, auth);
    const { tokens } = auth.records.all[0] as {
      readonly tokens: { readonly access: string; readonly refresh: string };
    };
    expect(textOf(await call('say', { text: `${tokens.access} ${tokens.refresh}` }))).toBe(
      '<secret-hidden> <secret-hidden>',
    );
    server.revoke();
    const refused = await call('say', { text: 'hi' });
    expect(textOf(refused)).toContain('needs the authorization');
    expect(JSON.stringify([refused, provided.tools])).not.toContain(TOKEN_CANARY);
  });

  test('P9: tokens of an MCP server belong to one server and one owner', async () => {
    const server = await authorizationServer();
    const [mcp, other] = [await oauthServer(server), await oauthServer(server)];
    const records = new MemoryRecords();
    const [ann, bob] = ['ann', 'bob'].map((owner) => authorizationAt(server, { records, owner: () => owner }));
    if (!ann || !bob) throw new Error('not reached');
    await opened(server, mcp, ann);
    await addressOf(other.config, ann);
    await addressOf(mcp.config, bob);
    expect(other.tokens().filter((token) => token !== undefined)).toEqual([]);
    expect(records.all).toHaveLength(3);
  });

  test('P9: tokens are not sent to another authorization server that the MCP server names later', async () => {
    const [server, thief] = [await authorizationServer(), await authorizationServer()];
    let current: AuthorizationServer = server;
    const mcp = await oauthServer({ admits: (...given) => current.admits(...given) });
    const auth = authorizationAt(server, { hosts: [server.host, thief.host] });
    const { call } = await opened(server, mcp, auth);
    current = thief;
    expect(textOf(await call('say', { text: 'hi' }))).toContain(`open ${thief.issuer}`);
    expect(thief.tokenRequests).toEqual([]);
  });
});

describe('P9: a login', () => {
  test('P9: a login ends once, and no other address ends it', async () => {
    const server = await authorizationServer();
    const auth = authorizationAt(server);
    const mcp = await oauthServer(server);
    const back = await server.allow(await addressOf(mcp.config, auth));
    const other = new URL(back);
    other.searchParams.set('state', `${back.searchParams.get('state')?.slice(0, -1)}!`);
    for (const wrong of [other, new URL(`${back.origin}${back.pathname}?code=1`)])
      expect(await finishMcpLogin(auth, wrong)).toMatchObject({ ok: false });
    const twice = await Promise.all([finishMcpLogin(auth, back), finishMcpLogin(auth, back)]);
    expect(twice.filter(({ ok }) => ok)).toHaveLength(1);
    expect(await finishMcpLogin(auth, back)).toMatchObject({ ok: false });
    expect(server.tokenRequests).toHaveLength(1);
  });

  test.each([null, 'http://elsewhere.example'])(
    'P9: a login with the issuer %s does not send its code',
    async (iss) => {
      const server = await authorizationServer({
        iss,
        described: { authorization_response_iss_parameter_supported: true },
      });
      const auth = authorizationAt(server);
      const mcp = await oauthServer(server);
      const back = await server.allow(await addressOf(mcp.config, auth));
      expect(await finishMcpLogin(auth, back)).toMatchObject({ ok: false });
      expect(server.tokenRequests).toEqual([]);
      await addressOf(mcp.config, auth);
    },
  );

  test('P9: a login that was denied says so, and leaves no access', async () => {
    const server = await authorizationServer();
    const auth = authorizationAt(server);
    const mcp = await oauthServer(server);
    const back = await server.allow(await addressOf(mcp.config, auth));
    back.searchParams.delete('code');
    back.searchParams.set('error', 'access_denied');
    expect(await finishMcpLogin(auth, back)).toEqual({ ok: false, message: 'The login failed: access was denied.' });
    await addressOf(mcp.config, auth);
  });

  test('P9: a login is not begun at an address that is not public and not listed', async () => {
    const server = await authorizationServer();
    const mcp = await oauthServer(server);
    const opening = openServers({ shop: mcp.config }, { auth: authorizationAt(server, { hosts: [] }) });
    await expect(opening).rejects.toThrow('its address is not public; add its host to the hosts of auth');
    expect(server.registrations).toEqual([]);
  });

  test.each([
    ['without PKCE', { code_challenge_methods_supported: undefined }, 'PKCE'],
    [
      'that is opened without encryption',
      { authorization_endpoint: 'http://login.example.com/authorize' },
      'encryption',
    ],
    ['that takes codes without encryption', { token_endpoint: 'http://login.example.com/token' }, 'encryption'],
    [
      'that registers clients without encryption',
      { registration_endpoint: 'http://login.example.com/register' },
      'encryption',
    ],
    ['of another issuer', { issuer: 'http://127.0.0.1:9' }, 'IssuerMismatch'],
  ])('P9: a login is not begun at an authorization server %s', async (_, described, reason) => {
    const server = await authorizationServer({ described });
    const mcp = await oauthServer(server);
    const opening = openServers({ shop: mcp.config }, { auth: authorizationAt(server) });
    await expect(opening).rejects.toThrow(reason);
    expect(server.registrations).toEqual([]);
  });

  test('P9: a login is not begun for the resource of another server', async () => {
    const server = await authorizationServer();
    const { url } = await listen((request, response) => {
      if (!request.url?.startsWith('/.well-known')) return void response.writeHead(401).end();
      response.end(JSON.stringify({ resource: 'https://bank.example.com/', authorization_servers: [server.issuer] }));
    });
    const opening = openServers({ shop: { url, auth: { strategy: 'oauth2' } } }, { auth: authorizationAt(server) });
    await expect(opening).rejects.toThrow('that of another server');
  });
});
