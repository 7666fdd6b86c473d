import { toCommitSeq } from '@conv/core/store';
import { expect, test } from 'vitest';
import { Author } from '@conv/testing-harness';
import { openStore } from './open-store.ts';

test('P7: a watch also yields commits that are appended while it yields earlier ones', async () => {
  const { author, journal } = await Author.open(openStore().store);
  const watching = new AbortController();
  const seen: string[] = [];
  for await (const { id, seq } of journal.watch(toCommitSeq(0), watching.signal)) {
    seen.push(id);
    if (seq < 12 && seq % 4 === 0) for (const text of ['a', 'b', 'c', 'd']) await author.say(journal, text);
    if (seq === 12) watching.abort();
  }
  expect(seen).toEqual(author.ids);
});

test('a watch of a conversation that is deleted rejects NOT_FOUND', async () => {
  const { store, schema } = openStore();
  const { author, journal } = await Author.open(store);
  const reader = await openStore({ schema, pollInterval: 20 }).store.read(author.id);
  const watching = (async () => {
    for await (const { seq } of reader?.watch(toCommitSeq(0), new AbortController().signal) ?? []) {
      expect(seq).toBe(0);
      await journal.close();
      await store.delete(author.id);
    }
  })();
  await expect(watching).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('P7: many watchers of many conversations each get all commits of their conversation', async () => {
  const { store, schema } = openStore();
  const { store: watcher } = openStore({ schema });
  const all = await Promise.all(Array.from({ length: 25 }, () => Author.open(store)));
  const watching = all.flatMap(({ author }) =>
    [1, 2].map(async () => {
      const seen: string[] = [];
      const reader = await watcher.read(author.id);
      for await (const { id } of reader?.watch(toCommitSeq(0), new AbortController().signal) ?? [])
        if (seen.push(id) === 11) break;
      return { seen, author };
    }),
  );
  for (let at = 0; at < 10; at++) await Promise.all(all.map(({ author, journal }) => author.say(journal, `m${at}`)));
  for (const { seen, author } of await Promise.all(watching)) expect(seen).toEqual(author.ids);
});
