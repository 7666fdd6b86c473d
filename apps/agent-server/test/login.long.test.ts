import { generateKeyPairSync, sign } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { newFolder } from './new-folder.ts';
import { launch, ServerProcess } from './server-process.ts';

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const ROLES = [{ role: 'developers', scopes: ['read', 'run', 'approve'], limits: { own: true } }];

/** Serves the description and the keys of an issuer. Closed after the test. */
async function startIssuer(port = 0): Promise<{ readonly url: string; readonly server: Server }> {
  const server = createServer((request, response) => {
    const keys = [{ ...publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'ES256' }];
    const body = request.url === '/keys' ? { keys } : { issuer: url, jwks_uri: `${url}/keys` };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(() => stop(server));
  return { url, server };
}

async function stop(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

/** Returns a token that is valid for five minutes. */
function tokenOf(issuer: string, claims: object = {}): string {
  const exp = Math.floor(Date.now() / 1000) + 300;
  const parts = [
    { alg: 'ES256', kid: 'one' },
    { iss: issuer, aud: 'conv', sub: 'ann', groups: ['developers'], exp, ...claims },
  ];
  const signed = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}

/** Asks a server with a token alone. */
function ask(server: ServerProcess, token: string, path = '/api/auth/session'): Promise<Response> {
  return fetch(server.url + path, { headers: { authorization: `Bearer ${token}` } });
}

/** Writes the file of a login. */
function loginFile(login: object): string {
  const file = join(newFolder(), 'login.json');
  writeFileSync(file, JSON.stringify({ audience: 'conv', roleClaim: 'groups', roles: ROLES, refresh: 0, ...login }));
  return file;
}

test('tokens of a login open a server that names its file, as far as their roles go', async () => {
  const { url: issuer } = await startIssuer();
  const server = await ServerProcess.start({ cwd: newFolder(), args: ['--oidc', loginFile({ issuer })] });
  await server.logged('tokens of the login open the server');
  const answer = await ask(server, tokenOf(issuer));
  const scopes = ['read', 'run', 'approve'];
  expect([answer.status, await answer.json()]).toMatchObject([200, { name: 'oidc:ann', scopes }]);
  expect((await ask(server, tokenOf(issuer), '/api/file/home')).status).toBe(403);
  for (const wrong of [{ aud: 'another' }, { iss: 'https://login.example' }, { exp: 1 }, { groups: ['guests'] }])
    expect([wrong, (await ask(server, tokenOf(issuer, wrong))).status]).toEqual([wrong, 401]);
});

test('a server whose issuer is away starts, says so, and accepts tokens once it is there', async () => {
  const { url: issuer, server: first } = await startIssuer();
  await stop(first);
  const server = await ServerProcess.start({ cwd: newFolder(), args: ['--oidc', loginFile({ issuer })] });
  const said = await server.logged(
    'the issuer of the login gives no keys: its tokens are answered with 503 until it does, and other keys open the server',
  );
  expect(said).toMatchObject({ issuer, reason: expect.stringContaining('ECONNREFUSED') });
  const token = tokenOf(issuer);
  expect((await ask(server, token)).status).toBe(503);
  expect((await server.call('GET', '/api/auth/session')).status).toBe(200);
  await startIssuer(Number(new URL(issuer).port));
  expect((await ask(server, token)).status).toBe(200);
});

test('a login that is wrong ends the start with status 2, and names its option and member', async () => {
  const notJson = join(newFolder(), 'login.json');
  writeFileSync(notJson, 'issuer: me');
  for (const [file, message] of [
    ['/nowhere/login.json', 'the login /nowhere/login.json cannot be read (ENOENT); --oidc takes the path'],
    [notJson, `the login ${notJson} is not JSON`],
    [loginFile({ issuer: 'http://login.example' }), '--oidc (issuer): expected an https URL, or http on this machine'],
    [loginFile({ issuer: 'https://login.example', audience: undefined }), '--oidc (audience): '],
    [loginFile({ issuer: 'https://login.example', roles: [{ scopes: ['write'] }] }), '--oidc (roles.0.scopes.0): '],
  ] as const) {
    const { exitCode, stderr } = await launch({ cwd: newFolder(), args: ['--oidc', file] });
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
  }
});
