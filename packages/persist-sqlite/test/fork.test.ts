import { statSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import type { SqliteStore } from '../src/index.ts';
import { Author, commitIds } from '@conv/testing-harness';
import { freshStore } from './fresh-folder.ts';
import { countOf } from './raw-database.ts';

async function written(store: SqliteStore, commits: number): Promise<Author> {
  const author = new Author();
  const journal = await store.open(author.id, { owner: 'a' });
  await author.begin(journal);
  await Promise.all(Array.from({ length: commits }, (_, at) => author.say(journal, `message ${at}`)));
  await journal.saveSnapshot({ seq: journal.end.seq, version: 3, data: { at: commits } });
  await journal.close();
  return author;
}

async function idsOf(store: SqliteStore, id: string): Promise<string[] | undefined> {
  const reader = await store.read(id);
  return reader && commitIds(reader);
}

describe('a fork', () => {
  test('a fork shares the commits of its source instead of copying them', async () => {
    const store = await freshStore();
    const source = await written(store, 1500);
    const before = statSync(`${store.file}-wal`).size + statSync(store.file).size;
    const forks = [new Author(), new Author(), new Author()];
    for (const { id } of forks) await store.fork(source.id, id, { patch: { set: { id } } });
    expect(countOf(store.file, 'commits')).toBe(1501 + 3);
    expect(statSync(`${store.file}-wal`).size + statSync(store.file).size - before).toBeLessThan(200_000);
    for (const { id } of forks) expect((await idsOf(store, id))?.slice(0, -1)).toEqual(source.ids);
  });

  test('a fork has the snapshot of its source, so it opens as fast', async () => {
    const store = await freshStore();
    const source = await written(store, 5);
    const fork = new Author();
    await store.fork(source.id, fork.id, { patch: { set: { id: fork.id } } });
    const reader = await store.read(fork.id);
    expect(await reader?.snapshot()).toEqual({ seq: 6, version: 3, data: { at: 5 } });
  });

  test('a fork of a fork finds the events of all its parts by id and number, and no later events', async () => {
    const store = await freshStore();
    const chain = [await written(store, 4)];
    for (let depth = 0; depth < 3; depth++) {
      const [from, to] = [chain[depth] as Author, new Author()];
      await store.fork(from.id, to.id, { patch: { set: { id: to.id } } });
      for (const author of [from, to]) {
        const journal = await store.open(author.id, { owner: 'a' });
        author.fields = { ...from.fields, id: author.id };
        await author.say(journal, `of ${depth}`, 'two');
        await journal.close();
      }
      chain.push(to);
    }
    const last = chain[3] as Author;
    const reader = await store.read(last.id);
    const commits = reader ? await Array.fromAsync(reader.commits()) : [];
    expect(commits.map(({ seq }) => seq)).toEqual(commits.map((_, at) => at));
    const events = commits.flatMap((commit) => commit.events);
    for (const [index, event] of events.entries()) {
      expect(await reader?.locate(event.id)).toBe(index);
      const found = await Array.fromAsync(
        reader?.commits({ fromEvent: index as never, toEvent: (index + 1) as never }) ?? [],
      );
      expect(found.flatMap((commit) => commit.events)).toContainEqual(event);
    }
    const later = chain[0]?.acknowledged.at(-1)?.events[0]?.id ?? '';
    expect(await reader?.locate(later)).toBeUndefined();
  });

  test('a fork keeps its commits when its sources are deleted, and unused commits are removed', async () => {
    const store = await freshStore();
    const source = await written(store, 700);
    const fork = new Author();
    await store.fork(source.id, fork.id, { patch: { set: { id: fork.id } } });
    const journal = await store.open(source.id, { owner: 'a' });
    for (let at = 0; at < 300; at++) void source.say(journal, 'later');
    await journal.close();
    await store.delete(source.id);
    await vi.waitUntil(() => countOf(store.file, 'garbage') === 0, { timeout: 100_000 });
    expect(countOf(store.file, 'commits')).toBe(702);
    expect(countOf(store.file, 'event_ids')).toBe(700);
    expect((await idsOf(store, fork.id))?.slice(0, -1)).toEqual(source.ids.slice(0, 701));
    expect(await store.integrityCheck()).toEqual([]);
    await store.delete(fork.id);
    await vi.waitUntil(() => countOf(store.file, 'garbage') === 0, { timeout: 100_000 });
    for (const table of ['conversations', 'commits', 'event_ids', 'spans', 'snapshots'])
      expect(countOf(store.file, table)).toBe(0);
  });
});

test('the remains of a deleted conversation are removed when the database is opened again', async () => {
  const first = await freshStore();
  const author = await written(first, 2000);
  await first.delete(author.id);
  await first.close();
  const second = await freshStore({ file: first.file });
  await second.open(new Author().id, { owner: 'a' });
  await vi.waitUntil(() => countOf(first.file, 'commits') === 0, { timeout: 100_000 });
});
