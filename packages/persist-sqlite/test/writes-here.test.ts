import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { systemPlatform, type Platform } from '@conv/core/platform';
import type { Journal } from '@conv/core/store';
import { Author, commitIds } from '@conv/testing-harness';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { CallMessage } from '../src/database/serve-database.ts';
import { freshStore } from './fresh-folder.ts';
import { flushFast, owned, threads, written } from './owned-here.ts';
import { rawly } from './raw-database.ts';

test('an owner opens, reads and appends one commit after the other without a thread', async () => {
  const { author, journal, started } = await owned();
  for (let at = 0; at < 10; at++) await author.say(journal, `message ${at}`);
  expect(await commitIds(journal)).toEqual(author.ids);
  expect(started()).toBe(0);
});

test('the thread of an owner starts soon by itself', async () => {
  const { started } = await owned({ platform: systemPlatform });
  await expect.poll(started).toBe(1);
});

test('P1: commits of the thread and of the caller follow each other, and all are there later', async () => {
  const { store, author, journal, takes, started } = await owned();
  for (let round = 0; round < 5; round++) {
    for (let at = 0; at < 5; at++) await author.say(journal, `alone ${at}`);
    takes(round % 2 === 0 ? 5 : 0.01);
    await Promise.all([author.say(journal, 'together'), author.say(journal, 'with another')]);
    await author.change(journal, { set: { title: `title ${round}` } });
  }
  expect(started()).toBe(1);
  await store.close();
  const next = await freshStore({ file: store.file });
  expect(await commitIds(await next.open(author.id, { owner: 'later' }))).toEqual(author.ids);
  expect((await next.list()).items[0]).toMatchObject({ title: 'title 4' });
  expect(await next.integrityCheck()).toEqual([]);
});

test('a list has a title that was changed, and changed back, by the thread and by the caller in turns', async () => {
  const { store, author, journal, takes } = await owned();
  for (const [title, time] of [
    ['one', 0.5],
    ['two', 5],
    ['one', 0.01],
    ['two', 5],
    ['one', 0.01],
  ] as const) {
    takes(time);
    for (let at = 0; at < 4; at++) await author.say(journal, 'in between');
    await author.change(journal, { set: { title } });
    expect((await store.list()).items[0]?.title).toBe(title);
  }
});

test('P2: an owner without a thread keeps a living heartbeat from the moment its thread starts', async () => {
  const { store, author, journal } = await owned({ leaseTimeout: 100, platform: systemPlatform });
  const beat = (): unknown =>
    rawly(store.file, (database) => database.prepare('SELECT max(renewed_at) AS at FROM owners').get()?.['at']);
  const first = beat();
  await expect.poll(beat).not.toBe(first);
  const other = await freshStore({ file: store.file, leaseTimeout: 100 });
  await expect(other.open(author.id, { owner: 'other' })).rejects.toMatchObject({ code: 'OWNED' });
  await author.say(journal, 'still ours');
  expect(journal.lost.aborted).toBe(false);
});

test('P2: a conversation that is owned, and one of another store, are refused although no thread was asked', async () => {
  const { store, author } = await owned();
  await expect(store.open(author.id, { owner: 'again' })).rejects.toMatchObject({ code: 'OWNED' });
  const other = await freshStore({ file: store.file });
  await expect(other.open(author.id, { owner: 'other' })).rejects.toMatchObject({ code: 'OWNED' });
});

test('P2: conversations that were opened at once are owned by the store, also after heartbeats', async () => {
  const { file, author } = await written();
  const second = new Author();
  const maker = await freshStore({ file });
  const made = await maker.open(second.id, { owner: 'author' });
  await second.begin(made);
  await maker.close();
  const store = await freshStore({ file, leaseTimeout: 100 });
  const journals = await Promise.all([author, second].map(({ id }) => store.open(id, { owner: 'next' })));
  const beats = (): unknown =>
    rawly(file, (database) => database.prepare('SELECT max(renewed_at) AS at FROM owners').get()?.['at']);
  for (let beat = 0; beat < 2; beat++) {
    const last = beats();
    await expect.poll(beats).not.toBe(last);
  }
  expect(journals.map(({ lost }) => lost.aborted)).toEqual([false, false]);
  await Promise.all([author.say(journals[0] as Journal, 'one'), second.say(journals[1] as Journal, 'two')]);
});

