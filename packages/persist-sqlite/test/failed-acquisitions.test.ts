import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { systemPlatform } from '@conv/core/platform';
import { Author, commitIds } from '@conv/testing-harness';
import { expect, onTestFinished, test, vi } from 'vitest';
import { FirstReads } from '../src/database/first-reads.ts';
import type { CallMessage } from '../src/database/serve-database.ts';
import { nodeSqlite } from '../src/index.ts';
import { expireOwners } from './expire-owners.ts';
import { beforeFlushes } from './failing-flush.ts';
import { freshFolder, freshStore } from './fresh-folder.ts';
import { flushFast, threads, written } from './owned-here.ts';

/** Damages the schema, as another program could, with or without an empty log. Returns a function that mends it. */
function damageSchema(file: string, log: 'with frames' | 'empty' = 'with frames'): () => void {
  // newer versions of Node refuse to change the schema by hand, unless they are told otherwise
  const raw: DatabaseSync & { readonly enableDefensive?: (isOn: boolean) => void } = new DatabaseSync(file);
  onTestFinished(() => raw.close());
  raw.enableDefensive?.(false);
  raw.exec('PRAGMA writable_schema = ON');
  const version = Number(raw.prepare('PRAGMA schema_version').get()?.['schema_version']);
  const sql = String(raw.prepare("SELECT sql FROM sqlite_schema WHERE name = 'spans_by_log'").get()?.['sql']);
  const set = (text: string, at: number): void => {
    raw.prepare("UPDATE sqlite_schema SET sql = ? WHERE name = 'spans_by_log'").run(text);
    raw.exec(`PRAGMA schema_version = ${at}`);
  };
  set('damaged', version + 1);
  if (log === 'empty') raw.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  return () => set(sql, version + 2);
}

test.each(['with frames', 'empty'] as const)(
  'P1: a connection that may have stopped to flush writes nothing more: log %s',
  async (log) => {
    const { file, author } = await written();
    const settings = { file, driver: nodeSqlite, busyTimeout: 0, readOnly: false, leaseTimeout: 15_000, held: [] };
    const first = new FirstReads({ ...settings, token: 'ours' }, systemPlatform);
    onTestFinished(() => first.close());
    const writes = first.writes(false);
    const mend = damageSchema(file, log);
    const summary = [null, 'idle', new Date(0).toISOString(), '{}', null, null] as never;
    expect(() => writes.acquire({ id: author.id, create: 'never', owner: 'x', summary }, [])).toThrow('malformed');
    expect(writes.isBroken).toBe(true);
    mend();
    expect(first.writes(false).isBroken).toBe(false);
    expect(first.open().get('PRAGMA synchronous')).toEqual({ synchronous: 2 });
  },
);

test('P1: commits behind an acquisition that met a damaged schema are written by the thread', async () => {
  const { file, author } = await written();
  let now = 1000;
  const store = await freshStore({ file, platform: { ...systemPlatform, monotonic: () => (now += 0.5) } });
  await (await store.read(author.id))?.close();
  const mend = damageSchema(file);
  await expect(store.open(author.id, { owner: 'next' })).rejects.toMatchObject({ code: 'CORRUPT' });
  mend();
  const journal = await store.open(author.id, { owner: 'next' });
  const posted = vi.spyOn(Worker.prototype, 'postMessage');
  onTestFinished(() => posted.mockRestore());
  for (let at = 0; at < 5; at++) {
    flushFast();
    await author.say(journal, 'goes on');
  }
  expect(posted.mock.calls.filter(([message]) => (message as CallMessage).name === 'append')).toHaveLength(5);
  expect(await commitIds(journal)).toEqual(author.ids);
});

test('P3: a conversation that is deleted during the flush of its acquisition does not come back', async () => {
  const { file, author } = await written();
  const [other, keeps] = [await freshStore({ file }), await freshStore({ file })];
  await keeps.list();
  beforeFlushes(async () => {
    await expireOwners(file, nodeSqlite);
    await other.delete(author.id);
  });
  const store = await freshStore({ file });
  await expect(store.open(author.id, { owner: 'slow', create: 'never' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await Promise.all([store.close(), other.close()]);
  const next = await freshStore({ file });
  expect((await next.list()).items).toEqual([]);
  await expect(next.open(author.id, { owner: 'next', create: 'never' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('P1: what a failed flush may have lost is written again before the conversation is owned', async () => {
  const { file, author } = await written();
  const salt = (): string => readFileSync(`${file}-wal`).toString('hex', 16, 24);
  let before = '';
  beforeFlushes(async () => {
    before = salt();
    throw new Error('EIO: i/o error, fdatasync');
  });
  const store = await freshStore({ file });
  const journal = await store.open(author.id, { owner: 'next' });
  // the log was begun anew, behind a flush of the database that has its pages
  expect(before).not.toBe('');
  expect(salt()).not.toBe(before);
  await author.say(journal, 'goes on');
  expect(await commitIds(journal)).toEqual(author.ids);
});

test('P1: an opening rejects UNAVAILABLE while what a failed flush may have lost cannot be written again', async () => {
  const { file, author } = await written();
  const reader = new DatabaseSync(file);
  onTestFinished(() => reader.close());
  let fails = true;
  beforeFlushes(async () => {
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM conversations').get();
    if (fails) throw new Error('EIO: i/o error, fdatasync');
  });
  const store = await freshStore({ file, busyTimeout: 20 });
  for (let time = 0; time < 2; time++)
    await expect(store.open(author.id, { owner: 'next' })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  fails = false;
  reader.exec('COMMIT');
  await author.say(await store.open(author.id, { owner: 'next' }), 'goes on');
});

test('P2: a store whose flushes fail does not refuse its own conversations, opened at once', async () => {
  const { file, author } = await written();
  const second = new Author();
  const maker = await freshStore({ file });
  await second.begin(await maker.open(second.id, { owner: 'author' }));
  await maker.close();
  beforeFlushes(async () => {
    throw new Error('EIO: i/o error, fdatasync');
  });
  const store = await freshStore({ file });
  const opened = [author, second].map(async ({ id }) => (await store.open(id, { owner: 'next' })).lost.aborted);
  expect(await Promise.all(opened)).toEqual([false, false]);
});

test('an owner of a database that is named by a link is acquired once, without a thread', async () => {
  const folder = await freshFolder();
  for (const name of ['real', 'here']) mkdirSync(join(folder, name));
  const { file, author } = await written({ file: join(folder, 'real/conversations.db') });
  const link = join(folder, 'here/conversations.db');
  symlinkSync(file, link);
  const started = threads();
  const setTimer: typeof systemPlatform.setTimer = (milliseconds, work, timer) =>
    systemPlatform.setTimer(timer?.background ? Infinity : milliseconds, work);
  const store = await freshStore({ file: link, platform: { ...systemPlatform, setTimer } });
  expect((await store.open(author.id, { owner: 'next' })).epoch).toBe(2);
  expect(started()).toBe(0);
});

test('P1: the name of a new log is flushed with its first frames, and that of an older one is not', async () => {
  const { file, author } = await written();
  const second = new Author();
  const maker = await freshStore({ file });
  await second.begin(await maker.open(second.id, { owner: 'author' }));
  await maker.close();
  let flushes = 0;
  beforeFlushes(async () => void flushes++, 'fsync');
  for (const { id } of [author, second]) {
    const store = await freshStore({ file });
    await store.open(id, { owner: 'next' });
    expect(flushes).toBe(1);
  }
});
