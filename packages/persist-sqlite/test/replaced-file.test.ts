import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Journal } from '@conv/core/store';
import { Author, commitIds } from '@conv/testing-harness';
import { expect, test } from 'vitest';
import { freshFolder, freshStore } from './fresh-folder.ts';
import { flushFast, owned, written } from './owned-here.ts';
import { rawly } from './raw-database.ts';

/** The database and what is beside it. */
const ENDS = ['', '-wal', '-shm', '-ends', '-kept'];

/** Puts a database in the place of another one, as a backup is restored. The other one stays under another name. */
function replace(file: string, by: string): void {
  for (const end of ENDS) if (existsSync(file + end)) renameSync(file + end, `${file}.away${end}`);
  renameSync(by, file);
}

/** Returns the codes of two appends that are made together. */
async function together(author: Author, journal: Journal): Promise<readonly unknown[]> {
  const appended = await Promise.allSettled([author.say(journal, 'one'), author.say(journal, 'two')]);
  return appended.map((one) => (one.status === 'rejected' ? (one.reason as { code: string }).code : one.value));
}

test('P1: an owner that was acquired here writes nothing into a file that has replaced its own', async () => {
  const { store, author, journal } = await owned();
  const other = await written();
  replace(store.file, other.file);
  const second = await freshStore({ file: store.file });
  const theirs = await second.open(other.author.id, { owner: 'theirs' });
  expect(theirs.epoch).toBe(journal.epoch);
  expect(await together(author, journal)).toEqual(['UNAVAILABLE', 'UNAVAILABLE']);
  await other.author.say(theirs, 'goes on');
  expect(await commitIds(theirs)).toEqual(other.author.ids);
  await second.close();
  const next = await freshStore({ file: store.file });
  expect(await commitIds(await next.open(other.author.id, { owner: 'next' }))).toEqual(other.author.ids);
  expect((await next.list()).items.map(({ id }) => id)).toEqual([other.author.id]);
});

test('P1: an owner that was acquired by the thread writes nothing into a file that has replaced its own', async () => {
  const [store, other] = [await freshStore(), await freshStore()];
  const [author, their] = [new Author(), new Author()];
  const begun = async (one: typeof store, by: Author): Promise<Journal> => {
    const journal = await one.open(by.id, { owner: 'author', create: 'must' });
    await by.begin(journal);
    await by.say(journal, 'second');
    return journal;
  };
  const journal = await begun(store, author);
  await begun(other, their);
  await other.close();
  replace(store.file, other.file);
  flushFast();
  // the third commit in a row is written here
  await expect(author.say(journal, 'third')).rejects.toMatchObject({ code: 'FENCED' });
  const next = await freshStore({ file: store.file });
  expect(await commitIds(await next.open(their.id, { owner: 'next' }))).toEqual(their.ids);
});

test('P2: a heartbeat tells an owner that its file was replaced before a thread was started', async () => {
  const { store, journal, author } = await owned({ leaseTimeout: 100 });
  replace(store.file, (await written()).file);
  await together(author, journal);
  await expect.poll(() => journal.lost.aborted).toBe(true);
});

test('P3: an opening that finds its file replaced leaves the marks and settings of the new file', async () => {
  const { file, author } = await written();
  const other = await written();
  const store = await freshStore({ file });
  await (await store.read(author.id))?.close();
  replace(file, other.file);
  const second = await freshStore({ file });
  const theirs = await second.open(other.author.id, { owner: 'theirs' });
  await other.author.change(theirs, { set: { title: 'kept' } });
  const beside = (): readonly string[] => ['-ends', '-kept'].map((end) => readFileSync(file + end, 'hex'));
  const before = beside();
  await expect(store.open(author.id, { owner: 'next' })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(beside()).toEqual(before);
  const epochs = rawly(`${file}.away`, (raw) => raw.prepare('SELECT epoch FROM conversations').all());
  expect(epochs).toEqual([{ epoch: 1 }]);
});

test('a folder that was removed while a conversation is open is not made again', async () => {
  const folder = join(await freshFolder(), 'project');
  mkdirSync(folder);
  const { store, journal } = await owned({ file: join(folder, 'conversations.db') });
  rmSync(folder, { recursive: true });
  await journal.close();
  await store.close();
  expect(existsSync(folder)).toBe(false);
});
