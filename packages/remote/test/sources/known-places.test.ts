import fc from 'fast-check';
import { expect, test } from 'vitest';

import { KnownPlaces } from '../../src/sources/known-places.ts';

test('the nearest known places around a number are found, and no other', () => {
  const span = fc.record({ from: fc.nat(2_000), length: fc.integer({ min: 1, max: 250 }) });
  fc.assert(
    fc.property(
      fc.array(span, { minLength: 1, maxLength: 8 }),
      fc.array(fc.nat(2_500)),
      fc.nat(2_500),
      (spans, noted, index) => {
        const places = new KnownPlaces();
        const known = new Set<number>();
        let last = -1;
        for (const { from, length } of spans) {
          const numbers = Array.from({ length }, (_, offset) => from + offset);
          places.add(from, numbers.map(String));
          for (const number of numbers) if (number % 100 === 0) known.add(number);
          last = Math.max(last, from + length - 1);
        }
        for (const number of noted) {
          places.note({ index: number, id: String(number) });
          known.add(number);
          last = Math.max(last, number);
        }
        known.add(last);
        const sorted = [...known].toSorted((one, other) => one - other);
        expect(places.before(index)?.index).toBe(sorted.findLast((at) => at <= index));
        expect(places.after(index)?.index).toBe(sorted.find((at) => at >= index));
        for (const place of [places.before(index), places.after(index)])
          expect(place?.id ?? '').toBe(String(place?.index ?? ''));
      },
    ),
  );
});
