import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { isReference, withoutReferences } from '../../src/descriptions/secret-references.ts';
import { expandReferences, hasReference, referencesIn } from '../../src/references.ts';

const values = { TOKEN: 'one', OTHER: '$TOKEN' };

describe('references', () => {
  test.each([
    ['$TOKEN', 'one'],
    ['${TOKEN}', 'one'],
    ['Bearer ${TOKEN}, $TOKEN.', 'Bearer one, one.'],
    ['${TOKEN:-none}', 'one'],
    ['$TOKENS ${TOKENS} $$ $1 ${1} TOKEN', '$TOKENS ${TOKENS} $$ $1 ${1} TOKEN'],
    ['${HOME:-/root}', '${HOME:-/root}'],
    ['$OTHER', '$TOKEN'],
  ])('references in %s become %s', (text, expanded) => {
    expect(expandReferences(text, { values })).toBe(expanded);
  });

  test('references with a default stand for it where defaults are wanted', () => {
    expect(expandReferences('${PORT:-80}, ${TOKEN:-x}, ${EMPTY:-}', { values, defaults: true })).toBe('80, one, ');
  });

  test('references are found and replaced in members and items, and not in names of members', () => {
    const input = { $TOKEN: [{ a: '$TOKEN' }, 7, null], b: '${OTHER:-x}' };
    expect(referencesIn(input)).toEqual([
      { name: 'TOKEN', hasDefault: false },
      { name: 'OTHER', hasDefault: true },
    ]);
    expect(expandReferences(input, { values })).toEqual({ $TOKEN: [{ a: 'one' }, 7, null], b: '$TOKEN' });
  });

  test.each([
    ['$TOKEN', ''],
    ['${token:-none}', ''],
    ['Bearer ${TOKEN}', 'Bearer '],
    ['${TOKEN}$OTHER', ''],
  ])('%s is a reference, and %j without it', (text, rest) => {
    expect([isReference(text), withoutReferences(text)]).toEqual([true, rest]);
  });

  test.each([
    ['$HOME/data', '/data'],
    ['pa$sword', 'pa$sword'],
    ['$sword', '$sword'],
    ['$Sword', '$Sword'],
    ['$1', '$1'],
    ['', ''],
  ])('%s is no reference, and %j without those in it', (text, rest) => {
    expect([isReference(text), withoutReferences(text)]).toEqual([false, rest]);
  });

  test('references that are not there leave any value as it is', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        fc.pre(!hasReference(JSON.stringify(value)));
        expect(expandReferences(value, { values, defaults: true })).toEqual(value);
      }),
    );
  });
});
