import { expect, test } from 'vitest';

import { ObjectCache } from '../src/bucket/object-cache.ts';

const LIMIT = 1 << 20;

/** Returns the entries that are there, of 10,000 that were put. */
function filled(make: (index: number) => Buffer): readonly Buffer[] {
  const cache = new ObjectCache(LIMIT);
  const keys = Array.from({ length: 10_000 }, (_, index) => `key ${index}`);
  for (const [index, key] of keys.entries()) cache.put(key, make(index));
  return keys.flatMap((key) => cache.get(key) ?? []);
}

/** Returns a text in the pool of Node, of which other texts take most. */
function besideOthers(text: string): Buffer {
  Buffer.from('x'.repeat(3000));
  return Buffer.from(text);
}

test.each([
  ['parts of a pool that others use, too', (index: number) => besideOthers(`small object ${index}`)],
  ['slices of a large answer', () => Buffer.alloc(1 << 14).subarray(0, 100)],
  ['memory of their own', () => Buffer.alloc(500)],
])('objects that are %s keep no more memory alive than the limit', (_, make) => {
  const kept = filled(make);
  const memory = new Set(kept.map(({ buffer }) => buffer));
  expect(kept.length).toBeGreaterThan(1000);
  expect([...memory].reduce((sum, { byteLength }) => sum + byteLength, 0)).toBeLessThanOrEqual(LIMIT);
});

test('the number of empty objects is limited, too', () => {
  expect(filled(() => Buffer.alloc(0)).length).toBeLessThan(5000);
});

test('the least recently used object is dropped first, and a large object is left out', () => {
  const cache = new ObjectCache(4000);
  cache.put('old', Buffer.alloc(900, 1));
  cache.put('used', Buffer.alloc(900, 2));
  cache.put('large', Buffer.alloc(1001));
  expect(cache.get('old')).toEqual(Buffer.alloc(900, 1));
  cache.put('new', Buffer.alloc(900, 3));
  cache.put('newer', Buffer.alloc(900, 4));
  expect(['used', 'large', 'old', 'new', 'newer'].map((key) => cache.get(key) !== undefined)).toEqual([
    false,
    false,
    true,
    true,
    true,
  ]);
});
