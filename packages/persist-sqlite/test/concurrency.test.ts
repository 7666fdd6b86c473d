import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { nodeSqlite } from '../src/index.ts';
import { Author, commitIds } from '@conv/testing-harness';
import { expireOwners } from './expire-owners.ts';
import { freshFile, freshStore } from './fresh-folder.ts';
import { rawly } from './raw-database.ts';

/** Holds the write lock, as another process in the middle of a transaction does. */
function lock(file: string): DatabaseSync {
  const database = new DatabaseSync(file);
  onTestFinished(() => database.close());
  database.exec('PRAGMA busy_timeout = 5000; BEGIN IMMEDIATE');
  return database;
}

describe('while another process writes', () => {
  test('P7: reads and lists do not wait for another process that writes, and an append waits for its turn', async () => {
    const store = await freshStore();
    const author = new Author();
    const journal = await store.open(author.id, { owner: 'a' });
    await author.begin(journal);
    const before = author.ids;
    const other = lock(store.file);
    const appended = author.say(journal, 'waits');
    expect(await commitIds(journal)).toEqual(before);
    expect(await store.read(author.id)).toBeDefined();
    expect((await store.list()).items).toHaveLength(1);
    expect(journal.end.seq).toBe(1);
    other.exec('ROLLBACK');
    expect((await appended).seq).toBe(1);
  });

  test('P1: an append that waits too long rejects UNAVAILABLE, is not stored, and the journal continues', async () => {
    const store = await freshStore({ busyTimeout: 20 });
    const author = new Author();
    const journal = await store.open(author.id, { owner: 'a' });
    await author.begin(journal);
    const other = lock(store.file);
    const { fields } = author;
    const refused = journal.append({ id: 'refused', events: [] }, fields);
    await expect(refused).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    other.exec('ROLLBACK');
    await author.say(journal, 'goes on');
    expect(await commitIds(journal)).toEqual(author.ids);
  });
});

describe('two stores on one file in one process', () => {
  test('P2: two stores exclude each other, and see the commits of each other', async () => {
    const one = await freshStore();
    const two = await freshStore({ file: one.file });
    const [first, second] = [new Author(), new Author()];
    const [left, right] = await Promise.all([
      one.open(first.id, { owner: 'one' }),
      two.open(second.id, { owner: 'two' }),
    ]);
    await Promise.all([first.begin(left), second.begin(right)]);
    for (let at = 0; at < 10; at++) await Promise.all([first.say(left, 'l'), second.say(right, 'r')]);
    await expect(two.open(first.id, { owner: 'two' })).rejects.toMatchObject({
      code: 'OWNED',
      owner: { owner: 'one' },
    });
    await expect(one.delete(second.id)).rejects.toMatchObject({ code: 'OWNED', owner: { owner: 'two' } });
    const reader = await two.read(first.id);
    expect(reader && (await commitIds(reader))).toEqual(first.ids);
    await one.close();
    await two.open(first.id, { owner: 'two' });
  });

  test('a list shows the title of the last owner, even if the first owner had set the same before', async () => {
    const one = await freshStore();
    const two = await freshStore({ file: one.file });
    const author = new Author();
    const old = await one.open(author.id, { owner: 'one' });
    await author.begin(old);
    await author.change(old, { set: { title: 'first' } });
    await expireOwners(one.file, nodeSqlite);
    await author.change(await two.open(author.id, { owner: 'two' }), { set: { title: 'second' } });
    await expireOwners(one.file, nodeSqlite);
    await author.change(await one.open(author.id, { owner: 'one' }), { set: { title: 'first' } });
    expect((await two.list()).items[0]?.title).toBe('first');
  });

  test('P7: a commit of one store wakes a watcher of the other store at once', async () => {
    const one = await freshStore();
    const two = await freshStore({ file: one.file, pollInterval: 2 ** 30 });
    const author = new Author();
    const journal = await one.open(author.id, { owner: 'one' });
    await author.begin(journal);
    const reader = await two.read(author.id);
    const seen: string[] = [];
    const watching = (async () => {
      for await (const { id } of reader?.watch(0 as never, new AbortController().signal) ?? []) {
        seen.push(id);
        if (seen.length === 5) break;
        await author.say(journal, 'next');
      }
    })();
    await watching;
    expect(seen).toEqual(author.ids);
  });
});

