import { randomUUID } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { projections } from '@conv/core';
import { MemoryStore, toEventIndex, type JournalReader } from '@conv/core/store';
import { checkStore, copyStore } from '@conv/store-kit';
import { describe, expect, test } from 'vitest';
import type { PostgresStore } from '../src/index.ts';
import { Author, commitIds } from '@conv/testing-harness';
import { administer } from './fresh-schema.ts';
import { openStore } from './open-store.ts';

interface Made {
  readonly store: PostgresStore;
  readonly author: Author;
  /** Changes rows as damage does: no trigger of the schema sees it. `@.` stands for the schema. */
  readonly harm: (sql: string) => Promise<void>;
  /** Resolves with the number of rows of a table. */
  readonly count: (table: string) => Promise<number>;
}

/** Makes a closed conversation of some messages, with AlwaysConfirm at its end. */
async function made(messages: number): Promise<Made> {
  const { store, schema } = openStore();
  const { author, journal } = await Author.open(store);
  for (let at = 0; at < messages; at++) await author.say(journal, `message ${at}`);
  await author.change(journal, { set: { confirmationPolicy: { kind: 'AlwaysConfirm' } } });
  await journal.close();
  const harm = async (sql: string): Promise<void> => {
    const text = sql.replaceAll('@.', `"${schema}".`);
    await administer(`SET session_replication_role = replica; ${text}; SET session_replication_role = origin`);
  };
  const count = async (table: string): Promise<number> => {
    const sql = `SELECT count(*)::int AS rows FROM "${schema}".${table}`;
    return (await administer<{ rows: number }>(sql))[0]?.rows ?? 0;
  };
  return { store, author, harm, count };
}

async function reading(store: PostgresStore, id: string): Promise<JournalReader> {
  const reader = await store.read(id);
  if (!reader) throw new Error('it is not there');
  return reader;
}

function lostOf(reader: JournalReader): readonly number[] {
  return reader.damage.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, step) => from + step));
}

describe('P4: the end of a log', () => {
  test('missing newest rows are named as lost, the log keeps its end, and the policy is AlwaysConfirm', async () => {
    const { store, author, harm } = await made(5);
    await harm('DELETE FROM @.commits WHERE seq >= 4');
    const reader = await reading(store, author.id);
    expect(await commitIds(reader)).toEqual(author.ids.slice(0, 4));
    expect(lostOf(reader)).toEqual([4, 5, 6]);
    const { fields } = await projections.readState(reader);
    expect(fields).toMatchObject({ damaged: true, confirmationPolicy: { kind: 'AlwaysConfirm' } });
    const journal = await store.open(author.id, { owner: 'next' });
    expect((await author.say(journal, 'behind')).seq).toBe(7);
  });

  test.each([
    'next_seq = 3',
    'next_seq = 9000',
    'next_seq = 1::bigint << 40',
    'next_seq = -1',
    'next_event = 2',
    'own_from = 4',
    "seal = 'ffffffff'",
    'epoch = 0',
  ])('the log tells its end when the row of the conversation has %s', async (set) => {
    const { store, author, harm } = await made(5);
    const { epoch } = author.acknowledged.at(-1) as { readonly epoch: number };
    await harm(`UPDATE @.heads SET ${set}`);
    const reader = await reading(store, author.id);
    expect([await commitIds(reader), reader.damage, reader.end]).toEqual([author.ids, [], { seq: 7, event: 5 }]);
    const journal = await store.open(author.id, { owner: 'next' });
    expect(journal.epoch).toBeGreaterThan(epoch);
    expect(await author.say(journal, 'behind')).toMatchObject({ seq: 7, firstEvent: 5 });
    await journal.close();
    expect((await store.check(author.id)).findings).toEqual([]);
  });

  test('check names a wrong end of the log, and a repair corrects the row', async () => {
    const { store, author, harm } = await made(2);
    await harm('UPDATE @.heads SET next_seq = 2');
    for (const repaired of [false, true]) {
      const { findings } = await store.check(author.id, { repair: repaired });
      expect(findings).toMatchObject([{ part: 'end', severity: 'damaged', repaired }]);
    }
    expect((await store.check(author.id)).findings).toEqual([]);
  });
});

