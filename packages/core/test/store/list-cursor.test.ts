import fc from 'fast-check';
import { expect, test } from 'vitest';

import { isStoreError, listCursor } from '../../src/store/index.ts';

test('a cursor reads back as the position that it was made of', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.uuid(), (key, id) => {
      expect(listCursor.parse(listCursor.toText({ key, id }))).toEqual({ key, id });
    }),
  );
});

test('a text that is not a cursor is NOT_FOUND, whatever it holds', () => {
  for (const text of ['', 'x', '%', '/', 'key/', '../../etc', '2026-01-01T00:00:00.000Z'])
    expect(codeOf(() => listCursor.parse(text))).toBe('NOT_FOUND');
});

function codeOf(action: () => unknown): string | undefined {
  try {
    action();
  } catch (error) {
    if (isStoreError(error)) return error.code;
  }
  return undefined;
}
