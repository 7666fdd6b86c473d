import { SECRET_MASK } from '@conv/core';
import { expect, test } from 'vitest';

import { ValueMasker } from '../src/masking/masker.ts';

const VALUE = 'ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8';
/** Characters of which nothing can be known. */
const LEGIBLE = 7;

/** Returns the length of the longest part of `said` in a text. */
function legible(text: string, said: string): number {
  for (let length = said.length; length > 0; length -= 1)
    for (let start = 0; start + length <= said.length; start += 1)
      if (text.includes(said.slice(start, start + length))) return length;
  return 0;
}

test.each([
  ['as it is', VALUE],
  ['over lines', VALUE.replace('E5', 'E5\r\n')],
  ['in hexadecimal', Buffer.from(VALUE).toString('hex')],
])('P9: the rest of a value that becomes known while a stream says it is masked: %s', (_, said) => {
  const text = `Use ${said} now, and say what comes of it.`;
  const begin = text.indexOf(said);
  for (let known = begin + 1; known < begin + said.length; known += 1)
    for (const other of [undefined, 'another-value-of-before'])
      for (const size of [1, 7, 400]) {
        const masker = new ValueMasker();
        if (other !== undefined) masker.add(other);
        const stream = masker.stream();
        let before = '';
        for (let at = 0; at < known; at += size) before += stream.write(text.slice(at, Math.min(known, at + size)));
        masker.add(VALUE);
        let after = '';
        for (let at = known; at < text.length; at += size) after += stream.write(text.slice(at, at + size));
        after += stream.end();
        expect([known, size, after.endsWith(`${SECRET_MASK} now, and say what comes of it.`)]).toEqual([
          known,
          size,
          true,
        ]);
        expect(legible(after, said)).toBeLessThanOrEqual(LEGIBLE);
      }
});

test('a stream remembers a bounded part of the text that it has given out', () => {
  const masker = new ValueMasker();
  const stream = masker.stream();
  const far = 'x'.repeat(100_000);
  expect(stream.write(VALUE.slice(0, 20) + far)).toHaveLength(20 + far.length);
  masker.add(VALUE);
  expect(stream.write(`${VALUE.slice(20)} end`) + stream.end()).toBe(`${VALUE.slice(20)} end`);
});

test('a value that was shown whole before it was known changes nothing in later text', () => {
  const masker = new ValueMasker();
  const stream = masker.stream();
  stream.write(`It is ${VALUE}, `);
  masker.add(VALUE);
  expect(stream.write('and that is all.') + stream.end()).toBe('and that is all.');
});
