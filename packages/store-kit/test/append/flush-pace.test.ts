import { expect, test } from 'vitest';
import { FlushPace } from '../../src/append/flush-pace.ts';

const [one, other] = [{ name: 'one' }, { name: 'other' }];

/** A pace after a fast flush of `one` that ended at 1 ms. */
function afterFastFlush(): FlushPace {
  const pace = new FlushPace();
  pace.begin(one);
  pace.flushed(one, 0.8, 1, false);
  return pace;
}

test('the first flush never holds up the process, because its cost is not known yet', () => {
  expect(new FlushPace().mayBlock(one, 0)).toBe(false);
});

test('one conversation that appends on its own may hold it up', () => {
  expect(afterFastFlush().mayBlock(one, 1)).toBe(true);
});

test('P7: several that append at once may not, nor in turns', () => {
  const pace = afterFastFlush();
  pace.begin(other);
  expect(pace.mayBlock(one, 2)).toBe(false);
  pace.end(one);
  expect(pace.mayBlock(other, 2)).toBe(false);
  expect(pace.mayBlock(other, 20)).toBe(true);
});

test('P7: one slow flush is enough to get out of the way, and several fast ones bring it back', () => {
  const pace = afterFastFlush();
  pace.flushed(one, 1, 21, true);
  expect(pace.mayBlock(one, 21)).toBe(false);
  let now = 21;
  let flushes = 0;
  for (; !pace.mayBlock(one, now); flushes++) pace.flushed(one, now, (now += 0.2), false);
  expect(flushes).toBeGreaterThan(3);
});

test('P7: the rest of the process gets a turn after some milliseconds of held up time', () => {
  const pace = afterFastFlush();
  let flushes = 0;
  for (let now = 1; !pace.flushed(one, now, now + 0.5, true); now += 0.5) flushes++;
  expect(flushes).toBe(7);
});

test('a flush in front of the first append of a journal counts as that of no other one', () => {
  const pace = new FlushPace();
  pace.flushed(undefined, 0.8, 1, false);
  expect(pace.mayBlock(one, 1)).toBe(true);
});
