import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { loginKey } from '../../src/logins/login-key.ts';
import { newFolder } from '../new-folder.ts';

test('P9: processes that start at the same time make one key, which only the user reads', async () => {
  const folder = join(newFolder(), 'logins');
  const keys = await Promise.all(Array.from({ length: 8 }, () => loginKey(folder)));
  expect(new Set(keys).size).toBe(1);
  expect(await loginKey(folder)).toBe(keys[0]);
  expect(readdirSync(folder)).toEqual(['secret.key']);
  expect([statSync(folder).mode & 0o777, statSync(join(folder, 'secret.key')).mode & 0o777]).toEqual([0o700, 0o600]);
});

test('an empty file of the key is named', async () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'secret.key'), '\n');
  await expect(loginKey(folder)).rejects.toThrow('found an empty file; remove it');
});
