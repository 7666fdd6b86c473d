import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync, truncateSync } from 'node:fs';
import { foldJournal } from '@conv/core';
import { describe, expect, test } from 'vitest';
import { commitIds } from '@conv/testing-harness';
import { freshFile, freshStore } from './fresh-folder.ts';
import { Writer } from './writer.ts';
import { flip, killed } from './left-files.ts';
import { lostOf, openedBoth, takenOver } from './opened-both.ts';

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

  test('P4: lost commits are named when the head of the log was damaged and SQLite drops all of it', async () => {
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
