import { readdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { Author, commitIds } from '@conv/testing-harness';
import { freshFile, freshStore } from './fresh-folder.ts';

test('P4: a backup made during writes holds every commit acknowledged before, and a prefix of each log', async () => {
  const store = await freshStore();
  const author = new Author();
  const journal = await store.open(author.id, { owner: 'a' });
  await author.begin(journal);
  for (let at = 0; at < 50; at++) await author.say(journal, `before ${at}`);
  const before = author.ids;
  const to = await freshFile();
  const backup = store.backup(to);
  const ended = { yet: false };
  void backup.finally(() => {
    ended.yet = true;
  });
  while (!ended.yet) await author.say(journal, 'meanwhile');
  await backup;
  expect(readdirSync(dirname(to))).toEqual(['conversations.db']);
  const copy = await freshStore({ file: to });
  const found = await copy.open(author.id, { owner: 'b', create: 'never' });
  const ids = await commitIds(found);
  expect(ids.length).toBeGreaterThanOrEqual(before.length);
  expect(ids).toEqual(author.ids.slice(0, ids.length));
  expect(await copy.integrityCheck()).toEqual([]);
  await author.say(journal, 'the original goes on');
});

test('a backup never replaces a file', async () => {
  const store = await freshStore();
  await (await store.open(new Author().id, { owner: 'a' })).close();
  const to = await freshFile();
  writeFileSync(to, 'mine');
  await expect(store.backup(to)).rejects.toThrow(`[EXISTS] file ${to}`);
  expect(readdirSync(dirname(to))).toEqual(['conversations.db']);
});

test('a failed backup leaves no file', async () => {
  const store = await freshStore();
  await (await store.open(new Author().id, { owner: 'a' })).close();
  await expect(store.backup('/no/such/folder/copy.db')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});
