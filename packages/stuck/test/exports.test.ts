import { expect, test } from 'vitest';
import * as stuck from '../src/index.ts';

test('the package offers exactly these values', () => {
  expect(Object.keys(stuck).toSorted()).toEqual([
    'DEFAULT_THRESHOLDS',
    'StuckError',
    'createStuckDetector',
    'foldEvents',
    'isStuck',
    'isStuckError',
  ]);
});

test('every error class is known across copies of the package', () => {
  const copy = Object.assign(new Error('[INVALID_OPTION] x'), { code: 'INVALID_OPTION' });
  Object.defineProperty(copy, Symbol.for('conv.stuck.error'), { value: true });
  expect(stuck.isStuckError(copy, 'INVALID_OPTION')).toBe(true);
});
