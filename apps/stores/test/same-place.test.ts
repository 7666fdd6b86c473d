import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { isSamePlace, parseStoreAddress } from '../src/index.ts';

test.each([
  ['postgres://a:b@host/db', 'postgresql://c@host:5432/db', true],
  ['postgres://a@host/db?schema=x', 'postgres://a@host/db?schema=y', false],
  ['postgres://a@host/db', 'postgres://a@host/other', false],
  ['postgres:///db?host=/run', 'postgres:///db?host=/tmp', false],
  ['s3:bucket/a', 's3:bucket/a/?region=eu-west-1', true],
  ['s3:bucket/a', 's3:bucket/b', false],
  ['s3:bucket/a?endpoint=http://one', 's3:bucket/a?endpoint=http://two', false],
  ['fs:/nowhere/at/all', '/nowhere/else/../at/all', true],
  ['fs:/nowhere/at/all', 'sqlite:/nowhere/at/all', false],
])('%s and %s are the same place: %s', (one, other, same) => {
  expect(isSamePlace(parseStoreAddress(one), parseStoreAddress(other))).toBe(same);
});

test('a path through a link leads to the same place, also where its end is not there yet', () => {
  const folder = mkdtempSync(join(tmpdir(), 'conv-stores-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'real'));
  symlinkSync('real', join(folder, 'link'));
  const at = (name: string): ReturnType<typeof parseStoreAddress> => parseStoreAddress(`sqlite:${join(folder, name)}`);
  expect(isSamePlace(at('real/a.db'), at('link/a.db'))).toBe(true);
  expect(isSamePlace(at('real/a.db'), at('link/b.db'))).toBe(false);
});