test('P4: a lost row is CORRUPT with advice, is not created again, and is restored by a repair', async () => {
  for (const sql of ['DELETE FROM @.heads', `UPDATE @.heads SET id = '${randomUUID()}'`]) {
    const { store, author, harm } = await made(3);
    await harm(sql);
    const lost = { code: 'CORRUPT', message: expect.stringContaining('check it with repair') as unknown };
    await expect(store.read(author.id)).rejects.toMatchObject(lost);
    await expect(store.open(author.id, { owner: 'a' })).rejects.toMatchObject(lost);
    await expect(store.delete(author.id)).rejects.toMatchObject(lost);
    expect((await store.check(undefined)).findings[0]).toMatchObject({ part: 'summary', severity: 'damaged' });
    expect((await store.check(author.id, { repair: true })).findings).toMatchObject([{ part: 'end', repaired: true }]);
    expect((await store.check(undefined)).findings).toEqual([]);
    const journal = await store.open(author.id, { create: 'never', owner: 'next' });
    expect(await commitIds(journal)).toEqual(author.ids);
    await author.say(journal, 'goes on');
  }
});

test('P4: forking a conversation whose row has another key rejects CORRUPT with advice, not NOT_FOUND', async () => {
  const { store, author, harm } = await made(3);
  await harm('ALTER TABLE @.heads ALTER COLUMN key SET GENERATED BY DEFAULT; UPDATE @.heads SET key = key + 4096');
  const corrupt = { code: 'CORRUPT', message: expect.stringContaining('check it with repair') as unknown };
  await expect(store.fork(author.id, randomUUID(), { patch: {} })).rejects.toMatchObject(corrupt);
  expect((await store.check(author.id, { repair: true })).findings).toMatchObject([{ repaired: true }]);
  await store.fork(author.id, randomUUID(), { patch: {} });
});

test('P4: lost commits that are read in parts are named as one span', async () => {
  const { store, author, harm } = await made(8);
  await harm('DELETE FROM @.commits WHERE seq BETWEEN 4 AND 6');
  const reader = await reading(store, author.id);
  const part = async (from: number, to: number): Promise<unknown> => {
    await Array.fromAsync(reader.commits({ from: from as never, to: to as never }));
    return reader.damage.map((one) => [one.from, one.to]);
  };
  expect(await part(0, 5)).toEqual([[4, 4]]);
  expect(await part(0, 9)).toEqual([[4, 6]]);
  expect(await part(4, 5)).toEqual([[4, 6]]);
});

test('P4: a row with changed numbers is named, and events around it are found', async () => {
  for (const set of ['epoch = epoch + 1', 'first_event = 0', 'first_event = 100000', 'events = 7', 'log = 99999']) {
    const { store, author, harm } = await made(16);
    await harm(`UPDATE @.commits SET ${set} WHERE seq = 8`);
    const reader = await reading(store, author.id);
    for (let event = 0; event < 16; event++) {
      const range = { fromEvent: toEventIndex(event), toEvent: toEventIndex(event + 1) };
      const found = await Array.fromAsync(reader.commits(range));
      expect(found.map(({ seq }) => seq as number)).toEqual(event === 7 ? [] : [event + 1]);
    }
    expect(await commitIds(reader)).toEqual(author.ids.filter((_, seq) => seq !== 8));
    expect(lostOf(reader)).toEqual([8]);
    await store.close();
  }
});

test('P4: opening a conversation puts a row with a wrong number back, by its check value', async () => {
  const { store, author, harm } = await made(6);
  await harm('UPDATE @.commits SET seq = seq + 1024 WHERE seq = 3');
  const reader = await reading(store, author.id);
  expect(await commitIds(reader)).toEqual(author.ids.filter((_, seq) => seq !== 3));
  expect(lostOf(reader)).toEqual([3]);
  expect((await store.check(author.id, { repair: true })).findings[0]).toMatchObject({ part: 'log', repaired: true });
  const journal = await store.open(author.id, { owner: 'next' });
  expect([await commitIds(journal), journal.damage]).toEqual([author.ids, []]);
  expect((await author.say(journal, 'goes on')).seq).toBe(8);
});

test('P4: an event is located although the index of ids has lost it or has a wrong number', async () => {
  for (const sql of ['DELETE FROM @.event_ids WHERE event = 3', 'UPDATE @.event_ids SET event = 5 WHERE event = 3']) {
    const { store, author, harm } = await made(6);
    await harm(sql);
    const reader = await reading(store, author.id);
    const ids = author.acknowledged.flatMap(({ events }) => events.map((event) => event.id));
    for (const [event, id] of ids.entries()) expect(await reader.locate(id)).toBe(event);
    expect(await reader.locate('no event')).toBeUndefined();
    const found = [{ part: 'index', message: expect.stringContaining('event 3') as unknown }];
    expect((await store.check(author.id, { repair: true })).findings).toMatchObject(found);
    expect((await store.check(author.id)).findings).toEqual([]);
  }
});