test('P7: a watch of a conversation that is deleted rejects NOT_FOUND', async () => {
  const one = await freshStore();
  const two = await freshStore({ file: one.file, pollInterval: 10 });
  const author = new Author();
  const journal = await one.open(author.id, { owner: 'one' });
  await author.begin(journal);
  await journal.close();
  const reader = await two.read(author.id);
  const watching = (async () => {
    for await (const commit of reader?.watch(0 as never, new AbortController().signal) ?? []) {
      expect(commit.seq).toBe(0);
      await one.delete(author.id);
    }
  })();
  await expect(watching).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

describe('an owner', () => {
  test('P2: an owner learns by its heartbeat that the file was removed', async () => {
    const store = await freshStore({ leaseTimeout: 100 });
    const journal = await store.open(new Author().id, { owner: 'a' });
    const lost = once(journal.lost, 'abort');
    rmSync(store.file);
    await lost;
    expect(journal.lost.reason).toMatchObject({ code: 'FENCED' });
  });

  test('P2: an owner that appends nothing learns of a takeover by its heartbeat', async () => {
    const store = await freshStore({ leaseTimeout: 100 });
    const author = new Author();
    const journal = await store.open(author.id, { owner: 'a' });
    const lost = once(journal.lost, 'abort');
    rawly(store.file, (database) => database.exec('UPDATE conversations SET epoch = epoch + 1, owner_token = NULL'));
    await lost;
    expect(journal.lost.reason).toMatchObject({ code: 'FENCED' });
    await expect(author.begin(journal)).rejects.toMatchObject({ code: 'FENCED' });
  });

  test('P2: an owner that first only read keeps its conversation for longer than its leaseTimeout', async () => {
    const store = await freshStore({ leaseTimeout: 4_000 });
    const [first, second] = [new Author(), new Author()];
    await first.begin(await store.open(first.id, { owner: 'a' }));
    await store.list();
    const journal = await store.open(second.id, { owner: 'a' });
    await second.begin(journal);
    const renewed = (): unknown =>
      rawly(
        store.file,
        (database) => database.prepare('SELECT renewed_since_boot FROM owners').get()?.['renewed_since_boot'],
      );
    for (let beat = 0; beat < 4; beat++) await expect.poll(renewed).not.toBe(renewed());
    const other = await freshStore({ file: store.file });
    await expect(other.open(second.id, { owner: 'b' })).rejects.toMatchObject({ code: 'OWNED' });
    expect(journal.lost.aborted).toBe(false);
  });

  test('P2: an owner with a fresh heartbeat keeps its conversations for longer than its leaseTimeout', async () => {
    const store = await freshStore({ leaseTimeout: 4_000 });
    const author = new Author();
    const journal = await store.open(author.id, { owner: 'a' });
    await author.begin(journal);
    await expireOwners(store.file, nodeSqlite);
    const renewed = (): unknown =>
      rawly(store.file, (database) => database.prepare('SELECT renewed_at FROM owners').get()?.['renewed_at']);
    await expect.poll(renewed).not.toBe(0);
    const other = await freshStore({ file: store.file });
    await expect(other.open(author.id, { owner: 'b' })).rejects.toMatchObject({ code: 'OWNED' });
    expect(journal.lost.aborted).toBe(false);
  });
});

test('P13: an open store neither keeps a program running nor writes to its console', async () => {
  const file = await freshFile();
  const program = join(import.meta.dirname, 'idle-process.ts');
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, file], {
    encoding: 'utf8',
  });
  expect(stderr.split('\n').filter((line) => line.includes('SQLite'))).toEqual([]);
  expect(stdout).toBe('appended\n');
  expect(status).toBe(0);
  const store = await freshStore({ file });
  const [found] = (await store.list()).items;
  await store.open(found?.id ?? '', { owner: 'next' });
});
