import type { Platform } from '@conv/core/platform';
import { type DiskCall, FaultyDisk } from '@conv/testing-disk';
import { describe, expect, onTestFinished, test } from 'vitest';
import { diskWith } from '../../src/disk/node-disk.ts';
import { FsStore, nodeDisk } from '../../src/index.ts';
import { all, foreign, MANY, old, title } from '../support/foreign-folders.ts';
import { counted } from '../support/counted-disk.ts';
import { stoppedClock } from '../support/stopped-clock.ts';

/** Disk calls of pages. */
interface Costs {
  /** The name of each call. */
  readonly calls: readonly string[];
  /** The folders of conversations that a call was about. */
  readonly folders: readonly string[];
}

/**
 * Counts the disk calls for pages of a folder with this number of conversations, after a store has listed it: next, sorted and
 * counted pages.
 */
async function pageCosts(count: number, platform: Platform): Promise<Costs> {
  const directory = await foreign(count);
  const first = new FsStore({ directory, platform });
  await first.list();
  await first.close();
  old(directory);
  let seen: DiskCall[] = [];
  const { disk } = new FaultyDisk(diskWith(platform), (call) => void seen.push(call));
  const store = new FsStore({ directory, disk });
  let { next: page = '' } = await store.list({ limit: 100 });
  seen = [];
  for (let pages = 0; pages < 3; pages++) {
    const { items, next = '' } = await store.list({ limit: 100, page });
    expect(items).toHaveLength(100);
    page = next;
  }
  expect((await store.list({ limit: 100, sortBy: 'createdAt' })).items).toHaveLength(100);
  expect((await store.list({ limit: 1, total: true })).total).toBe(count);
  const calls = seen;
  // closing writes the file of summaries, once, however many pages there were
  seen = [];
  await store.close();
  return {
    calls: calls.map(({ name }) => name),
    folders: calls.map(({ subject }) => subject).filter((subject) => /[0-9a-f]{32}/.test(subject)),
  };
}

describe('a page', () => {
  test('P12: a page costs the same calls of the disk among 20,000 as among hundreds, and so does counting', async () => {
    const { platform } = stoppedClock();
    const costs: Costs[] = [];
    for (const count of [MANY, 20_000]) costs.push(await pageCosts(count, platform));
    const [few, many] = costs;
    expect(many?.calls).toEqual(few?.calls);
    expect(few?.calls.length).toBeLessThan(10);
    // no page, in whatever order, has read one of the folders
    expect(costs.map(({ folders }) => folders)).toEqual([[], []]);
  });

  test('P12: a page looks at a few folders in each turn of the event loop, whose other work continues', async () => {
    const directory = await foreign(MANY);
    let [inTurn, most] = [0, 0];
    const { disk } = new FaultyDisk(nodeDisk, () => void (most = Math.max(most, ++inTurn)));
    let turn = setImmediate(function next() {
      inTurn = 0;
      turn = setImmediate(next);
    });
    onTestFinished(() => clearImmediate(turn));
    const store = new FsStore({ directory, disk });
    expect((await store.list({ limit: 1, total: true })).total).toBe(MANY);
    await store.close();
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThan(MANY / 2);
  });

  test('P12: a page in a new process reads no folder that has not changed', async () => {
    const directory = await foreign(MANY);
    old(directory);
    const first = new FsStore({ directory });
    const before = await all(first);
    await first.close();
    title(directory, 7, 'another');
    const { disk, calls } = counted();
    const second = new FsStore({ directory, disk });
    const after = await all(second);
    expect(calls('readFile')).toBeLessThan(10);
    expect(before).toHaveLength(MANY);
    const changed = after.filter((item) => JSON.stringify(before).includes(JSON.stringify(item)) === false);
    expect(changed.map(({ title: text }) => text)).toEqual(['another']);
    await second.close();
  });
});
