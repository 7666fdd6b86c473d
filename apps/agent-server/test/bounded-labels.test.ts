import { expect, test } from 'vitest';

import { BoundedLabels } from '../src/metrics/bounded-labels.ts';

test('values that clients choose cannot grow what is counted without end', () => {
  const labels = new BoundedLabels(2);
  expect(['a', 'b', 'c', 'a', 'd'].map((value) => labels.of(value))).toEqual(['a', 'b', 'other', 'a', 'other']);
  expect(new BoundedLabels().of('x'.repeat(101))).toBe('other');
});
