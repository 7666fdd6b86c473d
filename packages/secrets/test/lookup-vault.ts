import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SecretVault } from '@conv/core';
import { expect, onTestFinished } from 'vitest';
import { createSecretVault } from '../src/index.ts';

/** Starts a server of secrets, which ends with the test. Resolves with its address. */
export async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Makes a vault that looks the secret `TOKEN` up at this address. */
export function lookup(url: string, headers: Record<string, string> = {}, options: object = {}): SecretVault {
  const vault = createSecretVault(options);
  vault.update({ TOKEN: { kind: 'LookupSecret', url, headers } });
  return vault;
}

/** Resolves with the reason for which a vault has no value of `TOKEN`. */
export async function reasonOf(vault: SecretVault): Promise<string> {
  const { environment, missing } = await vault.environmentFor('$TOKEN', new AbortController().signal);
  expect(environment).toEqual({});
  expect(missing).toEqual(vault.missing);
  return missing[0]?.reason ?? '';
}
