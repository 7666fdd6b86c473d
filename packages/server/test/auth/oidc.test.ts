import { systemPlatform } from '@conv/core/platform';
import { decodeJwt, SignJWT } from 'jose';
import { expect, test } from 'vitest';

import type { OidcOptions } from '../../src/auth/oidc.ts';
import { newConversation, startServer, type TestServer } from '../support/test-server.ts';
import { startIssuer, type TestIssuer, type TokenInput } from '../support/test-issuer.ts';
import { TestSocket } from '../support/test-socket.ts';

const ROLES: OidcOptions['roles'] = [
  { role: 'operator', scopes: ['read', 'run', 'approve', 'admin'] },
  { role: 'developer', scopes: ['read', 'run', 'approve'], limits: { own: true } },
];

async function serverOf(
  issuer: TestIssuer,
  oidc: Partial<OidcOptions> = {},
  more: Parameters<typeof startServer>[0] = {},
): Promise<TestServer> {
  const options = { issuer: issuer.url, audience: 'conv', roles: ROLES, refresh: 0, clockTolerance: 0, ...oidc };
  return startServer({ oidc: options, sessionKeys: ['a key of the server'], ...more });
}

/** Resolves with the status and the body of the answer to who a token is. */
async function whoIs(server: TestServer, token: string, header = 'bearer'): Promise<readonly [number, object]> {
  const headers: Record<string, string> =
    header === 'bearer' ? { authorization: `Bearer ${token}` } : { 'x-session-api-key': token };
  const { status, body } = await server.call('GET', '/api/auth/session', undefined, headers);
  return [status, body];
}

test.each(['ES256', 'RS256', 'PS256', 'Ed25519'])(
  'a token with a signature by %s opens what its role has, as a bearer and as a key',
  async (algorithm) => {
    const issuer = await startIssuer(algorithm);
    const server = await serverOf(issuer);
    const token = await issuer.token();
    for (const header of ['bearer', 'key'])
      expect(await whoIs(server, token, header)).toMatchObject([
        200,
        { name: 'oidc:ann', scopes: ['read', 'run', 'approve'] },
      ]);
    const [, operator] = await whoIs(server, await issuer.token({ claims: { roles: 'developer operator' } }));
    expect(operator).toMatchObject({ scopes: ['read', 'run', 'approve', 'admin'] });
    expect(issuer.reads()).toBe(1);
    expect(await whoIs(server, 'a key of the server', 'key')).toMatchObject([200, { name: null }]);
  },
);

test('conversations of a token are its own, also for its next token, and for no named key', async () => {
  const issuer = await startIssuer();
  const principal = (key: string) =>
    key === 'ann' ? { name: 'ann', scopes: ['read'] as const, limits: { own: true } } : undefined;
  const server = await serverOf(issuer, {}, { principal });
  const by = async (input?: TokenInput) => ({ authorization: `Bearer ${await issuer.token(input)}` });
  const made = await server.call('POST', '/api/conversations', newConversation(server.folder), await by());
  expect(made.status).toBe(201);
  const path = `/api/conversations/${made.body['id'] as string}`;
  const status = async (headers: Record<string, string>) => (await server.call('GET', path, undefined, headers)).status;
  expect(await status(await by({ validFor: 200 }))).toBe(200);
  expect(await status(await by({ claims: { sub: 'bob' } }))).toBe(404);
  expect(await status({ 'x-session-api-key': 'ann' })).toBe(404);
});

const WRONG: readonly (readonly [string, TokenInput])[] = [
  ['that has expired', { validFor: -1 }],
  ['for another audience', { audience: 'another server' }],
  ['of another issuer', { issuer: 'https://issuer.example' }],
  ['without a name', { claims: { sub: '' } }],
  ['without a role that opens something', { claims: { roles: ['guest'] } }],
  ['that is not valid yet', { claims: { nbf: Math.floor(Date.now() / 1000) + 1000 } }],
];

test.each(WRONG)('a token %s opens nothing', async (_, input) => {
  const issuer = await startIssuer();
  const server = await serverOf(issuer);
  expect((await whoIs(server, await issuer.token(input)))[0]).toBe(401);
  // the server does take tokens
  expect((await whoIs(server, await issuer.token()))[0]).toBe(200);
});

