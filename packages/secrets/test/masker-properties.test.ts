import { SECRET_MASK, type Masker } from '@conv/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMasker } from '../src/index.ts';
import { ValueMasker } from '../src/masking/masker.ts';
import { PatternSet } from '../src/masking/pattern-set.ts';
import { slowMask } from './slow-masker.ts';

/** Few letters, so that values share beginnings, overlap and lie in each other. */
const letters = fc.constantFrom('a', 'b', '<', '>', '/', '😀', '\n');
const values = fc
  .array(fc.oneof(text(letters, 8, 24), periodic(), besideMask()), { minLength: 1, maxLength: 4 })
  .chain((known) => {
    const inside = fc
      .tuple(fc.constantFrom(...known), fc.nat(6))
      .map(([value, start]) => value.slice(start, start + 9));
    return fc.array(inside, { maxLength: 2 }).map((more) => [...known, ...more]);
  });

/** A text made of pieces of the values, of masks and parts of masks, and of what lies between. */
function textAbout(known: readonly string[]): fc.Arbitrary<string> {
  const piece = fc
    .tuple(fc.constantFrom(...known, SECRET_MASK), fc.nat(24), fc.nat(24), fc.boolean())
    .map(([value, start, length, whole]) => (whole ? value : value.slice(start, start + length)));
  const wrapped = piece.map((part) => part.split('').join('\n'));
  return fc
    .array(fc.oneof(piece, wrapped, text(letters, 0, 10), fc.constant('\r\n')), { maxLength: 12 })
    .map((parts) => parts.join(''));
}

function text(character: fc.Arbitrary<string>, minLength: number, maxLength: number): fc.Arbitrary<string> {
  return fc.array(character, { minLength, maxLength }).map((characters) => characters.join(''));
}

/** Texts that begin as a mask ends, or the reverse. */
function besideMask(): fc.Arbitrary<string> {
  return fc.tuple(text(letters, 4, 10), fc.integer({ min: 1, max: 14 }), fc.boolean()).map(([part, shared, before]) => {
    return before ? SECRET_MASK.slice(-shared) + part : part + SECRET_MASK.slice(0, shared);
  });
}

function periodic(): fc.Arbitrary<string> {
  return fc.tuple(text(letters, 1, 3), fc.integer({ min: 4, max: 10 })).map(([part, times]) => part.repeat(times));
}

const knownAndText = values.chain((known) => fc.tuple(fc.constant(known), textAbout(known)));

function patternsOf(known: readonly string[]): readonly string[] {
  const set = new PatternSet();
  for (const value of known) set.add(value);
  return [...set.patterns];
}

function streamed(masker: Masker, chunks: readonly string[]): string {
  const stream = masker.stream();
  return chunks.map((chunk) => stream.write(chunk)).join('') + stream.end();
}

function cut(whole: string, places: readonly number[]): readonly string[] {
  const sorted = [0, ...places.map((place) => place % (whole.length + 1)), whole.length].toSorted((a, b) => a - b);
  return sorted.slice(1).map((end, index) => whole.slice(sorted[index], end));
}

test('P9: one pass finds the same as a search for every form one by one', () => {
  fc.assert(
    fc.property(knownAndText, ([known, whole]) => {
      const patterns = patternsOf(known);
      expect(createMasker(known).mask(whole)).toBe(slowMask(whole, patterns));
    }),
    { numRuns: 400 },
  );
});

test('P9: a text in pieces is masked as the whole text, however it is cut', () => {
  fc.assert(
    fc.property(knownAndText, fc.array(fc.nat(), { maxLength: 8 }), ([known, whole], places) => {
      const masker = createMasker(known);
      expect(streamed(masker, cut(whole, places))).toBe(masker.mask(whole));
      expect(streamed(masker, whole.split(''))).toBe(masker.mask(whole));
    }),
    { numRuns: 300 },
  );
});

test('P9: masking twice is masking once', () => {
  fc.assert(
    fc.property(knownAndText, ([known, whole]) => {
      const masker = createMasker(known);
      const once = masker.mask(whole);
      expect(masker.mask(once)).toBe(once);
    }),
    { numRuns: 300 },
  );
});

