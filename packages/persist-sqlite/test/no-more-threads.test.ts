import { setImmediate as nextTurn } from 'node:timers/promises';
import { systemPlatform } from '@conv/core/platform';
import { expect, test } from 'vitest';
import { nodeSqlite, type SqliteDriver } from '../src/index.ts';
import { freshStore } from './fresh-folder.ts';
import { flushFast, threads, written } from './owned-here.ts';

/** A driver that no thread can be started with, as on a system that has no thread left, until it is told otherwise. */
function withoutThreads(): { readonly driver: SqliteDriver; readonly end: () => void; readonly tried: () => number } {
  let [isOver, tried] = [false, 0];
  const driver = {
    ...nodeSqlite,
    // `new Worker` throws at what it cannot copy
    get short(): unknown {
      tried++;
      return isOver ? undefined : (): void => {};
    },
  };
  return { driver, end: () => void (isOver = true), tried: () => tried };
}

test('P1: an owner whose thread cannot be started goes on, and its thread starts later', async () => {
  const { file, author } = await written();
  const { driver, end, tried } = withoutThreads();
  const store = await freshStore({ file, driver, leaseTimeout: 100 });
  const started = threads();
  const journal = await store.open(author.id, { owner: 'next' });
  flushFast();
  const together = [author.say(journal, 'one'), author.say(journal, 'two')];
  for (const appended of together)
    await expect(appended).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('its thread cannot be started') as string,
    });
  // the thread of the owner, which a timer starts
  const before = tried();
  await expect.poll(tried).toBeGreaterThan(before);
  end();
  await expect.poll(started).toBeGreaterThan(0);
});

test('P1: commits, late times and a full log are not lost with a thread that cannot be started', async () => {
  const { file, author } = await written();
  const { driver } = withoutThreads();
  const failures: unknown[] = [];
  const fail = (error: unknown): void => void failures.push(error);
  process.on('uncaughtException', fail).on('unhandledRejection', fail);
  let [now, timers] = [1000, [] as (() => void)[]];
  const platform: typeof systemPlatform = {
    ...systemPlatform,
    monotonic: () => (now += 0.01),
    setTimer: (milliseconds, work, timer) => {
      if (timer?.background) timers.push(work);
      return systemPlatform.setTimer(timer?.background ? Infinity : milliseconds, work);
    },
  };
  const store = await freshStore({ file, driver, platform });
  const journal = await store.open(author.id, { owner: 'next' });
  flushFast();
  // more than the pages after which the thread moves the log
  for (let at = 0; at < 40; at++) await author.say(journal, 'x'.repeat(100_000)).catch(() => {});
  for (const work of timers.splice(0)) work();
  await nextTurn();
  await nextTurn();
  process.off('uncaughtException', fail).off('unhandledRejection', fail);
  expect(failures).toEqual([]);
});
