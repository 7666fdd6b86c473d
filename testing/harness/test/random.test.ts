import { expect, test } from 'vitest';

import { Random } from '../src/random.ts';

test('the same seed draws the same, another seed something else', () => {
  const draw = (seed: number): number[] => {
    const random = new Random(seed);
    return Array.from({ length: 20 }, () => random.between(0, 1000));
  };
  expect(draw(1)).toEqual(draw(1));
  expect(draw(1)).not.toEqual(draw(2));
});

test('whole numbers reach both ends and go no further', () => {
  const random = new Random(3);
  const drawn = new Set(Array.from({ length: 200 }, () => random.between(2, 4)));
  expect(drawn).toEqual(new Set([2, 3, 4]));
});

test('weights decide how often a key is drawn', () => {
  const random = new Random(4);
  const drawn = Array.from({ length: 1000 }, () => random.weighted({ often: 9, seldom: 1, never: 0 }));
  expect(drawn.filter((key) => key === 'often').length).toBeGreaterThan(800);
  expect(drawn).toContain('seldom');
  expect(drawn).not.toContain('never');
});
