import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { keptSecret, serverKey } from '../src/server/server-key.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'conv-container-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('programs that make the secret at the same time get the same one, which only their user reads', async () => {
  const file = join(folder, 'state/key');
  const secrets = await Promise.all(Array.from({ length: 8 }, () => keptSecret(file)));
  expect(new Set(secrets.map((secret) => Buffer.from(secret).toString('hex'))).size).toBe(1);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('a secret that others can read is refused', async () => {
  const file = join(folder, 'key');
  await keptSecret(file);
  chmodSync(file, 0o644);
  await expect(keptSecret(file)).rejects.toThrow('[DENIED] expected a file that only its owner can read');
});

test('each number gives another key', async () => {
  const secret = await keptSecret(join(folder, 'key'));
  expect(serverKey(secret, '1')).not.toBe(serverKey(secret, '2'));
  expect(serverKey(secret, '1')).toBe(serverKey(secret, '1'));
});
