import { chownSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

import { expect, test } from 'vitest';

import { olderKeys } from '../src/own-keys.ts';
import { keptSecretKeys, withNewSecretKey } from '../src/secret-key.ts';
import { newFolder } from './new-folder.ts';

test('P9: rotations at the same time all use the one key that is stored, and the earlier key stays', async () => {
  const folder = newFolder();
  const { secretKey: earlier } = await keptSecretKeys(folder);
  const found = await Promise.all(Array.from({ length: 6 }, () => withNewSecretKey(folder)));
  const stored = await keptSecretKeys(folder);
  expect(stored.older).toEqual([earlier]);
  expect(stored.secretKey).not.toBe(earlier);
  expect(found).toEqual(found.map(() => stored));
  expect(readdirSync(folder)).toEqual(['secret.key']);
});

test('servers that start at the same time make one key, which all of them use', async () => {
  const folder = newFolder();
  const found = await Promise.all(Array.from({ length: 6 }, () => keptSecretKeys(folder)));
  expect(new Set(found.map(({ secretKey }) => secretKey)).size).toBe(1);
});

test('a rotation without a stored key makes none', async () => {
  const folder = newFolder();
  expect(await withNewSecretKey(folder)).toBeUndefined();
  expect(readdirSync(folder)).toEqual([]);
});

test.runIf(process.getuid?.() === 0)('P9: a rotation by root leaves the key to the user of the server', async () => {
  const folder = newFolder();
  await keptSecretKeys(folder);
  const file = join(folder, 'secret.key');
  chownSync(file, 65_534, 65_534);
  await withNewSecretKey(folder);
  const { uid, gid, mode } = statSync(file);
  expect([uid, gid, mode & 0o777]).toEqual([65_534, 65_534, 0o600]);
});

test('keys that only decrypt are those of the settings, of the file and of the first session', () => {
  const given = { oldSecretKeys: ['given'], sessionKeys: ['session', 'another'] };
  expect(olderKeys(given, { older: ['kept'] })).toEqual(['given', 'kept', 'session']);
});

test('a file of the key with blank lines is read as before', async () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'secret.key'), '\n newest \n\nearlier\n');
  expect(await keptSecretKeys(folder)).toEqual({ secretKey: 'newest', older: ['earlier'] });
  expect(await withNewSecretKey(folder)).toEqual({ secretKey: 'newest', older: ['earlier'] });
  expect(readFileSync(join(folder, 'secret.key'), 'utf8')).toContain('newest');
});
