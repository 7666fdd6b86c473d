import { truncateMiddle } from '@conv/core';
import { describe, expect, test } from 'vitest';
import { createMasker } from '../src/index.ts';

/** Characters of a value that may stay legible where it was cut: masks find no fewer. */
const LEGIBLE = 7;

const VALUES = [
  'ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8',
  'correct-horse-battery-staple',
  `eyJhbGciOiJIUzI1NiJ9.${'eyJzdWIiOiIxMjM0NTY3ODkwIn0'.repeat(4)}.dozjgNryP4J3jVmNHl0w5N`,
  'p@ss/w0rd+with=signs&more',
];

/** The ways in which the packages cut texts, down to `limit` characters. */
const CUTTERS: Readonly<Record<string, (text: string, limit: number) => string>> = {
  'the middle, as of results and errors': (text, limit) => truncateMiddle(text, limit),
  'the middle, with a short notice': (text, limit) => truncateMiddle(text, limit, ' […] '),
  'the middle, with the place of the whole text': (text, limit) => truncateMiddle(text, limit, '\n[… see /x/y …]\n'),
  'the end, as of titles': (text, limit) => `${text.slice(0, limit - 1).trimEnd()}…`,
  'the end, with how much is left out': (text, limit) =>
    `${text.slice(0, limit)} … ${text.length - limit} more characters`,
  'the end, without a word': (text, limit) => text.slice(0, limit),
};

/** The longest part of the value that stands in a text. */
function legible(text: string, value: string): number {
  for (let length = value.length; length > 0; length -= 1)
    for (let start = 0; start + length <= value.length; start += 1)
      if (text.includes(value.slice(start, start + length))) return length;
  return 0;
}

describe.each(Object.keys(CUTTERS))('P9: a value that becomes known after a text was cut: %s', (name) => {
  const cut = CUTTERS[name] as (typeof CUTTERS)[string];

  test.each(VALUES)('P9: at most 7 characters of %s stay, wherever the cut goes through it', (value) => {
    let seen = 0;
    const masker = createMasker([value]);
    for (const [before, after] of [
      ['Use ', ' now, and say what comes of it, in some words.'],
      ['The first words of a text that goes on for a while: TOKEN=', ''],
      ['', `\n${'more lines of text\n'.repeat(8)}`],
    ] as const) {
      const text = before + value + after;
      for (let limit = 1; limit < text.length; limit += 1) {
        const shown = cut(text, limit);
        if (legible(shown, value) > LEGIBLE) seen += 1;
        expect([limit, legible(masker.mask(shown), value) <= LEGIBLE]).toEqual([limit, true]);
      }
    }
    // cuts that leave more than that are among them
    expect(seen).toBeGreaterThan(10);
  });

  test('a stream in any pieces masks the same as the whole text', () => {
    const [value = ''] = VALUES;
    const masker = createMasker([value]);
    const text = `Use ${value} now, and say what comes of it, in some words.`;
    for (let limit = 12; limit < text.length; limit += 5) {
      const shown = cut(text, limit);
      const stream = masker.stream();
      let out = '';
      for (let at = 0; at < shown.length; at += 3) out += stream.write(shown.slice(at, at + 3));
      expect(legible(out + stream.end(), value)).toBeLessThanOrEqual(LEGIBLE);
    }
  });
});
