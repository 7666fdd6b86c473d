import { expect, test } from 'vitest';
import * as otel from '../src/index.ts';
import * as work from '../src/work/index.ts';

test('the package offers exactly these values', () => {
  expect(Object.keys(otel).toSorted()).toEqual(['RunSpans', 'traceHeaders', 'tracedStore', 'withCaller']);
  expect(Object.keys(work)).toEqual(['watchedStore']);
});
