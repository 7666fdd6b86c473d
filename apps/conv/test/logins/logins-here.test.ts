import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { LoginsHere } from '../../src/logins/logins-here.ts';

test('a folder that could not be used is tried again by the next login', async () => {
  const place = mkdtempSync(join(tmpdir(), 'conv-logins-'));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  const folder = join(place, 'logins');
  writeFileSync(folder, 'a file in its place');
  await using logins = new LoginsHere({ folder, environment: {} });
  const { records, redirectUrl } = logins.auth;
  await expect(records.get('a')).rejects.toThrow('ENOTDIR');
  await expect((redirectUrl as () => Promise<string>)()).rejects.toThrow('ENOTDIR');
  rmSync(folder);
  expect(await records.get('a')).toBeUndefined();
  expect(await (redirectUrl as () => Promise<string>)()).toMatch(/^http:\/\/127\.0\.0\.1:\d+\//);
});
