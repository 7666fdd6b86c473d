import { truncateSync } from 'node:fs';
import { systemPlatform, type Platform } from '@conv/core/platform';
import type { PageSelection } from '@conv/store-kit';
import { Author } from '@conv/testing-harness';
import { expect, onTestFinished, test } from 'vitest';
import { FirstReads } from '../src/database/first-reads.ts';
import { DatabaseThread } from '../src/database-thread.ts';
import { nodeSqlite } from '../src/driver.ts';
import { PageReads } from '../src/page-reads.ts';
import { freshFile, freshStore } from './fresh-folder.ts';
import { killed } from './left-files.ts';
import { rawly } from './raw-database.ts';

const FIRST_PAGE: PageSelection = {
  limit: 51,
  sortBy: 'updatedAt',
  order: 'descending',
  after: undefined,
  status: undefined,
  parentIds: undefined,
};

/** Resolves with the file of a store with one conversation, which no process has open, and the id of the conversation. */
async function listed(): Promise<{ readonly file: string; readonly id: string }> {
  const store = await freshStore();
  const author = new Author();
  const journal = await store.open(author.id, { owner: 'author' });
  await author.begin(journal);
  await journal.close();
  await store.close();
  return { file: store.file, id: author.id };
}

/** Makes reads of pages by a clock that goes on with each look at it. `asked`: the number of pages that the thread read. */
function pagesOf(file: string): {
  readonly ids: (selection?: PageSelection) => Promise<readonly unknown[]>;
  readonly asked: () => number;
  readonly takes: (milliseconds: number) => void;
  readonly pages: PageReads;
} {
  let [now, step, asked] = [0, 0.1, 0];
  const platform: Platform = { ...systemPlatform, monotonic: () => (now += step) };
  const settings = {
    file,
    driver: nodeSqlite,
    readOnly: false,
    leaseTimeout: 15_000,
    busyTimeout: 0,
    token: platform.id(),
    held: [],
  };
  const thread = new DatabaseThread(() => settings);
  const there = (selection: PageSelection): ReturnType<PageReads['page']> => {
    asked += 1;
    return thread.call('list', selection);
  };
  const pages = new PageReads(
    { here: async (attached) => new FirstReads({ ...settings, attached }, platform), there },
    platform,
  );
  onTestFinished(async () => {
    await pages.close();
    await thread.close();
  });
  const ids = async (selection = FIRST_PAGE): Promise<readonly unknown[]> =>
    (await pages.page(selection)).map((row) => row['id']);
  return { ids, asked: () => asked, takes: (milliseconds) => void (step = milliseconds), pages };
}

test('a thread reads pages after a slow one, until several were fast', async () => {
  const { file, id } = await listed();
  const { ids, asked, takes } = pagesOf(file);
  for (let page = 0; page < 40; page++) expect(await ids()).toEqual([id]);
  expect(asked()).toBe(0);
  takes(5);
  await ids();
  expect(asked()).toBe(0);
  for (let page = 0; page < 10; page++) expect(await ids()).toEqual([id]);
  expect(asked()).toBe(10);
  takes(0.1);
  for (let page = 0; page < 40; page++) expect(await ids()).toEqual([id]);
  expect(asked()).toBeGreaterThan(10);
  expect(asked()).toBeLessThan(20);
});

test('a thread reads the children of conversations', async () => {
  const { file, id } = await listed();
  const { ids, asked } = pagesOf(file);
  expect(await ids({ ...FIRST_PAGE, parentIds: [id] })).toEqual([]);
  expect(asked()).toBe(1);
});

test('P13: a page that fails is read again by a thread, and so are the next ones', async () => {
  const { file, id } = await listed();
  const empty = pagesOf(await freshFile());
  expect(await empty.ids()).toEqual([]);
  expect(empty.asked()).toBe(1);
  const { ids, asked } = pagesOf(file);
  rawly(file, (database) => database.exec('ALTER TABLE conversations DROP COLUMN kept'));
  rawly(file, (database) =>
    database.exec('DELETE FROM conv_schema WHERE version = (SELECT max(version) FROM conv_schema)'),
  );
  for (let page = 0; page < 5; page++) expect(await ids()).toEqual([id]);
  expect(asked()).toBe(5);
});

test('a thread opens a database with large files beside it, and later pages are read at once', async () => {
  const { file, author } = await killed(3);
  truncateSync(`${file}-ends`, 64 * 1024);
  const { ids, asked } = pagesOf(file);
  for (let page = 0; page < 60; page++) expect(await ids()).toContain(author.id);
  expect(asked()).toBeGreaterThan(0);
  expect(asked()).toBeLessThan(40);
});

test('a store that lists conversations starts no thread, and sees what is stored in between', async () => {
  const { file } = await listed();
  let started = 0;
  const count = (): void => void started++;
  process.on('worker', count);
  onTestFinished(() => void process.off('worker', count));
  // no page takes long by this clock, however busy the machine is
  const store = await freshStore({ file, platform: { ...systemPlatform, monotonic: () => 0 } });
  expect((await store.list({ total: false })).items).toHaveLength(1);
  expect(started).toBe(0);
  const author = new Author();
  const journal = await store.open(author.id, { owner: 'author' });
  await author.begin(journal);
  expect((await store.list()).items).toHaveLength(2);
  await journal.close();
  await store.delete(author.id);
  expect((await store.list()).items).toHaveLength(1);
  expect(started).toBe(1);
});
