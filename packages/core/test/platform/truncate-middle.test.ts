import fc from 'fast-check';
import { expect, test } from 'vitest';
import { truncateMiddle } from '../../src/index.ts';

const anyText = fc.string({ unit: 'binary', maxLength: 200 });

/** The same by arrays of characters. */
function expectedCut(text: string, limit: number, notice: string): string {
  const [whole, said] = [Array.from(text), Array.from(notice)];
  const room = limit - said.length;
  if (whole.length <= limit) return text;
  if (room <= 0) return said.slice(0, limit).join('');
  const at = whole.length - Math.floor(room / 2);
  const tail = whole.slice(at).join('');
  const [word = ''] = /\s$/.test(whole.slice(0, at).join('')) ? [] : (/^\S{8,4096}(?!\S)/.exec(tail) ?? []);
  return [...whole.slice(0, Math.ceil(room / 2)), ...said, tail.slice(word.length)].join('');
}

test('a text within the limit stays as it is', () => {
  expect(truncateMiddle('x'.repeat(100), 100)).toBe('x'.repeat(100));
});

test('the head gets the odd character', () => {
  expect(truncateMiddle('abcdefghij', 8, '---')).toBe('abc---ij');
  expect(truncateMiddle('abcdefghij', 9, '---')).toBe('abc---hij');
});

test('nothing of the text is left when the notice fills the limit', () => {
  expect(truncateMiddle('abcdefghij', 3, '---')).toBe('---');
  expect(truncateMiddle('abcdefghij', 2, '---')).toBe('--');
  expect(truncateMiddle('abcdefghij', 4, '---')).toBe('a---');
  expect(truncateMiddle('abc', 0)).toBe('');
});

test('characters are code points: a pair counts one and is never cut in half', () => {
  expect(truncateMiddle('😀'.repeat(10), 10)).toBe('😀'.repeat(10));
  expect(truncateMiddle('😀'.repeat(10), 6, '-')).toBe(`${'😀'.repeat(3)}-${'😀'.repeat(2)}`);
});

test('the result has at most as many characters as the limit, head and tail of the text around the notice', () => {
  fc.assert(
    fc.property(anyText, fc.integer({ min: 0, max: 120 }), fc.string({ maxLength: 20 }), (text, limit, notice) => {
      expect(truncateMiddle(text, limit, notice)).toBe(expectedCut(text, limit, notice));
    }),
  );
});

test('P9: the tail begins with a whole word, unless the cut word is short or very long', () => {
  const text = `${'a'.repeat(50)} ghp_0123456789abcdef and more`;
  expect(truncateMiddle(text, 48, '---')).toBe(`${'a'.repeat(23)}--- and more`);
  expect(truncateMiddle(text, 32, '---')).toBe(`${'a'.repeat(15)}---abcdef and more`.replace('abcdef', 'bcdef'));
  const blob = 'b'.repeat(20_000);
  expect(truncateMiddle(blob, 10_003, '---')).toBe(`${'b'.repeat(5000)}---${'b'.repeat(5000)}`);
});

test('the usual notice says that text is missing', () => {
  expect(truncateMiddle('x'.repeat(500), 200)).toContain('text left out here');
});
