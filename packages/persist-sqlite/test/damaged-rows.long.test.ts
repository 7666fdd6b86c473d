import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { projections } from '@conv/core';
import { toCommitSeq, toEventIndex, type JournalReader } from '@conv/core/store';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Author, commitIds } from '@conv/testing-harness';
import { freshStore } from './fresh-folder.ts';
import { countOf, rawly } from './raw-database.ts';

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

/** Changes one byte of the file without SQLite: in the only place of `text` on the root page of a table or an index. */
function harmRoot(file: string, name: string, text: Buffer): void {
  const sql = 'SELECT rootpage FROM sqlite_schema WHERE name = ?';
  const root = Number(rawly(file, (database) => database.prepare(sql).get(name))?.['rootpage']);
  const bytes = readFileSync(file);
  const at = bytes.indexOf(text, (root - 1) * 4096);
  expect(at).toBeLessThan(root * 4096);
  bytes[at] = (bytes[at] ?? 0) ^ 2;
  writeFileSync(file, bytes);
}

test('P4: a conversation with a damaged summary is listed as unreadable, and opens with all its commits', async () => {
  for (const set of ["tags = '{'", "title = 'no JSON'", "forked_from = '[]'", "title = '7'"]) {
    const { file, author } = await made(2);
    rawly(file, (database) => database.exec(`UPDATE conversations SET ${set}`));
    const store = await freshStore({ file });
    const [item] = (await store.list()).items;
    expect(item).toMatchObject({ id: author.id, title: null, tags: {}, forkedFrom: null });
    expect(item?.unreadable).toContain('its summary is damaged');
    const reader = await store.read(author.id);
    expect(reader && (await commitIds(reader))).toEqual(author.ids);
  }
});

test.each(['sqlite_autoindex_conversations_1', 'conversations_by_id'])(
  'P4: damage to the index of ids %s hides no conversation and lets no caller make it twice',
  async (index) => {
    const { file, author } = await made(3);
    harmRoot(file, index, Buffer.from(author.id));
    const store = await freshStore({ file });
    const reader = await store.read(author.id);
    expect(reader && (await commitIds(reader))).toEqual(author.ids);
    await expect(store.open(author.id, { create: 'must', owner: 'a' })).rejects.toMatchObject({ code: 'EXISTS' });
    expect((await store.integrityCheck()).length).toBeGreaterThan(0);
  },
);

test('P4: a row that is not where both indexes point is CORRUPT, not a missing conversation', async () => {
  const { file, author } = await made(3);
  harmRoot(file, 'conversations', Buffer.from(author.id));
  const store = await freshStore({ file });
  await expect(store.read(author.id)).rejects.toMatchObject({ code: 'CORRUPT' });
  await expect(store.open(author.id, { owner: 'a' })).rejects.toMatchObject({ code: 'CORRUPT' });
  expect((await store.list()).items).toHaveLength(1);
});

test('P4: an event is located although the index of ids has lost it or has a wrong number', async () => {
  for (const sql of ['DELETE FROM event_ids WHERE event = 3', 'UPDATE event_ids SET event = 5 WHERE event = 3']) {
    const { file, author } = await made(6);
    rawly(file, (database) => database.exec(sql));
    const store = await freshStore({ file });
    const reader = (await store.read(author.id)) as JournalReader;
    const ids = author.acknowledged.flatMap(({ events }) => events.map((event) => event.id));
    for (const [event, id] of ids.entries()) expect(await reader.locate(id)).toBe(event);
    expect(await reader.locate('no event')).toBeUndefined();
  }
});

test('P4: a damaged number of one commit does not misdirect reads of other events', async () => {
  for (const first of [0, 1_000_000]) {
    const { file, author } = await made(16);
    rawly(file, (raw) => raw.exec(`UPDATE commits SET first_event = ${first} WHERE position & 4294967295 = 8`));
    const store = await freshStore({ file });
    const reader = (await store.read(author.id)) as JournalReader;
    for (let event = 0; event < 16; event++) {
      const range = { fromEvent: toEventIndex(event), toEvent: toEventIndex(event + 1) };
      const found = await Array.fromAsync(reader.commits(range));
      expect(found.map(({ seq }) => seq as number)).toEqual(event === 7 ? [] : [event + 1]);
    }
  }
});

test('a damaged row of deleted logs that names a log in use removes no commit', async () => {
  const { file, author } = await made(3);
  rawly(file, (database) => database.exec('INSERT INTO garbage SELECT key, 0, 0 FROM conversations'));
  const store = await freshStore({ file });
  await (await store.open(author.id, { owner: 'a' })).close();
  await store.close();
  const again = await freshStore({ file });
  const reader = (await again.read(author.id)) as JournalReader;
  expect(await commitIds(reader)).toEqual(author.ids);
});

