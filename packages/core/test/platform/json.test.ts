import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';

import { isSameJson } from '../../src/platform/json.ts';

test('isSameJson answers as Node does for JSON', () => {
  const small = fc.jsonValue({ maxDepth: 3, stringUnit: fc.constantFrom('a', 'b') });
  fc.assert(
    fc.property(small, small, (first, second) => {
      expect(isSameJson(first, second)).toBe(isDeepStrictEqual(first, second));
      expect(isSameJson(first, structuredClone(first))).toBe(true);
    }),
  );
});

test.each([
  [{ a: 1, b: [1, { c: null }] }, { b: [1, { c: null }], a: 1 }, true],
  [{ a: 1 }, { a: 1, b: 2 }, false],
  [{ a: undefined }, { b: undefined }, false],
  [[1, 2], [2, 1], false],
  [[], {}, false],
  [null, {}, false],
  ['1', 1, false],
])('isSameJson of %j and %j is %j', (first, second, same) => {
  expect(isSameJson(first, second)).toBe(same);
  expect(isSameJson(second, first)).toBe(same);
});
