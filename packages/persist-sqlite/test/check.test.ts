import { Author } from '@conv/testing-harness';
import { ConversationState } from '@conv/core';
import { userMessage } from '@conv/core/events';
import { MemoryStore } from '@conv/core/store';
import { checkStore, copyStore } from '@conv/store-kit';
import { expect, test } from 'vitest';
import type { SqliteStore } from '../src/index.ts';
import { freshStore } from './fresh-folder.ts';
import { rawly } from './raw-database.ts';

/** Makes a closed database with one conversation of some messages. */
async function made(messages: number): Promise<{ readonly file: string; readonly author: Author }> {
  const store = await freshStore();
  const author = new Author();
  const journal = await store.open(author.id, { owner: 'author' });
  await author.begin(journal);
  for (let at = 0; at < messages; at++) await author.say(journal, `message ${at}`);
  await store.close();
  return { file: store.file, author };
}

test('P4: a repair records the loss of two neighbouring commits, and both are known from then on', async () => {
  const { file, author } = await made(6);
  rawly(file, (raw) => raw.exec('UPDATE commits SET crc = crc + 1 WHERE position & 4294967295 IN (3, 4)'));
  const store = await freshStore({ file });
  const lost = (await store.check(author.id)).findings;
  expect(lost).toMatchObject([3, 4].map(() => ({ part: 'log', severity: 'lost' })));
  const known = [3, 4].map((seq) => ({
    part: 'log',
    severity: 'known',
    message: expect.stringMatching(new RegExp(`^commit ${seq} cannot be read`)) as string,
  }));
  expect((await store.check(author.id, { repair: true })).findings).toMatchObject(known);
  expect((await store.check(author.id)).findings).toMatchObject(known);
  expect((await store.check(author.id, { repair: true })).findings).toMatchObject(known);
});

const IDS = [1, 2, 3].map((at) => `00000000-0000-4000-8000-00000000000${at}`) as [string, string, string];

/** Makes a closed database with three conversations; the third is a fork of the second, by keys 1, 2 and 3. */
async function withFork(): Promise<string> {
  const store = await freshStore();
  for (const id of IDS.slice(0, 2)) {
    const state = await ConversationState.open(await store.open(id, { owner: 'author' }), { id });
    await state.update({ set: { title: `title of ${id}` } });
    await state.append([userMessage('one'), userMessage('two')]);
    await state.close();
  }
  await store.fork(IDS[1], IDS[2], { patch: { set: { id: IDS[2] } } });
  await store.close();
  return store.file;
}

/** Everything that readers of a store see. */
async function seen(store: SqliteStore): Promise<unknown> {
  const { items } = await store.list({ sortBy: 'createdAt' });
  const listed = items.map((item) => ({ ...item, updatedAt: '' })).toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const logs = await Promise.all(IDS.map(async (id) => Array.fromAsync((await store.read(id))?.commits() ?? [])));
  return { listed, logs };
}

test.each([1, 2, 3])('P4: check names a lost row %i of conversations, and a repair puts it back', async (key) => {
  const file = await withFork();
  const before = await freshStore({ file });
  const whole = await seen(before);
  expect((await before.check(undefined)).findings).toEqual([]);
  await before.close();
  rawly(file, (raw) => raw.exec(`DELETE FROM conversations WHERE key = ${key}`));
  const store = await freshStore({ file });
  const commits = key === 3 ? '1 commit of its log is' : '3 commits of its log are';
  const lost = `the row of conversation ${IDS[key - 1]} (key ${key}) in conversations is not there, and ${commits}`;
  const finding = { part: 'database', severity: 'damaged' };
  const advice = `${lost}: check with repair puts it back`;
  expect((await store.check(undefined)).findings).toEqual([{ ...finding, message: advice, repaired: false }]);
  const repaired = await Array.fromAsync(checkStore(store, { repair: true }));
  expect(repaired[0]?.findings).toEqual([{ ...finding, message: `${lost}; the row was put back`, repaired: true }]);
  expect(repaired.flatMap(({ findings }) => findings).filter((one) => !one.repaired)).toEqual([]);
  expect((await Array.fromAsync(checkStore(store))).flatMap(({ findings }) => findings)).toEqual([]);
  expect(await seen(store)).toEqual(whole);
});

test('P4: a copy of a store has an error for a conversation whose row is lost, and copies the others', async () => {
  const file = await withFork();
  rawly(file, (raw) => raw.exec('DELETE FROM conversations WHERE key = 1'));
  const copies = await Array.fromAsync(copyStore(await freshStore({ file }), new MemoryStore()));
  expect(copies.map(({ id, error }) => [id, error?.code])).toEqual([
    [IDS[0], 'CORRUPT'],
    [IDS[1], undefined],
    [IDS[2], undefined],
  ]);
});

test('P4: a copy of a store rejects at its end for a conversation whose row and id are lost', async () => {
  const { file } = await made(2);
  rawly(file, (raw) =>
    raw.exec('UPDATE commits SET crc = crc + 1 WHERE position & 4294967295 = 0; DELETE FROM conversations'),
  );
  const copies = Array.fromAsync(copyStore(await freshStore({ file }), new MemoryStore()));
  await expect(copies).rejects.toMatchObject({ code: 'CORRUPT', message: expect.stringContaining('key 1') as unknown });
});

test('P4: a lost row whose id no commit tells, or that has no span, is named and not put back', async () => {
  const { file } = await made(2);
  const harm = 'UPDATE commits SET crc = crc + 1 WHERE position & 4294967295 = 0; DELETE FROM conversations';
  rawly(file, (raw) => raw.exec(harm));
  const nameless = await freshStore({ file });
  const [unknown] = (await nameless.check(undefined, { repair: true })).findings;
  expect(unknown).toMatchObject({ repaired: false });
  expect(unknown?.message).toMatch(/key 1\D.*2 commits .*id cannot be told from these: take the row from a backup$/);
  const other = await withFork();
  rawly(other, (raw) => raw.exec('DELETE FROM conversations WHERE key = 1; DELETE FROM spans WHERE conversation = 1'));
  const spanless = await freshStore({ file: other });
  const [alone] = (await spanless.check(undefined, { repair: true })).findings;
  expect(alone).toMatchObject({ repaired: false });
  expect(alone?.message).toMatch(/where its log lies is not there either: take the row from a backup$/);
});

test('the log of a deleted conversation that a fork reads is not taken for a log without its row', async () => {
  const store = await freshStore({ file: await withFork() });
  await store.delete(IDS[1]);
  expect((await store.check(undefined)).findings).toEqual([]);
  await store.delete(IDS[0]);
  await store.delete(IDS[2]);
  expect((await store.check(undefined)).findings).toEqual([]);
});
