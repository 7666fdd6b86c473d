import { randomUUID } from 'node:crypto';
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { projections, foldJournal } from '@conv/core';
import { toCommitSeq, type Journal, type JournalReader } from '@conv/core/store';
import { describe, expect, test, vi } from 'vitest';
import { readMarks } from '../src/database/end-marks.ts';
import type { SqliteStore } from '../src/index.ts';
import { Author, commitIds } from '@conv/testing-harness';
import { faultyDriver, type Fault } from './faulty-driver.ts';
import { freshFile, freshFolder, freshStore } from './fresh-folder.ts';
import { Writer } from './writer.ts';

/**
 * Makes the files that a killed process leaves: an owner that acknowledged everything, its write-ahead log and the files beside
 * it.
 */
async function killed(
  messages: number,
  leaseTimeout = 15_000,
): Promise<{ readonly file: string; readonly author: Author }> {
  const made = await freshStore();
  await (await made.open(randomUUID(), { owner: 'makes the database' })).close();
  await made.close();
  const store = await freshStore({ file: made.file, leaseTimeout });
  const author = new Author();
  const journal = await store.open(author.id, { owner: 'author' });
  await author.begin(journal);
  await author.change(journal, { set: { confirmationPolicy: { kind: 'NeverConfirm' } } });
  for (let at = 0; at < messages; at++) await author.say(journal, `message ${at}`);
  await author.change(journal, { set: { confirmationPolicy: { kind: 'AlwaysConfirm' } } });
  const file = await freshFile();
  for (const end of ['', '-wal', '-ends', '-kept']) copyFileSync(store.file + end, file + end);
  return { file, author };
}

/** Opens a conversation as soon as its owner counts as gone. */
function takenOver(store: SqliteStore, id: string, owner: string): Promise<Journal> {
  return vi.waitFor(() => store.open(id, { owner }), { timeout: 20_000, interval: 20 });
}

function flip(file: string, offset: number): void {
  const bytes = readFileSync(file);
  bytes[offset] = (bytes[offset] ?? 0) ^ 1;
  writeFileSync(file, bytes);
}

/** Returns the numbers of the commits that a reader names as lost. */
function lostOf(reader: JournalReader): readonly number[] {
  return reader.damage.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, step) => from + step));
}

/** Reads with a read-only store and with a writing store, and compares their results. Resolves with the common result. */
async function openedBoth(
  file: string,
  id: string,
): Promise<{ readonly ids: readonly string[]; readonly lost: readonly number[]; readonly policy: unknown }> {
  const reading = await freshStore({ file, readOnly: true });
  const reader = (await reading.read(id)) as JournalReader;
  const seen = { ids: await commitIds(reader), lost: lostOf(reader) };
  await reading.close();
  const store = await freshStore({ file });
  const again = (await store.read(id)) as JournalReader;
  const { fields } = await foldJournal(again);
  const found = { ids: await commitIds(again), lost: lostOf(again) };
  expect(found).toEqual(seen);
  await store.close();
  return { ...found, policy: fields.confirmationPolicy['kind'] };
}

/** Leaves the files of an owner whose last change met a fault of its COMMIT, and tells where this change begins in the log. */
async function settled(
  fault: Fault,
): Promise<{ readonly file: string; readonly author: Author; readonly change: number }> {
  const folder = await freshFolder();
  const store = await freshStore({ file: join(folder, 'conversations.db'), driver: faultyDriver({ folder }) });
  const author = new Author();
  const journal = await store.open(author.id, { owner: 'author' });
  await author.begin(journal);
  await author.change(journal, { set: { confirmationPolicy: { kind: 'NeverConfirm' } } });
  const { length: change } = readFileSync(`${store.file}-wal`);
  writeFileSync(join(folder, 'fault'), fault);
  await author.change(journal, { set: { confirmationPolicy: { kind: 'AlwaysConfirm' } } });
  const file = await freshFile();
  for (const end of ['', '-wal', '-ends', '-kept']) copyFileSync(store.file + end, file + end);
  return { file, author, change };
}

test('P4: settings whose COMMIT was found out to be stored are proved by their line alone', async () => {
  const { file, author, change } = await settled('answerLost');
  flip(`${file}-wal`, change + 100);
  for (let mark = 64; mark < readFileSync(`${file}-ends`).length; mark += 64) flip(`${file}-ends`, mark + 20);
  expect(await openedBoth(file, author.id)).toEqual({
    ids: author.ids.slice(0, 2),
    lost: [2],
    policy: 'AlwaysConfirm',
  });
});

