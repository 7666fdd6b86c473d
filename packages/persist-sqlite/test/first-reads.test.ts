import { statSync, truncateSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { toCommitSeq, type JournalReader } from '@conv/core/store';
import { Author, commitIds } from '@conv/testing-harness';
import { expect, onTestFinished, test } from 'vitest';
import { betterSqlite3, type SqliteStore } from '../src/index.ts';
import { freshFile, freshStore } from './fresh-folder.ts';
import { killed } from './left-files.ts';
import { rawly } from './raw-database.ts';

/** Resolves with a conversation in a file that no process has open. */
async function written(characters = 3): Promise<{ readonly file: string; readonly author: Author }> {
  const store = await freshStore();
  const author = new Author();
  const journal = await store.open(author.id, { owner: 'author' });
  await author.begin(journal);
  for (let at = 0; at < 3; at++) await author.say(journal, `message ${at}`.padEnd(characters * 1024));
  await journal.close();
  await store.close();
  return { file: store.file, author };
}

/** Counts the threads that are started from now on. */
function threads(): () => number {
  let started = 0;
  const count = (): void => void started++;
  process.on('worker', count);
  onTestFinished(() => void process.off('worker', count));
  return () => started;
}

async function readerOf(store: SqliteStore, id: string): Promise<JournalReader> {
  const reader = await store.read(id);
  if (!reader) throw new Error('the conversation is not there');
  return reader;
}

test('a store that reads one conversation starts no thread, and leaves no file behind', async () => {
  const { file, author } = await written();
  const started = threads();
  const store = await freshStore({ file });
  const reader = await readerOf(store, author.id);
  expect(await commitIds(reader)).toEqual(author.ids);
  expect(await reader.snapshot()).toBeUndefined();
  expect(await reader.verify?.(0, reader.end.seq)).toBeGreaterThan(0);
  expect(started()).toBe(0);
  await store.close();
  const left = ['-wal', '-shm', '-ends'].filter((end) => statSync(file + end, { throwIfNoEntry: false }));
  expect(left).toEqual([]);
});

test('a store that opens one conversation for writing starts one thread', async () => {
  const { file, author } = await written();
  const started = threads();
  const store = await freshStore({ file });
  const journal = await store.open(author.id, { owner: 'next' });
  expect(await commitIds(journal)).toEqual(author.ids);
  await author.say(journal, 'more');
  expect(await commitIds(journal)).toEqual(author.ids);
  await expect.poll(started).toBe(1);
});

test.each([
  ['many', 3, 32],
  ['large', 600, 6],
])('a thread reads after the first reads: %s', async (_, characters, reads) => {
  const { file, author } = await written(characters);
  const started = threads();
  const store = await freshStore({ file });
  const reader = await readerOf(store, author.id);
  expect(started()).toBe(0);
  for (let read = 0; read < reads; read++) expect(await commitIds(reader)).toEqual(author.ids);
  expect(started()).toBe(1);
});

test('a thread reads with another driver, and where the files beside the database are large', async () => {
  const { file, author } = await killed(3);
  truncateSync(`${file}-ends`, 64 * 1024);
  const another = await written();
  const started = threads();
  const store = await freshStore({ file });
  expect(await commitIds(await readerOf(store, author.id))).toEqual(author.ids);
  expect(started()).toBe(1);
  const other = await freshStore({ file: another.file, driver: betterSqlite3 });
  expect(await other.read(author.id)).toBeUndefined();
  expect(started()).toBe(2);
});

test('P13: a first read that fails is done again by a thread, whose error counts', async () => {
  const { file, author } = await written();
  rawly(file, (database) => database.exec('DROP TABLE spans'));
  const store = await freshStore({ file });
  await expect(store.read(author.id)).rejects.toMatchObject({ code: 'CORRUPT' });
  const missing = await freshStore({ file: await freshFile() });
  expect(await missing.read(author.id)).toBeUndefined();
});

test('P4: a first read names the commits that are damaged, with and without decoding them', async () => {
  const { file, author } = await written();
  rawly(file, (database) => database.exec(`UPDATE commits SET body = replace(body, 'message 1', 'message 9')`));
  const store = await freshStore({ file });
  const [read, verified] = [await readerOf(store, author.id), await readerOf(store, author.id)];
  await commitIds(read);
  await verified.verify?.(0, verified.end.seq);
  expect(verified.damage).toEqual(read.damage);
  expect(read.damage).toMatchObject([{ from: toCommitSeq(2), to: toCommitSeq(2) }]);
});

test('the time of change in lists is that of the newest commit when the conversation is closed', async () => {
  const store = await freshStore();
  const author = new Author();
  const journal = await store.open(author.id, { owner: 'author' });
  await author.begin(journal);
  const begun = Date.now();
  while (Date.now() <= begun) await nextTurn();
  const before = new Date().toISOString();
  await author.say(journal, 'later');
  const changed = async (): Promise<string | undefined> => (await store.list()).items[0]?.updatedAt;
  expect(Date.parse((await changed()) ?? '')).toBeGreaterThan(Date.parse(before) - 2000);
  await journal.close();
  expect((await changed())?.localeCompare(before)).toBeGreaterThanOrEqual(0);
});

test('the time of change in lists is that of the newest commit after a heartbeat', async () => {
  const store = await freshStore({ leaseTimeout: 100 });
  const authors = [new Author(), new Author()];
  const before = new Map<string, string>();
  for (const author of authors) {
    const journal = await store.open(author.id, { owner: 'author' });
    await author.begin(journal);
    const begun = Date.now();
    while (Date.now() <= begun) await nextTurn();
    before.set(author.id, new Date().toISOString());
    await author.say(journal, 'later');
  }
  const areBehind = async (): Promise<boolean> =>
    (await store.list()).items.some(({ id, updatedAt }) => updatedAt < (before.get(id) ?? ''));
  await expect.poll(areBehind, { interval: 20 }).toBe(false);
});

test('a thread brings an older schema to the newest version', async () => {
  const { file, author } = await written();
  rawly(file, (database) => {
    database.exec('ALTER TABLE conversations DROP COLUMN kept');
    database.exec('DELETE FROM conv_schema WHERE version = (SELECT max(version) FROM conv_schema)');
  });
  const started = threads();
  const store = await freshStore({ file });
  expect(await commitIds(await readerOf(store, author.id))).toEqual(author.ids);
  expect(started()).toBe(1);
});

test('a thread reads after large snapshots', async () => {
  const { file, author } = await written();
  const store = await freshStore({ file });
  const journal = await store.open(author.id, { owner: 'next' });
  await journal.saveSnapshot({ seq: journal.end.seq, version: 1, data: { text: 'x'.repeat(1024 * 1024) } });
  const started = threads();
  for (let read = 0; read < 3; read++) expect((await journal.snapshot())?.seq).toBe(journal.end.seq);
  expect(started()).toBe(1);
});
