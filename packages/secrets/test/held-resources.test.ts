import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { SecretVault } from '@conv/core';
import { leaks } from '@conv/testing-harness';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { createSecretVault, fernetCipher } from '../src/index.ts';

const KEY = 'bm90LWEtc2VjcmV0LWtleS1idXQtMzItYnl0ZXMtISE=';

/** Answers by path. */
const answers: Readonly<Record<string, (response: ServerResponse) => unknown>> = {
  '/value': (response) => response.end('a value that is looked up'),
  '/refused': (response) => response.writeHead(403).end('no'),
  '/moved': (response) => response.writeHead(302, { location: '/value' }).end(),
  '/endless': (response) => response.write('x'.repeat(100_000)),
  '/broken': (response) => response.destroy(),
};

let server: Server;
let base: string;

beforeAll(async () => {
  server = createServer(({ url = '' }, response) => void answers[url]?.(response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

function vaultOf(path: string): SecretVault {
  const vault = createSecretVault({ baseUrl: base });
  vault.update({ TOKEN: { kind: 'LookupSecret', url: path, headers: { Authorization: 'Bearer a-token-of-it' } } });
  return vault;
}

/** Uses of a vault, by what becomes of them. Each is given a signal that never aborts. */
const uses: Readonly<Record<string, (signal: AbortSignal) => Promise<unknown>>> = {
  'looked a value up, and masked it': async (signal) => {
    const vault = vaultOf('/value');
    expect((await vault.environmentFor('$TOKEN', signal)).environment).toEqual({ TOKEN: 'a value that is looked up' });
    expect(vault.masker.mask('a value that is looked up')).not.toContain('looked up');
  },
  'was refused, sent elsewhere, cut off, and answered without end': async (signal) => {
    for (const path of ['/refused', '/moved', '/broken', '/endless'])
      expect((await vaultOf(path).environmentFor('$TOKEN', signal)).missing).toHaveLength(1);
  },
  'was interrupted while it asked': async () => {
    const interrupt = new AbortController();
    const asked = once(server, 'request');
    const asking = vaultOf('/never').environmentFor('$TOKEN', interrupt.signal);
    await asked;
    interrupt.abort(new Error('stop'));
    await expect(asking).rejects.toThrow('stop');
  },
  'has sources that are functions, and functions that fail': async (signal) => {
    const vault = createSecretVault();
    vault.update({ GOOD: () => 'a value of a function', BAD: () => Promise.reject(new Error('no')) });
    expect((await vault.environmentFor('$GOOD $BAD', signal)).environment).toEqual({ GOOD: 'a value of a function' });
  },
  'encrypts what is stored, and cannot read what another key encrypted': async (signal) => {
    const vault = createSecretVault({ cipher: fernetCipher(KEY) });
    vault.update({ A: 'a value at rest' });
    const other = createSecretVault({ cipher: fernetCipher('another long random text') });
    other.load(vault.stored);
    expect((await other.environmentFor('$A', signal)).missing).toHaveLength(1);
  },
};

test.each(Object.entries(uses))('nothing is held of a vault that %s', async (_, use) => {
  expect(await leaks(use)).toEqual({});
});