test.each(['answerLost', 'endsAfter'] as const)(
  'P4: a COMMIT that was found out to be stored leaves a mark and a line with its settings: %s',
  async (fault) => {
    const { file, author } = await settled(fault);
    const { marks = [], kept = new Map<number, string>() } = readMarks(file) ?? {};
    const mark = marks.find(({ id }) => id === author.id);
    expect(mark).toMatchObject({ seq: 3 });
    expect(kept.get(mark?.key ?? 0)).toContain('AlwaysConfirm');
  },
);

describe('P4: acknowledged commits that SQLite drops from its write-ahead log', () => {
  test('lost commits are named when one bit of the log was flipped, and the policy is the strictest', async () => {
    const { file, author } = await killed(20);
    flip(`${file}-wal`, readFileSync(`${file}-wal`).length >> 1);
    const { ids, lost, policy } = await openedBoth(file, author.id);
    expect(ids.length).toBeGreaterThan(0);
    expect(lost.length).toBeGreaterThan(0);
    expect(ids).toEqual(author.ids.slice(0, ids.length));
    expect(lost).toEqual(author.ids.map((_, seq) => seq).slice(ids.length));
    expect(policy).toBe('AlwaysConfirm');
  });

  test.each([0, 5, 20, 28, 33, 56])('lost commits are named when byte %i of the marks was damaged', async (byte) => {
    const { file, author } = await killed(20);
    flip(`${file}-wal`, readFileSync(`${file}-wal`).length >> 1);
    flip(`${file}-ends`, byte);
    const { ids, lost, policy } = await openedBoth(file, author.id);
    expect(lost.length).toBeGreaterThan(0);
    expect(lost).toEqual(author.ids.map((_, seq) => seq).slice(ids.length));
    expect(policy).toBe('AlwaysConfirm');
  });

  test('no commit is named beside a whole log when the header of the marks was damaged', async () => {
    const { file, author } = await killed(5);
    flip(`${file}-ends`, 20);
    expect(await openedBoth(file, author.id)).toMatchObject({ ids: author.ids, lost: [] });
  });

  test('lost commits are named when the flipped bit is in the last transaction', async () => {
    const { file, author } = await killed(5);
    flip(`${file}-wal`, readFileSync(`${file}-wal`).length - 100);
    const { lost, policy } = await openedBoth(file, author.id);
    expect(lost).toEqual([7]);
    expect(policy).toBe('AlwaysConfirm');
  });

  test('lost commits are named when the head of the log was damaged, so that SQLite drops all of it', async () => {
    const { file, author } = await killed(5);
    flip(`${file}-wal`, 20);
    const store = await freshStore({ file });
    const journal = await takenOver(store, author.id, 'next');
    const { fields } = await foldJournal(journal);
    expect(await commitIds(journal)).toEqual([]);
    expect(lostOf(journal)).toEqual(author.ids.map((_, seq) => seq));
    expect(fields.confirmationPolicy).toEqual({ kind: 'AlwaysConfirm' });
  });

  test('lost commits stay named after the next owner has written after them', async () => {
    const { file, author } = await killed(6, 100);
    flip(`${file}-wal`, readFileSync(`${file}-wal`).length >> 1);
    const first = await openedBoth(file, author.id);
    const store = await freshStore({ file });
    const journal = await takenOver(store, author.id, 'third');
    const { seq } = await author.say(journal, 'goes on');
    expect(seq).toBe(9);
    await commitIds(journal);
    expect(lostOf(journal)).toEqual(first.lost);
    const problems = await store.integrityCheck();
    expect(problems.map(({ problem }) => problem)).toEqual([expect.stringContaining('missing')]);
    expect((await store.check(author.id)).findings.map(({ severity }) => severity)).toContain('lost');
  });

  test('lost commits are named when the log of a killed process was cut or removed', async () => {
    for (const harm of [(wal: string) => truncateSync(wal, 32 + 24 + 4096), (wal: string) => rmSync(wal)]) {
      const [file, id] = [await freshFile(), randomUUID()];
      const before = await freshStore({ file });
      await (await before.open(id, { owner: 'makes it' })).close();
      await before.close();
      const writer = new Writer(file, id, Infinity);
      await writer.until(({ length }) => length > 12);
      await writer.kill();
      harm(`${file}-wal`);
      const store = await freshStore({ file });
      const journal = await store.open(id, { owner: 'next' });
      const found = await commitIds(journal);
      expect(journal.end.seq).toBeGreaterThanOrEqual(writer.acknowledged.length);
      expect(found.length + lostOf(journal).length).toBe(journal.end.seq);
      await store.close();
    }
  });

  test('lost commits are named when they include the making of the conversation', async () => {
    const [file, id, other] = [await freshFile(), randomUUID(), randomUUID()];
    const before = await freshStore({ file });
    await (await before.open(other, { owner: 'makes the database' })).close();
    await before.close();
    const writer = new Writer(file, id, Infinity);
    await writer.until(({ length }) => length > 6);
    await writer.kill();
    rmSync(`${file}-wal`);
    const reading = await freshStore({ file, readOnly: true });
    await expect(reading.read(id)).rejects.toThrow(/CORRUPT.*had \d+ commits/);
    await reading.close();
    const store = await freshStore({ file });
    expect((await store.list()).items.map((item) => item.id)).toContain(id);
    const reader = await store.read(id);
    expect(reader && (await commitIds(reader))).toEqual([]);
    expect(reader && lostOf(reader).length).toBeGreaterThanOrEqual(writer.acknowledged.length);
  });
});

