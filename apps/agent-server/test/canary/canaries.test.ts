import { Buffer } from 'node:buffer';

import { expect, test } from 'vitest';

import { Canaries } from './canaries.ts';

test('a secret is found as it is, in JSON, in an address, in base64 wherever it begins, and in parts', () => {
  const canaries = new Canaries();
  const value = canaries.value('door');
  const base64 = [0, 1, 2].map((shift) => Buffer.from(`${'.'.repeat(shift)}${value}.`).toString('base64'));
  const parts = [value.slice(0, 12), value.slice(-12)];
  const written = [JSON.stringify({ value }), encodeURIComponent(value), new URLSearchParams({ value }).toString()];
  for (const text of [value, ...written, ...base64, ...parts])
    expect(canaries.find(`before ${text} after`).map(({ door }) => door)).toContain('door');
  expect(canaries.find('before cnry after')).toEqual([]);
  expect(canaries.find(Buffer.from(`${JSON.stringify({ a: 1 })}`))).toEqual([]);
});
