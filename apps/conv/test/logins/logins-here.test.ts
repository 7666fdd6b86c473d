import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { LoginsHere } from '../../src/logins/logins-here.ts';
import { newFolder } from '../new-folder.ts';

test('a folder that could not be used is tried again by the next login', async () => {
  const folder = join(newFolder(), 'logins');
  writeFileSync(folder, 'a file in its place');
  await using logins = new LoginsHere({ folder, environment: {} });
  const { records, redirectUrl } = logins.auth;
  await expect(records.get('a')).rejects.toThrow('ENOTDIR');
  await expect((redirectUrl as () => Promise<string>)()).rejects.toThrow('ENOTDIR');
  rmSync(folder);
  expect(await records.get('a')).toBeUndefined();
  expect(await (redirectUrl as () => Promise<string>)()).toMatch(/^http:\/\/127\.0\.0\.1:\d+\//);
});

test.each(['99999', '-1', '1.5', 'x'])('a damaged port %j is replaced by the port of this time', async (text) => {
  const folder = newFolder();
  writeFileSync(join(folder, 'port'), text);
  await using logins = new LoginsHere({ folder, environment: {} });
  const { port } = new URL(await (logins.auth.redirectUrl as () => Promise<string>)());
  expect(readFileSync(join(folder, 'port'), 'utf8')).toBe(port);
});