test('P2: a damaged lower epoch is raised to that of the last commit, so no owner writes in it again', async () => {
  const { file, author } = await made(2);
  const store = await freshStore({ file });
  for (let round = 0; round < 3; round++) await (await store.open(author.id, { owner: `${round}` })).close();
  const journal = await store.open(author.id, { owner: 'last' });
  const { epoch } = await author.say(journal, 'in a late epoch');
  await store.close();
  rawly(file, (database) => database.exec('UPDATE conversations SET epoch = 0'));
  const again = await freshStore({ file });
  expect((await again.open(author.id, { owner: 'next' })).epoch).toBeGreaterThan(epoch);
});

test.runIf(process.platform === 'linux')(
  'P13: a refused write names the process that holds the lock, and tells that it is stopped',
  async () => {
    const { file, author } = await made(1);
    const program = `const {DatabaseSync} = require('node:sqlite'); const d = new DatabaseSync(process.argv[1]);
      d.exec('BEGIN IMMEDIATE'); process.stdout.write('locked'); setInterval(() => {}, 1000)`;
    const holder = spawn(process.execPath, ['-e', program, file], { stdio: ['ignore', 'pipe', 'ignore'] });
    onTestFinished(() => void holder.kill('SIGKILL'));
    await once(holder.stdout, 'data');
    const store = await freshStore({ file, busyTimeout: 50 });
    await expect(store.open(author.id, { owner: 'a' })).rejects.toThrow(
      new RegExp(`UNAVAILABLE.*process ${holder.pid} .* is writing`),
    );
    holder.kill('SIGSTOP');
    await expect
      .poll(() => store.open(author.id, { owner: 'a' }).catch(String))
      .toContain(`continue it with kill -CONT ${holder.pid}`);
  },
);