test('P9: the order in which values become known makes no difference', () => {
  fc.assert(
    fc.property(knownAndText, ([known, whole]) => {
      expect(createMasker(known.toReversed()).mask(whole)).toBe(createMasker(known).mask(whole));
    }),
  );
});

test('P9: values that become known one by one, between texts, are masked like values known at once', () => {
  fc.assert(
    fc.property(knownAndText, fc.nat(), ([known, whole], place) => {
      const masker = new ValueMasker();
      for (const value of known) {
        masker.add(value);
        masker.mask(whole);
      }
      const expected = createMasker(known).mask(whole);
      expect(masker.mask(whole)).toBe(expected);
      expect(streamed(masker, cut(whole, [place]))).toBe(expected);
    }),
    { numRuns: 300 },
  );
});

test('P9: text after a value becomes known is masked as if the value had been known from there', () => {
  fc.assert(
    fc.property(knownAndText, ([known, whole]) => {
      const [first = '', ...rest] = known;
      const masker = new ValueMasker();
      masker.add(first);
      const stream = masker.stream();
      let shown = stream.write(whole);
      for (const value of rest) {
        masker.add(value);
        shown += stream.write('');
      }
      shown += stream.write(`\u0000${whole}`) + stream.end();
      expect(shown.endsWith(`\u0000${createMasker(known).mask(whole)}`)).toBe(true);
    }),
    { numRuns: 200 },
  );
});

test('a long text is masked in the same way across the borders of its chunks', () => {
  const masker = createMasker(['correct horse battery staple']);
  fc.assert(
    fc.property(fc.integer({ min: 16_350, max: 16_400 }), fc.integer({ min: 0, max: 40 }), (before, between) => {
      const whole = `${'x'.repeat(before)}correct horse\n battery staple${'y'.repeat(between)}correct horse battery staple.`;
      const expected = `${'x'.repeat(before)}${SECRET_MASK}${'y'.repeat(between)}${SECRET_MASK}.`;
      expect(masker.mask(whole)).toBe(expected);
    }),
  );
});

test('a stream holds back no more than the longest beginning of a form', () => {
  fc.assert(
    fc.property(knownAndText, ([known, whole]) => {
      const masker = createMasker(known);
      const patterns = [...patternsOf(known), SECRET_MASK];
      const stream = masker.stream();
      let shown = '';
      for (const [index, chunk] of whole.split('').entries()) {
        shown += stream.write(chunk);
        const limit = mostHeld(patterns, withoutBreaks(whole.slice(0, index + 1)));
        const visible = withoutBreaks(masker.mask(whole.slice(0, index + 1)));
        // The hidden rest is at most the beginning of a form, and of a mask after it, as it may be masked already. Line breaks
        // among them are held back with them, however many there are.
        const most = limit === 0 ? 0 : 2 * (limit + SECRET_MASK.length);
        expect(visible.length - withoutBreaks(shown).length).toBeLessThanOrEqual(most);
      }
    }),
    { numRuns: 60 },
  );
});

function withoutBreaks(text: string): string {
  return text.replaceAll(/[\r\n]/g, '');
}

/**
 * Returns the maximum length of the held-back end of a text: a possible beginning of a pattern, also before a possible
 * beginning of a mask.
 */
function mostHeld(patterns: readonly string[], soFar: string): number {
  const lengths = Array.from({ length: SECRET_MASK.length }, (_, index) => index);
  const masks = lengths.filter((length) => soFar.endsWith(SECRET_MASK.slice(0, length)));
  return Math.max(
    ...masks.flatMap((length) => {
      const before = soFar.slice(0, soFar.length - length);
      return patterns.map((pattern) => length + heldFor(pattern, before));
    }),
  );
}

/** Returns the length of the end of a text that may be the beginning of a pattern. */
function heldFor(pattern: string, soFar: string): number {
  for (let length = Math.min(pattern.length - 1, soFar.length); length > 0; length -= 1) {
    if (soFar.endsWith(pattern.slice(0, length))) return length;
  }
  return 0;
}