test('P2: a commit in the calling thread rejects FENCED after a takeover', async () => {
  const { store, author, journal, started } = await owned();
  await author.say(journal, 'ours');
  rawly(store.file, (raw) => raw.exec(`UPDATE conversations SET epoch = epoch + 1 WHERE id = '${author.id}'`));
  await expect(author.say(journal, 'late')).rejects.toMatchObject({ code: 'FENCED' });
  expect(journal.lost.reason).toMatchObject({ code: 'FENCED' });
  expect(started()).toBe(0);
});

test('P1: a commit waits in the thread while another program writes, and is stored once', async () => {
  const { store, author, journal, started } = await owned();
  const raw = new DatabaseSync(store.file);
  raw.exec('BEGIN IMMEDIATE');
  const said = author.say(journal, 'waits');
  await expect.poll(started).toBe(1);
  raw.exec('ROLLBACK');
  raw.close();
  await said;
  expect(await commitIds(journal)).toEqual(author.ids);
});

test('P2: an acquisition waits in the thread while another program writes', async () => {
  const { file, author } = await written();
  const raw = new DatabaseSync(file);
  raw.exec('BEGIN IMMEDIATE');
  const store = await freshStore({ file });
  const opened = store.open(author.id, { owner: 'next' });
  raw.exec('ROLLBACK');
  raw.close();
  const journal = await opened;
  await author.say(journal, 'mine');
  expect(await commitIds(journal)).toEqual(author.ids);
});

test('P1: a large commit, and commits after a slow one, are written by the thread', async () => {
  const { author, journal, started, takes } = await owned();
  takes(5);
  await author.say(journal, 'slow');
  expect(started()).toBe(0);
  await author.say(journal, 'behind the slow one');
  expect(started()).toBe(1);
  const other = await owned();
  await other.author.say(other.journal, 'x'.repeat(300_000));
  expect(other.started()).toBe(1);
});

test('an append just behind the opening is written at once', async () => {
  const { file, author } = await written();
  const started = threads();
  let now = 1000;
  const platform: Platform = {
    ...systemPlatform,
    monotonic: () => (now += 0.1),
    setTimer: (milliseconds, work, timer) => systemPlatform.setTimer(timer?.background ? Infinity : milliseconds, work),
  };
  const store = await freshStore({ file, platform });
  flushFast();
  const journal = await store.open(author.id, { owner: 'next' });
  await author.say(journal, 'at once');
  expect(started()).toBe(0);
});

test('a late time of change does not replace a newer one, which was written at once', async () => {
  const { file, author } = await written();
  let [clock, now] = [1000, Date.UTC(2027, 0, 1)];
  let late = (): void => {};
  const platform: Platform = {
    ...systemPlatform,
    now: () => now,
    monotonic: () => (clock += 0.001),
    setTimer: (milliseconds, work, timer) => {
      if (timer?.background && milliseconds > 1000) late = work;
      return systemPlatform.setTimer(timer?.background ? Infinity : milliseconds, work);
    },
  };
  const store = await freshStore({ file, platform });
  const journal = await store.open(author.id, { owner: 'next' });
  const passes = (milliseconds: number): void => {
    clock += milliseconds;
    now += milliseconds;
    flushFast();
  };
  for (const [milliseconds, text] of [
    [10, 'due'],
    [500, 'noted for later'],
  ] as const) {
    passes(milliseconds);
    await author.say(journal, text);
  }
  late();
  passes(4500);
  await author.say(journal, 'due while the thread starts');
  // behind the times in the thread
  await journal.saveSnapshot({ seq: journal.end.seq, version: 1, data: {} });
  const newest = new Date(now).toISOString();
  expect((await store.list()).items[0]?.updatedAt).toBe(newest);
  await journal.close();
  expect((await store.list()).items[0]?.updatedAt).toBe(newest);
});

test('commits are written by the thread while it moves a long log into the database', async () => {
  const { author, journal } = await owned();
  const posted = vi.spyOn(Worker.prototype, 'postMessage');
  onTestFinished(() => posted.mockRestore());
  const calls = (): readonly string[] => posted.mock.calls.map(([message]) => (message as CallMessage).name);
  while (calls().length === 0) await author.say(journal, 'x'.repeat(100_000));
  expect(calls()).toEqual(['checkpoint']);
  await author.say(journal, 'behind it');
  expect(calls()).toEqual(['checkpoint', 'append']);
  expect(await commitIds(journal)).toEqual(author.ids);
});