test('P4: a changed snapshot is ignored, and a repair removes it', async () => {
  const { store, author, harm } = await made(2);
  const journal = await store.open(author.id, { owner: 'a' });
  await journal.saveSnapshot({ seq: journal.end.seq, version: 5, data: { fields: {} } });
  await journal.close();
  await harm(`UPDATE @.snapshots SET data = '{"fields":{"confirmationPolicy":{"kind":"NeverConfirm"}}}'`);
  expect(await (await reading(store, author.id)).snapshot()).toBeUndefined();
  expect((await store.check(author.id, { repair: true })).findings).toMatchObject([{ part: 'snapshot' }]);
  expect((await store.check(author.id)).findings).toEqual([]);
});

test('P4: a changed span of a fork loses its commits and shows none of another log', async () => {
  const { store, author, harm } = await made(3);
  const newId = randomUUID();
  await store.fork(author.id, newId, { patch: { set: { id: newId } } });
  await harm('UPDATE @.inherited SET log = log + 7');
  const reader = await reading(store, newId);
  expect(await commitIds(reader)).toHaveLength(1);
  expect(lostOf(reader)).toEqual([0, 1, 2, 3, 4]);
});

test('P4: a repair rewrites a missing or wrong summary', async () => {
  for (const sql of ['DELETE FROM @.summaries', `UPDATE @.summaries SET id = '${randomUUID()}', title = '"other"'`]) {
    const { store, author, harm } = await made(1);
    await harm(sql);
    expect((await store.check(undefined)).findings.length).toBeGreaterThan(0);
    expect((await store.check(author.id, { repair: true })).findings).toMatchObject([{ part: 'summary' }]);
    expect((await store.list()).items).toMatchObject([{ id: author.id, title: null }]);
    expect((await store.check(undefined)).findings).toEqual([]);
  }
});

test('P4: a copy of a store has all conversations that are not listed, and an error for each without a row', async () => {
  for (const [sql, code] of [
    ['DELETE FROM @.summaries', undefined],
    ['DELETE FROM @.heads', 'CORRUPT'],
  ] as const) {
    const { store, author, harm } = await made(1);
    await harm(sql);
    const target = new MemoryStore();
    const copies = await Array.fromAsync(copyStore(store, target));
    expect(copies.map(({ id, error }) => [id, error?.code])).toEqual([[author.id, code]]);
    expect((await target.list()).items).toHaveLength(code === undefined ? 1 : 0);
    const repaired = (await Array.fromAsync(checkStore(store, { repair: true }))).flatMap(({ findings }) => findings);
    expect(repaired).toMatchObject([{ part: 'summary', repaired: true }]);
    expect((await Array.fromAsync(checkStore(store))).flatMap(({ findings }) => findings)).toEqual([]);
    expect((await store.list()).items).toMatchObject([{ id: author.id }]);
  }
});

test('P10: a fork of a damaged conversation is as strict as its source and is marked as damaged', async () => {
  const { store, author, harm } = await made(4);
  await harm('DELETE FROM @.commits WHERE seq = 5');
  const source = (await projections.readState(await reading(store, author.id))).fields;
  const newId = randomUUID();
  await store.fork(author.id, newId, { patch: { set: { id: newId } } });
  const { fields } = await projections.readState(await reading(store, newId));
  expect(fields.confirmationPolicy).toEqual(source.confirmationPolicy);
  expect([fields.damaged, source.damaged]).toEqual([true, true]);
});

test('commits with a checksum over their text alone are read', async () => {
  const { store, author, harm } = await made(3);
  for (const { seq, id, events, patch } of author.acknowledged)
    await harm(`UPDATE @.commits SET crc = ${crc32(JSON.stringify({ id, events, patch })) | 0} WHERE seq = ${seq}`);
  expect(await commitIds(await reading(store, author.id))).toEqual(author.ids);
});

test('P4: settings of a lost commit are known from the copy beside the log', async () => {
  const { store, author, harm } = await made(1);
  const journal = await store.open(author.id, { owner: 'a' });
  const { seq } = await author.change(journal, { set: { maxIterations: 7, hookConfig: { stop: [] } } });
  await author.say(journal, 'behind');
  await journal.close();
  await harm(`DELETE FROM @.commits WHERE seq = ${seq}`);
  const { fields } = await projections.readState(await reading(store, author.id));
  expect(fields).toMatchObject({ damaged: true, maxIterations: 7, hookConfig: { stop: [] } });
});

