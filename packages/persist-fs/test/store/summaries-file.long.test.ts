import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FaultyDisk } from '@conv/testing-disk';
import { describe, expect, test } from 'vitest';
import { FsStore, nodeDisk, type Disk } from '../../src/index.ts';
import { all, foreign, MANY, old } from '../support/foreign-folders.ts';
import { counted } from '../support/counted-disk.ts';

describe('a page', () => {
  test.each(['', 'conv summaries 2\n', 'conv summaries 1\nnonsense\n00000000 {}\n'])(
    'P13: a page is right with %j as the file of summaries',
    async (content) => {
      const directory = await foreign(MANY);
      mkdirSync(join(directory, '.conv-list'));
      writeFileSync(join(directory, '.conv-list', 'summaries'), content);
      const store = new FsStore({ directory });
      expect(new Set((await all(store)).map(({ title: text }) => text)).size).toBe(MANY);
      await store.close();
    },
  );

  test('P13: a page is right with any damaged byte in the file of summaries, or a FIFO in its place', async () => {
    const directory = await foreign(300);
    old(directory);
    const maker = new FsStore({ directory });
    const expected = await all(maker);
    await maker.close();
    const file = join(directory, '.conv-list', 'summaries');
    const whole = readFileSync(file);
    for (let at = 0; at < whole.length; at += Math.ceil(whole.length / 20)) {
      const damaged = Buffer.from(whole);
      damaged[at] = (damaged[at] ?? 0) ^ 4;
      writeFileSync(file, damaged);
      const store = new FsStore({ directory });
      expect(await all(store)).toEqual(expected);
      await store.close();
    }
    for (const make of [mkdirSync, (path: string) => execFileSync('mkfifo', [path])]) {
      rmSync(file, { recursive: true });
      make(file);
      const store = new FsStore({ directory });
      expect(await all(store)).toEqual(expected);
      await store.close();
    }
  });

  test('P13: a page needs no permission to write', async () => {
    const directory = await foreign(300);
    const { disk } = new FaultyDisk<Disk>(nodeDisk, ({ name }) =>
      ['makeFolder', 'rename', 'remove', 'write'].includes(name) ? 'EROFS' : undefined,
    );
    const store = new FsStore({ directory, disk });
    expect(await all(store)).toHaveLength(300);
    await store.close();
  });

  test('P2: a page of several stores that write the file of summaries at once is right, as is the next', async () => {
    const directory = await foreign(MANY);
    old(directory);
    const stores = Array.from({ length: 4 }, () => new FsStore({ directory }));
    const found = await Promise.all(stores.map(all));
    await Promise.all(stores.map((store) => store.close()));
    const { disk, calls } = counted();
    const next = new FsStore({ directory, disk });
    expect([...found, await all(next)].map(({ length }) => length)).toEqual(Array.from({ length: 5 }, () => MANY));
    expect(calls('readFile')).toBeLessThan(10);
    await next.close();
  });
});
