import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { Backoff, type Platform, systemPlatform } from '../../src/platform/index.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const drawing = (random: number): Platform => ({ ...systemPlatform, random: () => random });

test('each wait is twice as long as the one before it, up to the limit, and a success begins again', () => {
  const delays = new Backoff(drawing(1), { first: 50, most: 300 });
  expect([1, 2, 3, 4, 5].map(() => delays.next())).toEqual([50, 100, 200, 300, 300]);
  delays.reset();
  expect(delays.next()).toBe(50);
});

test('a wait is between half of its bound and the whole', () => {
  expect(new Backoff(drawing(0), { first: 100 }).next()).toBe(50);
  expect(new Backoff(drawing(0.5), { first: 100 }).next()).toBe(75);
});

test('wait sleeps for the next delay, or until its signal aborts', async () => {
  const delays = new Backoff(drawing(1), { first: 100 });
  const slept = delays.wait();
  vi.advanceTimersByTime(100);
  await slept;
  const reason = new Error('stopped');
  await expect(delays.wait({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
});