describe('P4: a deletion of a fork', () => {
  test('deleting forks removes nothing of a source whose row is lost, which a repair makes whole', async () => {
    for (const lost of ['DELETE FROM @.heads WHERE id', 'DELETE FROM @.summaries WHERE id']) {
      const { store, author, harm } = await made(3);
      const forks = [randomUUID(), randomUUID()];
      for (const newId of forks) await store.fork(author.id, newId, { patch: { set: { id: newId } } });
      await harm(`${lost} = '${author.id}'`);
      for (const newId of forks) await store.delete(newId);
      await store.check(author.id, { repair: true });
      const reader = await reading(store, author.id);
      expect([await commitIds(reader), reader.damage]).toEqual([author.ids, []]);
      expect(await reader.locate(author.acknowledged[2]?.events[0]?.id ?? '')).toBe(1);
    }
  });

  test('deleting a fork removes no commit of a log that has lost both rows', async () => {
    const { store, author, harm, count } = await made(3);
    const newId = randomUUID();
    await store.fork(author.id, newId, { patch: { set: { id: newId } } });
    await harm(`DELETE FROM @.heads WHERE id = '${author.id}'; DELETE FROM @.summaries WHERE id = '${author.id}'`);
    await store.delete(newId);
    expect(await count('commits')).toBe(author.ids.length);
  });

  test('deleting a fork or its source removes no commit in reach of the damaged span of another fork', async () => {
    const { store, author, harm, count } = await made(3);
    const forks = [randomUUID(), randomUUID()];
    for (const newId of forks) await store.fork(author.id, newId, { patch: { set: { id: newId } } });
    const own = `WHERE key = (SELECT key FROM @.heads WHERE id = '${forks[0]}')`;
    await harm(`UPDATE @.inherited SET end_seq = 2, end_event = 1 ${own}`);
    await store.delete(author.id);
    await store.delete(forks[1] ?? '');
    expect(await count('commits')).toBe(author.ids.length + 1);
    await store.delete(forks[0] ?? '');
    expect([await count('commits'), await count('event_ids'), await count('removed_logs')]).toEqual([0, 0, 0]);
  });
});

test('P4: check and copy name a log to which no row leads, unless its conversation was deleted', async () => {
  const { store, author, harm } = await made(2);
  const fork = randomUUID();
  const deleted = await Author.open(store);
  await deleted.journal.close();
  await store.fork(deleted.author.id, fork, { patch: {} });
  await store.delete(deleted.author.id);
  const whole = await Array.fromAsync(checkStore(store));
  expect(whole.flatMap(({ findings }) => findings)).toEqual([]);
  for (const table of ['heads', 'summaries']) await harm(`DELETE FROM @.${table} WHERE id = '${author.id}'`);
  const checked = await Array.fromAsync(checkStore(store, { repair: true }));
  const [finding, ...others] = checked.flatMap(({ findings }) => findings);
  expect(finding).toMatchObject({ part: 'log', severity: 'damaged', repaired: false });
  expect(finding?.message).toContain(`conversation ${author.id}`);
  expect(others).toEqual([]);
  const copies = await Array.fromAsync(copyStore(store, new MemoryStore()));
  expect(Object.fromEntries(copies.map(({ id, error }) => [id, error?.code]))).toEqual({
    [author.id]: 'CORRUPT',
    [fork]: undefined,
  });
});

test('P4: a log without a row stays named when its id was made again, and no repair of the new one counts', async () => {
  const { store, author, harm } = await made(2);
  for (const table of ['heads', 'summaries']) await harm(`DELETE FROM @.${table} WHERE id = '${author.id}'`);
  await (await store.open(author.id, { owner: 'again', create: 'must' })).close();
  for (let round = 0; round < 2; round++) {
    const checked = await Array.fromAsync(checkStore(store, { repair: true }));
    expect(checked.flatMap(({ findings }) => findings)).toMatchObject([
      { part: 'log', repaired: false, message: expect.stringContaining('another conversation has the id now') },
    ]);
  }
  const copy = new MemoryStore();
  await expect(Array.fromAsync(copyStore(store, copy))).rejects.toMatchObject({ code: 'CORRUPT' });
  expect((await copy.list()).items.map(({ id }) => id)).toEqual([author.id]);
});
