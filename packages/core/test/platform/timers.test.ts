import { expect, test } from 'vitest';

import { deadline, every, settlesWithin, sleep } from '../../src/platform/index.ts';
import { ManualPlatform } from './manual-platform.ts';

test('sleep resolves after its time, and takes its listener off the signal', async () => {
  const platform = new ManualPlatform();
  const { signal } = new AbortController();
  const slept = sleep(platform, 100, { signal });
  platform.pass(99);
  expect(platform.waiting).toBe(1);
  platform.pass(1);
  await slept;
  expect(platform.waiting).toBe(0);
});

test('sleep rejects with the reason of its signal, before and during the sleep, and cancels its timer', async () => {
  const platform = new ManualPlatform();
  const reason = new Error('stopped');
  await expect(sleep(platform, 1, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  const controller = new AbortController();
  const slept = sleep(platform, 1, { signal: controller.signal });
  expect(platform.waiting).toBe(1);
  controller.abort(reason);
  await expect(slept).rejects.toBe(reason);
  expect(platform.waiting).toBe(0);
});

test('deadline aborts after its time with a TimeoutError', () => {
  const platform = new ManualPlatform();
  const signal = deadline(platform, 50);
  platform.pass(49);
  expect(signal.aborted).toBe(false);
  platform.pass(1);
  expect(signal.reason).toMatchObject({ name: 'TimeoutError' });
});

test('every calls again and again until it is cancelled, from inside too', () => {
  const platform = new ManualPlatform();
  const times: number[] = [];
  const timer = every(platform, 10, () => {
    if (times.push(platform.now()) === 3) timer.cancel();
  });
  platform.pass(100);
  expect(times).toEqual([10, 20, 30]);
  expect(platform.waiting).toBe(0);
});

test('every goes on after work that throws', () => {
  const platform = new ManualPlatform();
  using _timer = every(platform, 10, () => {
    throw new Error('work');
  });
  expect(() => platform.pass(10)).toThrow('work');
  expect(platform.waiting).toBe(1);
});

test('settlesWithin says if work settled in time, rejects as it does, and leaves no timer', async () => {
  const platform = new ManualPlatform();
  await expect(settlesWithin(platform, 10, Promise.resolve('value'))).resolves.toBe(true);
  await expect(settlesWithin(platform, 10, Promise.reject(new Error('work')))).rejects.toThrow('work');
  const late = settlesWithin(platform, 10, new Promise(() => {}));
  platform.pass(10);
  await expect(late).resolves.toBe(false);
  expect(platform.waiting).toBe(0);
});
