import { once } from 'node:events';

import type { OwnerInfo } from '@conv/core/store';
import { ManualPlatform } from '@conv/testing-harness';
import { expect, test } from 'vitest';

import { untilOwnerLost } from '../../src/ownership/until-owner-lost.ts';

const YEAR = 365 * 24 * 3600 * 1000;
const answered = new AbortController().signal;

/** Watches an owner whose lease ends so many milliseconds from each look, until it was looked at so often. */
async function watch(lease: number, looks: number): Promise<readonly number[]> {
  const platform = new ManualPlatform(2 * YEAR);
  const waits: number[] = [];
  const owner = (): OwnerInfo => ({ owner: 'http://owner.invalid', epoch: 1, until: platform.now() + lease });
  const ownerNow = async (): Promise<OwnerInfo | undefined> => (waits.length < looks ? owner() : undefined);
  const lost = untilOwnerLost(owner(), { platform, ownerNow, answered });
  while (!lost.aborted) {
    for (const wait of platform.waits) {
      waits.push(wait);
      platform.pass(wait);
    }
    await platform.nextTurn();
  }
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

test('an owner that opened the conversation again has lost its command', async () => {
  const platform = new ManualPlatform();
  const owner = { owner: 'http://owner.invalid', epoch: 1 };
  const ownerNow = async (): Promise<OwnerInfo> => ({ ...owner, epoch: 2 });
  const lost = untilOwnerLost(owner, { platform, ownerNow, answered });
  platform.pass(5000);
  await once(lost, 'abort');
  expect(String(lost.reason)).toContain('http://owner.invalid has lost the conversation');
});