test('P4: settings of commits that SQLite drops are known from the copy beside the database', async () => {
  const made = await freshStore();
  await (await made.open(randomUUID(), { owner: 'makes the database' })).close();
  await made.close();
  const store = await freshStore({ file: made.file });
  const author = new Author();
  const journal = await store.open(author.id, { owner: 'author' });
  await author.begin(journal);
  await author.change(journal, { set: { maxIterations: 7, hookConfig: { stop: [] } } });
  await author.say(journal, 'behind');
  const file = await freshFile();
  for (const end of ['', '-wal', '-ends', '-kept']) copyFileSync(store.file + end, file + end);
  flip(`${file}-wal`, 60);
  const opened = await freshStore({ file });
  const { fields } = await projections.readState((await opened.read(author.id)) as JournalReader);
  expect(fields).toMatchObject({ damaged: true, maxIterations: 7, hookConfig: { stop: [] } });
});

describe('P4: when the mark of a conversation is damaged, too', () => {
  const harms: readonly (readonly [string, (ends: string) => void])[] = [
    ['by one bit', (ends) => flip(ends, 2 * 64 + 30)],
    ['by the loss of its file', (ends) => rmSync(ends)],
    ['by a cut in its middle', (ends) => truncateSync(ends, 2 * 64 + 20)],
    ['by a cut in front of all marks', (ends) => truncateSync(ends, 11)],
  ];

  test.each(harms)('%s, the copy of the settings proves the lost commits up to it', async (_, harm) => {
    const { file, author } = await killed(8);
    flip(`${file}-wal`, readFileSync(`${file}-wal`).length >> 1);
    harm(`${file}-ends`);
    const { ids, lost, policy } = await openedBoth(file, author.id);
    expect(lost.length).toBeGreaterThan(0);
    expect(ids).toEqual(author.ids.filter((_id, seq) => !lost.includes(seq)));
    expect(policy).toBe('AlwaysConfirm');
  });
});

