import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { toCommitSeq, type JournalReader } from '@conv/core/store';
import { describe, expect, test, vi } from 'vitest';
import { Author, commitIds } from '@conv/testing-harness';
import { freshFile, freshStore } from './fresh-folder.ts';
import { flip, killed, leftBy } from './left-files.ts';
import { lostOf, openedBoth, takenOver } from './opened-both.ts';

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
  });

  test('a deleted conversation does not count as lost', async () => {
    const { file, author } = await killed(3, 100);
    const store = await freshStore({ file });
    await vi.waitFor(() => store.delete(author.id), { timeout: 100_000, interval: 20 });
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
      const copy = await leftBy(store);
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
