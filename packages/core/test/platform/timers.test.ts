import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { systemPlatform as platform } from '../../src/platform/index.ts';
import { block, deadline, every, settlesWithin, sleep } from '../../src/platform/timers.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('sleep resolves after its time, and takes its listener off the signal', async () => {
  const { signal } = new AbortController();
  const slept = sleep(platform, 100, { signal });
  vi.advanceTimersByTime(99);
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(1);
  await slept;
  expect(vi.getTimerCount()).toBe(0);
});

test('sleep rejects with the reason of its signal, before and during the sleep, and cancels its timer', async () => {
  const reason = new Error('stopped');
  await expect(sleep(platform, 1, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  const controller = new AbortController();
  const slept = sleep(platform, 1, { signal: controller.signal });
  expect(vi.getTimerCount()).toBe(1);
  controller.abort(reason);
  await expect(slept).rejects.toBe(reason);
  expect(vi.getTimerCount()).toBe(0);
});

test('block returns after its time', () => {
  vi.useRealTimers();
  const began = platform.monotonic();
  block(20);
  expect(platform.monotonic() - began).toBeGreaterThan(18);
});

test('deadline aborts after its time with a TimeoutError', () => {
  const signal = deadline(platform, 50);
  vi.advanceTimersByTime(49);
  expect(signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(signal.reason).toMatchObject({ name: 'TimeoutError' });
});

test('deadline aborts with the signal that it was given, and then its time is no more waited for', () => {
  const controller = new AbortController();
  const limit = deadline(platform, 50, { signal: controller.signal });
  controller.abort(new Error('stopped'));
  expect(limit.reason).toBe(controller.signal.reason);
  expect(vi.getTimerCount()).toBe(0);
  const late = deadline(platform, 50, { signal: controller.signal });
  expect(late.reason).toBe(controller.signal.reason);
  expect(vi.getTimerCount()).toBe(0);
});

test('deadline gives its timer and its listener back when it is disposed of', () => {
  const controller = new AbortController();
  const listeners = vi.spyOn(controller.signal, 'removeEventListener');
  const limit = deadline(platform, 50, { signal: controller.signal });
  expect(vi.getTimerCount()).toBe(1);
  limit[Symbol.dispose]();
  expect(vi.getTimerCount()).toBe(0);
  expect(listeners).toHaveBeenCalledOnce();
  controller.abort();
  expect(limit.aborted).toBe(false);
});

test('every calls again and again until it is cancelled, from inside too', () => {
  const began = platform.now();
  const times: number[] = [];
  const timer = every(platform, 10, () => {
    if (times.push(platform.now() - began) === 3) timer.cancel();
  });
  vi.advanceTimersByTime(100);
  expect(times).toEqual([10, 20, 30]);
  expect(vi.getTimerCount()).toBe(0);
});

test('every continues after work that throws', () => {
  using _timer = every(platform, 10, () => {
    throw new Error('work');
  });
  expect(() => vi.advanceTimersByTime(10)).toThrow('work');
  expect(vi.getTimerCount()).toBe(1);
});

test('settlesWithin tells if work settled in time, rejects as the work does, and leaves no timer', async () => {
  await expect(settlesWithin(platform, 10, Promise.resolve('value'))).resolves.toBe(true);
  await expect(settlesWithin(platform, 10, Promise.reject(new Error('work')))).rejects.toThrow('work');
  const late = settlesWithin(platform, 10, new Promise(() => {}));
  vi.advanceTimersByTime(10);
  await expect(late).resolves.toBe(false);
  expect(vi.getTimerCount()).toBe(0);
});
