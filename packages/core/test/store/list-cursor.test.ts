import fc from 'fast-check';
import { expect, test } from 'vitest';

import { isStoreError } from '../../src/store/index.ts';
import { parseListCursor, toListCursor } from '../../src/store/list-page.ts';

test('a cursor reads back as the position that it was made of', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.uuid(), (key, id) => {
      expect(parseListCursor(toListCursor({ key, id }))).toEqual({ key, id });
    }),
  );
});

test('a text that is no cursor is NOT_FOUND, whatever it holds', () => {
  const texts = ['', 'x', '%', ...[null, 1, 'ab', {}, [], ['a'], ['a', 1]].map(encode)];
  for (const text of texts) expect(codeOf(() => parseListCursor(text))).toBe('NOT_FOUND');
});

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function codeOf(action: () => unknown): string | undefined {
  try {
    action();
  } catch (error) {
    if (isStoreError(error)) return error.code;
  }
  return undefined;
}
