import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson } from '../src/canonical-json.ts';

test('the order of keys does not matter, at any depth; that of items does', () => {
  expect(canonicalJson({ a: [{ b: 1, c: 2 }], d: 'x' })).toBe(canonicalJson({ d: 'x', a: [{ c: 2, b: 1 }] }));
  expect(canonicalJson([1, 2])).not.toBe(canonicalJson([2, 1]));
});

test('a field that is null counts as absent', () => {
  expect(canonicalJson({ a: 1, b: null, c: undefined })).toBe(canonicalJson({ a: 1 }));
});

test('different values have different texts', () => {
  const json = fc
    .json({ maxDepth: 4 })
    .filter((text) => !text.includes('null'))
    .map((text): unknown => JSON.parse(text));
  fc.assert(
    fc.property(json, json, (one, other) => {
      const same = canonicalJson(one) === canonicalJson(other);
      expect(same).toBe(deepEqual(one, other));
    }),
  );
});

test('P13: values that nest without end are cut, not an exhausted stack', () => {
  let deep: unknown = 1;
  for (let depth = 0; depth < 100_000; depth += 1) deep = [deep];
  expect(canonicalJson(deep)).toContain('…');
});

function deepEqual(one: unknown, other: unknown): boolean {
  try {
    expect(one).toEqual(other);
    return true;
  } catch {
    return false;
  }
}
