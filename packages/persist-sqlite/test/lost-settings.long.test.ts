import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projections } from '@conv/core';
import type { JournalReader } from '@conv/core/store';
import { describe, expect, test } from 'vitest';
import { readMarks } from '../src/database/end-marks.ts';
import { Author } from '@conv/testing-harness';
import { faultyDriver, type Fault } from './faulty-driver.ts';
import { freshFolder, freshStore } from './fresh-folder.ts';
import { flip, killed, leftBy } from './left-files.ts';
import { openedBoth } from './opened-both.ts';

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
  return { file: await leftBy(store), author, change };
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
  const file = await leftBy(store);
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
