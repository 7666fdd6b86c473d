import { once } from 'node:events';

import type { OwnerInfo } from '@conv/core/store';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

import { untilOwnerLost } from '../../src/ownership/until-owner-lost.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const YEAR = 365 * 24 * 3600 * 1000;

/** Watches an owner whose lease ends so many milliseconds from each look, until it was looked at so often. */
async function watch(lease: number, looks: number): Promise<readonly number[]> {
  const waits: number[] = [];
  const owner = (): OwnerInfo => ({ owner: 'http://owner.invalid', epoch: 1, until: Date.now() + lease });
  const lost = untilOwnerLost(
    owner(),
    async () => (waits.length < looks ? owner() : undefined),
    new AbortController().signal,
    async (milliseconds) => void waits.push(milliseconds),
  );
  await once(lost, 'abort');
  return waits;
}

test('an owner is looked at when its lease should be over', async () => {
  expect(await watch(2000, 3)).toEqual([2250, 2250, 2250]);
});

test('a clock that is far behind that of the store does not make an owner be waited for all the longer', async () => {
  expect(await watch(YEAR, 3)).toEqual([5000, 5000, 5000]);
});

test('a clock that is far before that of the store does not make an owner be looked at all the time', async () => {
  expect(await watch(-YEAR, 6)).toEqual([250, 500, 1000, 2000, 4000, 5000]);
});

test('an owner that opened it anew has lost what it was doing', async () => {
  const owner = { owner: 'http://owner.invalid', epoch: 1 };
  const lost = untilOwnerLost(
    owner,
    async () => ({ ...owner, epoch: 2 }),
    new AbortController().signal,
    async () => {},
  );
  await once(lost, 'abort');
  expect(String(lost.reason)).toContain('http://owner.invalid has lost the conversation');
});