test('P11: a watch continues after the database was missing for a while, without gap or duplicate', async () => {
  const store = await freshStore({ pollInterval: 5 });
  const author = new Author();
  const journal = await store.open(author.id, { owner: 'author' });
  await author.begin(journal);
  const watching = await freshStore({ file: store.file, pollInterval: 5 });
  const reader = (await watching.read(author.id)) as JournalReader;
  const controller = new AbortController();
  const heard: string[] = [];
  const done = (async () => {
    for await (const { id } of reader.watch(toCommitSeq(0), controller.signal)) heard.push(id);
  })();
  await expect.poll(() => heard.length).toBe(1);
  renameSync(store.file, `${store.file}.away`);
  await expect(reader.refresh()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  const other = new DatabaseSync(`${store.file}.away`);
  other.close();
  renameSync(`${store.file}.away`, store.file);
  await author.say(journal, 'afterwards');
  await expect.poll(() => heard.length).toBe(2);
  controller.abort();
  await done;
  expect(heard).toEqual(author.ids);
});

test('P10: a fork of a damaged conversation is as strict as its source, and is listed with its title', async () => {
  const { file, author } = await made(4);
  const before = await freshStore({ file });
  const journal = await before.open(author.id, { owner: 'a' });
  await author.change(journal, { set: { confirmationPolicy: { kind: 'AlwaysConfirm' } } });
  await before.close();
  rawly(file, (raw) => raw.exec('DELETE FROM commits WHERE position & 4294967295 = 5'));
  const store = await freshStore({ file });
  const source = (await projections.readState((await store.read(author.id)) as JournalReader)).fields;
  const newId = randomUUID();
  await store.fork(author.id, newId, { patch: { set: { id: newId, title: 'fork' } } });
  const { fields } = await projections.readState((await store.read(newId)) as JournalReader);
  expect([source.damaged, fields.damaged]).toEqual([true, true]);
  expect(fields.confirmationPolicy).toEqual({ kind: 'AlwaysConfirm' });
  expect((await store.list()).items).toContainEqual(expect.objectContaining({ id: newId, title: 'fork' }));
});

test('P4: deleting a fork removes nothing of a source whose row or span is lost', async () => {
  for (const table of ['conversations', 'spans']) {
    const { file, author } = await made(5);
    const newId = randomUUID();
    const before = await freshStore({ file });
    await before.fork(author.id, newId, { patch: { set: { id: newId } } });
    await before.close();
    const key = rawly(file, (database) =>
      Number(database.prepare('SELECT key FROM conversations WHERE id = ?').get(author.id)?.['key']),
    );
    rawly(file, (database) =>
      database.exec(`DELETE FROM ${table} WHERE ${table === 'spans' ? 'conversation' : 'key'} = ${key}`),
    );
    const store = await freshStore({ file });
    await store.delete(newId);
    await vi.waitUntil(() => countOf(file, 'garbage') === 0, { timeout: 100_000 });
    const left = rawly(file, (database) =>
      database.prepare('SELECT count(*) AS count FROM commits WHERE position >> 32 = ?').get(key),
    );
    expect([table, left?.['count']]).toEqual([table, author.ids.length]);
  }
});

test.each(['first_event = 0', 'events = events + 64', 'epoch = epoch + 1000000', 'epoch = -1'])(
  'P4: a damaged last commit with %s does not move the end of the log',
  async (set) => {
    const { file, author } = await made(5);
    const before = await freshStore({ file });
    const { end, epoch } = await before.open(author.id, { owner: 'a' });
    await before.close();
    rawly(file, (raw) => raw.exec(`UPDATE commits SET ${set} WHERE position = (SELECT max(position) FROM commits)`));
    const store = await freshStore({ file });
    const reader = (await store.read(author.id)) as JournalReader;
    expect(reader.end).toEqual(end);
    expect((await commitIds(reader)).length).toBe(author.ids.length - 1);
    const journal = await store.open(author.id, { owner: 'b' });
    expect([journal.end, journal.epoch]).toEqual([end, epoch + 1]);
  },
);

test.each(['DELETE FROM spans', 'UPDATE spans SET end_event = end_event - 1'])(
  'P4: %s makes a conversation CORRUPT with advice, and a repair restores all of it',
  async (harm) => {
    const { file, author } = await made(5);
    rawly(file, (raw) => raw.exec(harm));
    const store = await freshStore({ file });
    const ids = async (): Promise<readonly string[]> => commitIds((await store.read(author.id)) as JournalReader);
    const corrupt = { code: 'CORRUPT', message: expect.stringContaining('check it with repair') as unknown };
    await expect(ids()).rejects.toMatchObject(corrupt);
    const { findings } = await store.check(author.id, { repair: true });
    expect(findings).toMatchObject([{ part: 'spans', repaired: true }]);
    expect(await ids()).toEqual(author.ids);
    expect((await store.check(author.id)).findings).toEqual([]);
  },
);

test('P4: a fork that lost its rows of the source opens with its own commits, and names the others', async () => {
  const { file, author } = await made(5);
  const before = await freshStore({ file });
  const fork = randomUUID();
  await before.fork(author.id, fork, { patch: { set: { id: fork } } });
  await before.close();
  rawly(file, (raw) => raw.exec('UPDATE spans SET end_event = end_event - 1 WHERE conversation = 2'));
  const store = await freshStore({ file });
  const { findings } = await store.check(fork, { repair: true });
  expect(findings).toContainEqual(expect.objectContaining({ part: 'spans', repaired: true }));
  const reader = (await store.read(fork)) as JournalReader;
  // its own commit, and the record of the loss
  const own = [author.ids.length, author.ids.length + 1];
  expect((await Array.fromAsync(reader.commits())).map(({ seq }) => seq)).toEqual(own);
  expect(reader.damage.map(({ from, to }) => [from, to])).toEqual([[0, author.ids.length - 1]]);
  expect((await projections.readState(reader)).fields).toMatchObject({ damaged: true });
});

test('P2: an owner with an unreadable process counts as living while its heartbeat is fresh', async () => {
  const { file, author } = await made(1);
  const first = await freshStore({ file, leaseTimeout: 60_000 });
  await first.open(author.id, { owner: 'first' });
  rawly(file, (raw) => raw.exec("UPDATE owners SET process = '{' || process"));
  const second = await freshStore({ file });
  await expect(second.open(author.id, { owner: 'second' })).rejects.toMatchObject({ code: 'OWNED' });
});

test('P4: each commit that may hold an event is named when the last commits are damaged', async () => {
  const { file, author } = await made(12);
  rawly(file, (raw) =>
    raw.exec(`UPDATE commits SET body = replace(body, 'message', 'passage') WHERE first_event >= 7`),
  );
  const store = await freshStore({ file });
  const reader = (await store.read(author.id)) as JournalReader;
  const range = { fromEvent: toEventIndex(10), toEvent: toEventIndex(11) };
  expect(await Array.fromAsync(reader.commits(range))).toEqual([]);
  expect(reader.damage.map(({ from }) => from as number)).toEqual([8, 9, 10, 11, 12]);
});
