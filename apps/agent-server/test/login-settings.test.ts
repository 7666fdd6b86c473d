import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { newFolder } from './new-folder.ts';
import { read } from './read-settings.ts';

test('the file of a login is no file that other users can change, and is kept from programs in the sandbox', async () => {
  const file = join(newFolder(), 'login.json');
  const login = { issuer: 'https://login.example', audience: 'conv', roles: [{ scopes: ['read'] }] };
  writeFileSync(file, JSON.stringify(login));
  expect(await read({}, { oidc: file })).toMatchObject({ oidc: login, ownFiles: [file] });
  chmodSync(file, 0o666);
  await expect(read({}, { oidc: file })).rejects.toThrow(
    `--oidc: expected a file that no other user of this machine can change, found ${file} with mode 0666`,
  );
});

test('a login is read from JSON, opens a server to other machines, and refuses an unknown scope', async () => {
  const oidc = {
    issuer: 'https://login.example',
    audience: 'conv',
    roles: [{ role: 'developers', scopes: ['read'], limits: { own: true }, daily: { runs: 3 } }],
  };
  const environment = { CONV_OIDC: JSON.stringify(oidc), CONV_HOST: '0.0.0.0' };
  expect(await read(environment)).toMatchObject({ oidc, host: '0.0.0.0' });
  const wrong = { ...oidc, roles: [{ scopes: ['write'] }] };
  await expect(read({ CONV_OIDC: JSON.stringify(wrong) })).rejects.toThrow('CONV_OIDC (roles.0.scopes.0): ');
});

test.each([
  ['HTTPS://login.example', 'HTTPS://login.example'],
  ['http://127.0.0.1:8080/realm', 'http://127.0.0.1:8080/realm'],
  ['http://login.example', 'CONV_OIDC (issuer): expected an https URL'],
  ['http://localhost:x@login.example', 'CONV_OIDC (issuer): expected an https URL'],
])('the issuer %s is accepted or refused as by the server: %s', async (issuer, found) => {
  const reading = read({ CONV_OIDC: JSON.stringify({ issuer, audience: 'conv', roles: [{ scopes: ['read'] }] }) });
  const said = await reading.then(({ oidc }) => oidc?.issuer, String);
  expect(said).toContain(found);
});
