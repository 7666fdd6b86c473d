import { expect, test } from 'vitest';

import { ValueMasker } from '../src/masking/masker.ts';
import { sharedAutomaton } from '../src/masking/shared-automaton.ts';

const [FIRST, SECOND, THIRD] = ['the first secret value', 'the second secret value', 'the third secret value'];

function maskerOf(...values: readonly string[]): ValueMasker {
  const masker = new ValueMasker();
  for (const value of values) masker.add(value);
  return masker;
}

test('the same values in another order share an automaton, and other values have another one', () => {
  const automaton = sharedAutomaton([FIRST, SECOND]);
  expect(sharedAutomaton([SECOND, FIRST])).toBe(automaton);
  expect(sharedAutomaton([FIRST])).not.toBe(automaton);
});

test('P9: values that one masker learns and forgets later change no other masker of the same values', () => {
  const [one, other] = [maskerOf(FIRST, SECOND), maskerOf(FIRST, SECOND)];
  const text = `${FIRST}, ${SECOND}, ${THIRD}`;
  const both = `<secret-hidden>, <secret-hidden>, ${THIRD}`;
  expect([one.mask(text), other.mask(text)]).toEqual([both, both]);
  other.add(THIRD);
  const all = '<secret-hidden>, <secret-hidden>, <secret-hidden>';
  expect([one.mask(text), other.mask(text), maskerOf(FIRST, SECOND).mask(text)]).toEqual([both, all, both]);
  other.forget([FIRST, THIRD]);
  expect(other.mask(text)).toBe(`${FIRST}, <secret-hidden>, ${THIRD}`);
  expect(one.mask(text)).toBe(both);
});

test('P9: a stream masks a value that its masker learns on the way, with or without a shared automaton', () => {
  const masker = maskerOf(FIRST);
  const stream = masker.stream();
  const begun = stream.write(`${FIRST} and `);
  masker.add(SECOND);
  expect(begun + stream.write(`${SECOND} and ${FIRST}`) + stream.end()).toBe(
    '<secret-hidden> and <secret-hidden> and <secret-hidden>',
  );
});
