import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { MemoryStore } from '@conv/core/store';
import { checkStore, copyStore } from '@conv/store-kit';
import { Author } from '@conv/testing-harness';
import { expect, onTestFinished, test } from 'vitest';

import { FsStore } from '../../src/index.ts';

/** A store of two conversations, of which the first has only the record of its owner left, and a third that was deleted. */
async function withLostLog(): Promise<{
  readonly store: FsStore;
  readonly directory: string;
  readonly lost: string;
  readonly whole: string;
}> {
  const directory = mkdtempSync(join(tmpdir(), 'conv-lost-log-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const store = new FsStore({ directory });
  onTestFinished(() => store.close());
  const ids: string[] = [];
  for (const text of ['one', 'two', 'three']) {
    const { author, journal } = await Author.open(store);
    await author.say(journal, text);
    await journal.close();
    ids.push(author.id);
  }
  const [lost = '', whole = '', deleted = ''] = ids;
  await store.delete(deleted);
  const folder = join(directory, lost.replaceAll('-', ''));
  for (const name of readdirSync(folder)) if (name !== '.conv') rmSync(join(folder, name), { recursive: true });
  for (const name of readdirSync(join(folder, '.conv')))
    if (name !== 'owner.json') rmSync(join(folder, '.conv', name), { recursive: true });
  return { store, directory, lost, whole };
}

test('P4: a check of the whole store names a conversation of which the record of its owner alone is left', async () => {
  const { store, lost } = await withLostLog();
  for (const repair of [false, true]) {
    const checked = await Array.fromAsync(checkStore(store, { repair }));
    const findings = checked.flatMap((one) => one.findings);
    expect(findings).toMatchObject([{ part: 'log', severity: 'damaged', repaired: false }]);
    expect(findings[0]?.message).toContain(`conversation ${lost} had 2 commits`);
  }
});

test('P4: a copy of a store has an error for such a conversation, and copies the others', async () => {
  const { store, lost, whole } = await withLostLog();
  const target = new MemoryStore();
  const copies = await Array.fromAsync(copyStore(store, target));
  expect(Object.fromEntries(copies.map(({ id, error }) => [id, error?.code]))).toEqual({
    [lost]: 'CORRUPT',
    [whole]: undefined,
  });
  expect((await target.list()).items.map(({ id }) => id)).toEqual([whole]);
});

test('P4: the conversation is named with the reason where the record of its owner cannot be read, too', async () => {
  const { store, directory, lost, whole } = await withLostLog();
  const record = join(directory, lost.replaceAll('-', ''), '.conv/owner.json');
  rmSync(record);
  mkdirSync(record);
  const checked = await Array.fromAsync(checkStore(store));
  expect(checked.map(({ id, error }) => [id, error])).toEqual([undefined, whole].map((id) => [id, undefined]));
  const [finding, ...others] = checked.flatMap(({ findings }) => findings);
  expect(finding).toMatchObject({ part: 'log', severity: 'damaged' });
  expect(finding?.message).toContain(`conversation ${lost} has no log, and the record of its owner cannot be read`);
  expect(finding?.message).toContain('a folder');
  expect(others).toEqual([]);
});

test.each([
  ['a file', (place: string) => writeFileSync(place, '')],
  ['a FIFO', (place: string) => execFileSync('mkfifo', [place])],
  ['a link to itself', (place: string) => symlinkSync(place, place)],
  ['a link to a folder', (place: string) => symlinkSync(`${place}.moved`, place)],
])('P4: %s in the place of the folder of a conversation is named by a check, and by a copy', async (what, put) => {
  const { store, directory, lost, whole } = await withLostLog();
  const place = join(directory, lost.replaceAll('-', ''));
  renameSync(place, `${place}.moved`);
  put(place);
  const checked = await Array.fromAsync(checkStore(store, { repair: true }));
  const [finding, ...others] = checked.flatMap(({ findings }) => findings);
  expect(finding).toMatchObject({ part: 'log', severity: 'damaged', repaired: false });
  expect(finding?.message).toContain(`found ${what.split(' to ')[0]}`);
  expect(others).toEqual([]);
  const copies = await Array.fromAsync(copyStore(store, new MemoryStore()));
  expect(Object.fromEntries(copies.map(({ id, error }) => [id, error === undefined]))).toEqual({
    [lost]: false,
    [whole]: true,
  });
});

test.each([
  ['a file', (place: string) => writeFileSync(place, '')],
  ['a FIFO', (place: string) => execFileSync('mkfifo', [place])],
])('P4: %s in the place of the folder of a log is named by a check, and by a copy', async (what, put) => {
  const { store, directory, lost, whole } = await withLostLog();
  const place = join(directory, lost.replaceAll('-', ''), '.conv');
  rmSync(place, { recursive: true });
  put(place);
  const checked = await Array.fromAsync(checkStore(store, { repair: true }));
  const [finding, ...others] = checked.flatMap(({ findings }) => findings);
  expect(finding).toMatchObject({ part: 'log', severity: 'damaged', repaired: false });
  expect(finding?.message).toContain(`expected a folder at ${place}, found ${what}`);
  expect(others).toEqual([]);
  const copies = await Array.fromAsync(copyStore(store, new MemoryStore()));
  expect(Object.fromEntries(copies.map(({ id, error }) => [id, error?.code]))).toEqual({
    [lost]: 'CORRUPT',
    [whole]: undefined,
  });
});
