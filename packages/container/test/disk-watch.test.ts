import { expect, onTestFinished, test } from 'vitest';

import { watchDisks } from '../src/disk-watch.ts';
import { fillingPlatform, watchedFolder } from './watched-folder.ts';

const MEBI = 2 ** 20;

test('a disk that loses more than it may is told once, with its folder and what to do', async () => {
  const folder = watchedFolder();
  const told: string[] = [];
  const beyond = Promise.withResolvers<void>();
  const over = async (reason: string): Promise<void> => {
    told.push(reason);
    beyond.resolve();
  };
  // the same disk twice
  const folders = [folder, folder];
  const watch = await watchDisks(fillingPlatform(folder), { folders, most: 8 * MEBI, beyond: over });
  onTestFinished(() => watch.cancel());
  await beyond.promise;
  // this one tells after more looks of the first one
  const later = Promise.withResolvers<void>();
  const next = await watchDisks(fillingPlatform(folder), { folders, most: MEBI, beyond: async () => later.resolve() });
  onTestFinished(() => next.cancel());
  await later.promise;
  expect(told).toEqual([
    expect.stringMatching(
      /^the container was ended: expected the disk of \S+ to lose at most 8 MiB of its free space, found \d+ MiB; remove files/,
    ),
  ]);
  expect(told[0]).toContain(folder);
});

test('an end that failed is tried again until it succeeds', async () => {
  const folder = watchedFolder();
  const ended = Promise.withResolvers<void>();
  let tries = 0;
  const beyond = async (): Promise<void> => {
    tries += 1;
    if (tries < 3) throw new Error('the engine does not answer');
    ended.resolve();
  };
  const watch = await watchDisks(fillingPlatform(folder), { folders: [folder], most: MEBI, beyond });
  onTestFinished(() => watch.cancel());
  await ended.promise;
  expect(tries).toBe(3);
});