function part(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

test('a token without a signature, or signed with a public key as a shared secret, opens nothing', async () => {
  const issuer = await startIssuer('RS256');
  const server = await serverOf(issuer);
  const valid = await issuer.token();
  const [, claims = '', signature = ''] = valid.split('.');
  const kid = issuer.keyId();
  const confused = await new SignJWT({ sub: 'ann', roles: ['operator'] })
    .setProtectedHeader({ alg: 'HS256', kid })
    .setIssuer(issuer.url)
    .setAudience('conv')
    .setExpirationTime('5m')
    .sign(Buffer.from(await issuer.publicKey()));
  const forged = [
    `${part({ alg: 'none', kid })}.${claims}.`,
    `${part({ alg: 'none', kid })}.${claims}.${signature}`,
    `${part({ alg: 'HS256', kid })}.${claims}.${signature}`,
    `${part({ alg: 'RS256', kid })}.${part({ sub: 'ann', roles: ['operator'] })}.${signature}`,
    valid.slice(0, -4),
    confused,
  ];
  for (const token of forged) expect((await whoIs(server, token))[0]).toBe(401);
  expect((await whoIs(server, valid))[0]).toBe(200);
});

test('a new key of the issuer is found, and tokens of the old one are void then', async () => {
  const issuer = await startIssuer();
  const server = await serverOf(issuer);
  const old = await issuer.token();
  expect((await whoIs(server, old))[0]).toBe(200);
  await issuer.rotate();
  expect((await whoIs(server, await issuer.token()))[0]).toBe(200);
  expect((await whoIs(server, old))[0]).toBe(401);
});

test('a token is answered with 503 while its issuer is away, and other keys open the server', async () => {
  const issuer = await startIssuer();
  const server = await serverOf(issuer);
  const token = await issuer.token();
  await issuer.close();
  expect((await whoIs(server, token))[0]).toBe(503);
  expect((await whoIs(server, 'a key of the server', 'key'))[0]).toBe(200);
});

test('the last keys of an issuer that is away count for a day', async () => {
  let ahead = 0;
  const platform = { ...systemPlatform, now: () => systemPlatform.now() + ahead };
  const issuer = await startIssuer();
  const server = await serverOf(issuer, {}, { platform });
  const token = await issuer.token({ validFor: 200_000 });
  expect((await whoIs(server, token))[0]).toBe(200);
  await issuer.close();
  ahead = 23 * 3_600_000;
  expect((await whoIs(server, token))[0]).toBe(200);
  ahead = 25 * 3_600_000;
  expect((await whoIs(server, token))[0]).toBe(503);
});

test('a key that its issuer has withdrawn opens nothing after ten minutes', async () => {
  let ahead = 0;
  const platform = { ...systemPlatform, now: () => systemPlatform.now() + ahead };
  const issuer = await startIssuer();
  const server = await serverOf(issuer, {}, { platform });
  const token = await issuer.token({ validFor: 3_600 });
  expect((await whoIs(server, token))[0]).toBe(200);
  await issuer.rotate();
  expect((await whoIs(server, token))[0]).toBe(200);
  ahead = 601_000;
  expect((await whoIs(server, token))[0]).toBe(401);
});

test('P9: a token is to be hidden until it expires, and another key for ever', async () => {
  const shown: (readonly [string, number | undefined])[] = [];
  const issuer = await startIssuer();
  const server = await serverOf(issuer, {}, { keyShown: (key, until) => void shown.push([key, until]) });
  const token = await issuer.token();
  await whoIs(server, token);
  await whoIs(server, 'a key of the server', 'key');
  const { exp = 0 } = decodeJwt(token);
  expect(new Map(shown)).toEqual(
    new Map([
      [token, exp * 1000],
      ['a key of the server', undefined],
    ]),
  );
});

test('a claim limits a token to conversations with its tag, and a token without it opens nothing', async () => {
  const issuer = await startIssuer();
  const roles = [{ scopes: ['read', 'run', 'approve'] as const }];
  const server = await serverOf(issuer, { roles, tagClaims: { team: 'team' } });
  const by = async (team: string) => ({ authorization: `Bearer ${await issuer.token({ claims: { team } })}` });
  const made = await server.call('POST', '/api/conversations', newConversation(server.folder), await by('red'));
  expect(made.body['tags']).toEqual({ team: 'red' });
  const path = `/api/conversations/${made.body['id'] as string}`;
  expect((await server.call('GET', path, undefined, await by('blue'))).status).toBe(404);
  expect((await whoIs(server, await issuer.token()))[0]).toBe(401);
});

test('a socket of a token ends when the token expires', async () => {
  let ahead = 0;
  const platform = { ...systemPlatform, now: () => systemPlatform.now() + ahead };
  const issuer = await startIssuer();
  const server = await serverOf(issuer, {}, { platform });
  const authorization = `Bearer ${await issuer.token()}`;
  const made = await server.call('POST', '/api/conversations', newConversation(server.folder), { authorization });
  const url = `${server.url.replace('http', 'ws')}/sockets/session/${made.body['id'] as string}`;
  const socket = await new TestSocket(url, { headers: { authorization } }).opened();
  await socket.until((frames) => frames.length > 0);
  ahead = 301_000;
  expect((await socket.closed).code).toBe(4001);
  const late = new TestSocket(url, { headers: { authorization } });
  expect(await late.refused).toBe(403);
});

test.each<[string, object]>([
  ['an issuer over http on another machine', { issuer: 'http://login.example' }],
  ['no role', { roles: [] }],
  ['a scope that there is not', { roles: [{ scopes: ['write'] }] }],
  ['a misspelt limit', { roles: [{ scopes: ['read'], limits: { owner: true } }] }],
  ['no audience', { audience: '' }],
])('a server does not start with %s', async (_, wrong) => {
  const oidc = { issuer: 'https://login.example', audience: 'conv', roles: ROLES, ...wrong };
  await expect(startServer({ oidc })).rejects.toThrow('agentServer: oidc');
});
