import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { isInside, isSamePlace } from '../src/same-place.ts';
import { parseStoreAddress } from '../src/index.ts';

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

test.each([
  ['fs:/a/b', 'fs:/a', true],
  ['sqlite:/a/b.db', 'fs:/a', true],
  ['fs:/a', 'fs:/a/b', false],
  ['fs:/ab', 'fs:/a', false],
  ['fs:/a', 'fs:/a', false],
  ['fs:/a/b', 'sqlite:/a', false],
  ['s3:bucket/a/b', 's3:bucket/a', true],
  ['s3:bucket/a', 's3:bucket', true],
  ['s3:bucket/ab', 's3:bucket/a', false],
  ['s3:other/a/b', 's3:bucket/a', false],
  ['fs:/a/b', 's3:bucket/a', false],
])('%s lies inside %s: %s', (inner, outer, inside) => {
  expect(isInside(parseStoreAddress(inner), parseStoreAddress(outer))).toBe(inside);
});

test('a path through a link leads to the same place, even where its end is not there yet', () => {
  const folder = mkdtempSync(join(tmpdir(), 'conv-stores-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'real'));
  symlinkSync('real', join(folder, 'link'));
  const at = (name: string): ReturnType<typeof parseStoreAddress> => parseStoreAddress(`sqlite:${join(folder, name)}`);
  expect(isSamePlace(at('real/a.db'), at('link/a.db'))).toBe(true);
  expect(isSamePlace(at('real/a.db'), at('link/b.db'))).toBe(false);
});