describe('what is no loss', () => {
  test('a copy made during a write, whose log ends early, opens without damage', async () => {
    const { file, author } = await killed(10);
    const wal = readFileSync(`${file}-wal`);
    const frames = (wal.length - 32) / (24 + 4096);
    for (const length of [wal.length - 1, 32 + (frames - 9) * (24 + 4096), 32 + (frames - 20) * (24 + 4096) + 77]) {
      const copy = await freshFile();
      copyFileSync(file, copy);
      copyFileSync(`${file}-ends`, `${copy}-ends`);
      writeFileSync(`${copy}-wal`, wal.subarray(0, length));
      const { ids, lost } = await openedBoth(copy, author.id);
      expect(lost).toEqual([]);
      expect(ids).toEqual(author.ids.slice(0, ids.length));
    }
  });

  test('a backup in the place of its source is not compared with later marks of the source', async () => {
    const { file, author } = await killed(3, 100);
    const store = await freshStore({ file });
    const backup = await freshFile();
    await store.backup(backup);
    const journal = await takenOver(store, author.id, 'goes on');
    await author.say(journal, 'after the backup');
    const ends = readFileSync(`${file}-ends`);
    await store.close();
    writeFileSync(file, readFileSync(backup));
    writeFileSync(`${file}-ends`, ends);
    const { ids, lost } = await openedBoth(file, author.id);
    expect(lost).toEqual([]);
    expect(ids).toEqual(author.ids.slice(0, -1));
  });

  test('P4: damaged marks prove nothing, and everything is there', async () => {
    const { file, author } = await killed(3);
    const whole = readFileSync(`${file}-ends`);
    for (let offset = 0; offset < whole.length; offset += 5) {
      writeFileSync(`${file}-ends`, whole);
      flip(`${file}-ends`, offset);
      const store = await freshStore({ file });
      const reader = (await store.read(author.id)) as JournalReader;
      expect([await commitIds(reader), lostOf(reader)]).toEqual([author.ids, []]);
      await store.close();
    }
  }, 60_000);

  test('a deleted conversation does not count as lost', async () => {
    const { file, author } = await killed(3, 100);
    const store = await freshStore({ file });
    await vi.waitFor(() => store.delete(author.id), { timeout: 20_000, interval: 20 });
    const copy = await freshFile();
    for (const end of ['', '-wal', '-ends']) copyFileSync(file + end, copy + end);
    const reading = await freshStore({ file: copy });
    expect(await reading.read(author.id)).toBeUndefined();
    expect(await reading.integrityCheck()).toEqual([]);
  });

  test('P4: a deleted conversation does not count as lost even if the place of its mark is damaged', async () => {
    const store = await freshStore();
    const author = new Author();
    const journal = await store.open(author.id, { owner: 'author' });
    await author.begin(journal);
    await journal.close();
    await store.delete(author.id);
    const harms: readonly ((ends: string) => void)[] = [
      (ends) => flip(ends, 70),
      (ends) => truncateSync(ends, 64),
      (ends) => rmSync(ends),
    ];
    for (const harm of harms) {
      const copy = await freshFile();
      for (const end of ['', '-wal', '-ends', '-kept']) copyFileSync(store.file + end, copy + end);
      harm(`${copy}-ends`);
      const reading = await freshStore({ file: copy });
      expect(await reading.read(author.id)).toBeUndefined();
      await reading.close();
    }
  });

  test('a closed database has no files beside it', async () => {
    const { file } = await killed(3);
    const store = await freshStore({ file });
    await store.list();
    expect(existsSync(`${file}-ends`)).toBe(true);
    await store.close();
    expect(readdirSync(dirname(file))).toEqual(['conversations.db']);
  });
});

test('P1: a mark is never ahead of the database that a crash right after it leaves', async () => {
  const store = await freshStore();
  const author = new Author();
  const journal = await store.open(author.id, { owner: 'author' });
  await author.begin(journal);
  for (let round = 0; round < 10; round++) {
    const going = author.say(journal, `message ${round}`);
    const copy = await freshFile();
    copyFileSync(`${store.file}-ends`, `${copy}-ends`);
    copyFileSync(store.file, copy);
    copyFileSync(`${store.file}-wal`, `${copy}-wal`);
    await going;
    const other = await freshStore({ file: copy });
    const found = (await other.read(author.id)) as JournalReader;
    expect(await commitIds(found)).toHaveLength(found.end.seq);
    expect(found.end.seq).toBeGreaterThanOrEqual(toCommitSeq(author.acknowledged.length - 1));
    await other.close();
  }
});

describe('a conversation that is deleted while another process opens the database', () => {
  /** Makes a store that is about to open the database and has read the marks beside it. */
  async function opening(file: string): Promise<{ readonly store: SqliteStore; readonly goOn: () => void }> {
    const folder = dirname(file);
    writeFileSync(`${folder}/hold`, '');
    const store = await freshStore({ file, driver: faultyDriver({ folder }) });
    return { store, goOn: () => rmSync(`${folder}/hold`) };
  }

  test.each([false, true])(
    'P4: a deleted conversation does not count as lost, even when its id is used again: %s',
    async (anew) => {
      const first = await freshStore();
      const author = new Author();
      const journal = await first.open(author.id, { owner: 'author' });
      await author.begin(journal);
      for (let at = 0; at < 5; at++) await author.say(journal, `message ${at}`);
      await journal.close();
      const { store, goOn } = await opening(first.file);
      const listed = store.list();
      await vi.waitUntil(() => existsSync(`${dirname(first.file)}/held`), { timeout: 60_000 });
      await first.delete(author.id);
      if (anew) await (await first.open(author.id, { owner: 'author', create: 'must' })).close();
      goOn();
      expect((await listed).items).toHaveLength(anew ? 1 : 0);
      await store.close();
      const third = await freshStore({ file: first.file });
      const reader = await third.read(author.id);
      expect(reader && { seq: reader.end.seq, lost: lostOf(reader) }).toEqual(anew ? { seq: 0, lost: [] } : undefined);
    },
  );
});
