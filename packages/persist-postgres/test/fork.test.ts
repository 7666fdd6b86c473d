import { randomUUID } from 'node:crypto';
import { foldJournal } from '@conv/core';
import { Client } from 'pg';
import { describe, expect, inject, test, vi } from 'vitest';
import type { PostgresStore } from '../src/index.ts';
import { Author, commitIds } from '@conv/testing-harness';
import { administer } from './fresh-schema.ts';
import { openStore } from './open-store.ts';

async function fork(store: PostgresStore, id: string): Promise<string> {
  const newId = randomUUID();
  await store.fork(id, newId, { patch: { set: { id: newId } } });
  return newId;
}

async function counted(schema: string): Promise<number[]> {
  const [row] = await administer<Record<string, number>>(`SELECT
    (SELECT count(*)::int FROM "${schema}".commits) AS a, (SELECT count(*)::int FROM "${schema}".event_ids) AS b,
    (SELECT count(*)::int FROM "${schema}".inherited) AS c, (SELECT count(*)::int FROM "${schema}".snapshots) AS d`);
  return Object.values(row ?? {});
}

describe('a fork', () => {
  test('a fork of 10,000 events stores one commit, and reads back all', async () => {
    const { store, schema } = openStore();
    const { author, journal } = await Author.open(store);
    for (let at = 0; at < 20; at++)
      await Promise.all(Array.from({ length: 500 }, (_, each) => author.say(journal, `message ${at} ${each}`)));
    const before = await counted(schema);
    const newId = await fork(store, author.id);
    expect(await counted(schema)).toEqual([(before[0] ?? 0) + 1, before[1], 1, 0]);
    const reader = await store.read(newId);
    expect((await commitIds(reader)).slice(0, -1)).toEqual(author.ids);
    expect(reader?.end).toEqual({ seq: 10_002, event: 10_000 });
  });

  test('a fork keeps the commits of its deleted source, and deleting the last fork removes them', async () => {
    const { store, schema } = openStore();
    const { author, journal } = await Author.open(store);
    for (let at = 0; at < 4; at++) await author.say(journal, `m${at}`);
    const first = await fork(store, author.id);
    await author.say(journal, 'not in the fork');
    await journal.saveSnapshot({ seq: journal.end.seq, version: 1, data: {} });
    const second = await fork(store, first);
    await journal.close();
    const [before, beforeSecond] = [
      await commitIds(await store.read(first)),
      await commitIds(await store.read(second)),
    ];

    await store.delete(author.id);
    expect(await commitIds(await store.read(first))).toEqual(before);
    expect((await counted(schema))[0]).toBe(5 + 2);
    const reader = await store.read(second);
    expect(await reader?.locate(author.acknowledged[2]?.events[0]?.id ?? '')).toBe(1);
    expect(await reader?.locate(author.acknowledged[5]?.events[0]?.id ?? '')).toBeUndefined();

    await store.delete(first);
    expect(await commitIds(await store.read(second))).toEqual(beforeSecond);
    await store.delete(second);
    expect(await counted(schema)).toEqual([0, 0, 0, 0]);
  });

  test('deleting a fork and its source at the same time leaves no rows and loses no commits', async () => {
    const { store, schema } = openStore();
    const lengths: number[] = [];
    for (let round = 0; round < 6; round++) {
      const { author, journal } = await Author.open(store);
      await author.say(journal, 'shared');
      const forks = await Promise.all([fork(store, author.id), fork(store, author.id)]);
      await journal.close();
      const kept = fork(store, forks[0] ?? '').catch(() => undefined);
      await Promise.all([author.id, ...forks].map((id) => store.delete(id)));
      const last = await kept;
      if (!last) continue;
      lengths.push((await commitIds(await store.read(last))).length);
      await store.delete(last);
    }
    expect(lengths.filter((length) => length !== 4)).toEqual([]);
    expect(await counted(schema)).toEqual([0, 0, 0, 0]);
  });

  test('a fork has the snapshot of its source, and folds to the same state with it', async () => {
    const { store } = openStore();
    const { author, journal } = await Author.open(store);
    await author.change(journal, { set: { title: 'the source' } });
    await journal.saveSnapshot({ seq: journal.end.seq, version: 3, data: { kept: true } });
    const reader = await store.read(await fork(store, author.id));
    expect(await reader?.snapshot()).toMatchObject({ seq: 2, version: 3, data: { kept: true } });
    expect(reader && (await foldJournal(reader)).fields.title).toBe('the source');
  });

  test('P7: a fork holds up no append to its source', async () => {
    const { store, schema } = openStore();
    const { author, journal } = await Author.open(store);
    await administer(`
      CREATE FUNCTION "${schema}".hold() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN PERFORM pg_advisory_xact_lock(hashtextextended('${schema}', 0)); RETURN NEW; END $$;
      CREATE TRIGGER hold BEFORE INSERT ON "${schema}".inherited FOR EACH ROW EXECUTE FUNCTION "${schema}".hold()`);
    const holder = new Client({ connectionString: inject('postgresUrl') });
    await holder.connect();
    await holder.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [schema]);
    const forking = fork(store, author.id);
    await vi.waitUntil(
      async () => {
        const { rows } = await holder.query(
          "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'advisory' AND query LIKE $1",
          [`SELECT "${schema}".inherit(%`],
        );
        return rows.length > 0;
      },
      { timeout: 100_000 },
    );
    await author.say(journal, 'while it is forked');
    await holder.end();
    expect(await commitIds(await store.read(await forking))).toContain(author.ids[0]);
  });
});
