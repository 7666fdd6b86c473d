import { closeSync, openSync, readFileSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { isStoreError } from '@conv/core/store';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Author, commitIds } from '@conv/testing-harness';
import { freshFile, freshStore } from './fresh-folder.ts';
import { rawly } from './raw-database.ts';

const LONG = 'damage '.repeat(200);

/** Makes a closed database with one conversation of some messages. */
async function made(messages: number): Promise<{ file: string; author: Author }> {
  const store = await freshStore();
  const author = new Author();
  const journal = await store.open(author.id, { owner: 'author' });
  await author.begin(journal);
  for (let at = 0; at < messages; at++) await author.say(journal, `message ${at} ${LONG}`);
  await journal.close();
  await store.close();
  return { file: store.file, author };
}

function overwrite(file: string, offset: number, bytes: Uint8Array): void {
  const opened = openSync(file, 'r+');
  writeSync(opened, bytes, 0, bytes.length, offset);
  closeSync(opened);
}

describe('P4: damage', () => {
  test('damage inside the text of a commit loses and names that commit, and all others read back equal', async () => {
    const { file, author } = await made(20);
    overwrite(file, readFileSync(file).indexOf('message 7 '), Buffer.from('massage'));
    const store = await freshStore({ file });
    const journal = await store.open(author.id, { owner: 'next' });
    expect(await commitIds(journal)).toEqual(author.ids.filter((_, seq) => seq !== 8));
    expect(journal.damage).toMatchObject([{ from: 8, to: 8, reason: expect.stringContaining('commit 8') as string }]);
    expect(await store.integrityCheck()).toEqual([
      { conversationId: author.id, problem: expect.stringContaining('commit 8') as string },
    ]);
    await author.say(journal, 'goes on');
    expect((await commitIds(journal)).at(-1)).toBe(author.ids.at(-1));
  });

  test('damage of a whole page loses the commits on it, and all others read back equal', async () => {
    const { file, author } = await made(60);
    const at = readFileSync(file).indexOf('message 30 ');
    overwrite(file, at - (at % 4096), Buffer.alloc(4096, 0xff));
    const store = await freshStore({ file });
    const reader = await store.read(author.id);
    const found = reader ? await commitIds(reader) : [];
    const lost = reader?.damage.flatMap(({ from, to }) =>
      Array.from({ length: to - from + 1 }, (_, step) => from + step),
    );
    expect(lost?.length).toBeGreaterThan(0);
    expect(lost?.length).toBeLessThan(6);
    expect(found).toEqual(author.ids.filter((_, seq) => !lost?.includes(seq as never)));
    expect((await store.integrityCheck()).length).toBeGreaterThan(0);
  });

  test('a missing commit is reported as damage, also by a read of events', async () => {
    const { file, author } = await made(10);
    rawly(file, (database) => database.exec('DELETE FROM commits WHERE position & 4294967295 = 4'));
    const store = await freshStore({ file });
    const reader = await store.read(author.id);
    const commits = reader && (await Array.fromAsync(reader.commits({ fromEvent: 2 as never, toEvent: 6 as never })));
    expect(commits?.map(({ seq }) => seq)).toEqual([3, 5, 6]);
    expect(reader?.damage).toMatchObject([{ from: 4, to: 4 }]);
  });

  test('damage of the end in the row of a conversation loses nothing, because the log tells', async () => {
    const { file, author } = await made(5);
    rawly(file, (database) => database.exec('UPDATE conversations SET next_seq = 2, next_event = 1'));
    const store = await freshStore({ file });
    const reader = await store.read(author.id);
    expect(reader && (await commitIds(reader))).toEqual(author.ids);
    const journal = await store.open(author.id, { owner: 'next' });
    await author.say(journal, 'goes on');
    expect(await commitIds(journal)).toEqual(author.ids);
    expect(journal.end).toEqual({ seq: 7, event: 6 });
  });

  test('damage that removes the end, or moves it very far, is reported at once as one span', async () => {
    const { file, author } = await made(10);
    rawly(file, (database) => database.exec('DELETE FROM commits WHERE position & 4294967295 > 8'));
    const store = await freshStore({ file });
    const reader = await store.read(author.id);
    expect(reader && (await commitIds(reader))).toEqual(author.ids.slice(0, 9));
    expect(reader?.damage).toMatchObject([{ from: 9, to: 10 }]);
    rawly(file, (database) => database.exec('UPDATE conversations SET next_seq = 1 << 31'));
    await reader?.refresh();
    expect(reader && (await commitIds(reader))).toEqual(author.ids.slice(0, 9));
    expect(reader?.damage).toMatchObject([{ from: 9, to: 2 ** 31 - 1 }]);
  });

  test('a damaged snapshot is not returned', async () => {
    const { file, author } = await made(3);
    const store = await freshStore({ file });
    const journal = await store.open(author.id, { owner: 'a' });
    await journal.saveSnapshot({ seq: journal.end.seq, version: 1, data: { text: 'whole' } });
    rawly(file, (database) => database.exec(`UPDATE snapshots SET data = replace(data, 'whole', 'whale')`));
    expect(await journal.snapshot()).toBeUndefined();
  });

  test('damage of the index of ids that SQLite finds makes locate search the log', async () => {
    const { file, author } = await made(30);
    const root = rawly(file, (raw) => raw.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'event_ids'").get());
    overwrite(file, (Number(root?.['rootpage']) - 1) * 4096, Buffer.alloc(4096, 0xff));
    const store = await freshStore({ file });
    const reader = await store.read(author.id);
    const [id] = (author.acknowledged[20]?.events ?? []).map((event) => event.id);
    expect(await reader?.locate(id ?? '')).toBe(19);
    expect(await reader?.locate('no event')).toBeUndefined();
  });

  test('the check finds damage of the index of ids', async () => {
    const { file, author } = await made(3);
    rawly(file, (database) => database.exec('DELETE FROM event_ids WHERE event = 1'));
    const store = await freshStore({ file });
    expect(await store.integrityCheck()).toEqual([
      { conversationId: author.id, problem: expect.stringContaining('event 1 ') as string },
    ]);
  });

  test('damage anywhere in the file gives a typed error, or equal commits and named missing ones', async () => {
    const { file, author } = await made(12);
    const whole = readFileSync(file);
    const expected = author.acknowledged.map(({ id, events }) => JSON.stringify({ id, events }));
    const place = fc.record({ offset: fc.nat(whole.length - 1), bit: fc.integer({ min: 0, max: 7 }) });
    await fc.assert(
      fc.asyncProperty(place, async ({ offset, bit }) => {
        const bytes = Uint8Array.from(whole);
        bytes[offset] = (bytes[offset] ?? 0) ^ (1 << bit);
        const copy = await freshFile();
        writeFileSync(copy, bytes);
        const { commits, lost, code } = await readAll(copy, author.id);
        expect(['none', 'CORRUPT', 'UNSUPPORTED', 'UNAVAILABLE', 'not found']).toContain(code);
        expect(expected.filter((_, seq) => code === 'none' && !lost.includes(seq))).toEqual(commits);
      }),
      { numRuns: 40 },
    );
  });
});

interface ReadBack {
  readonly commits: readonly string[];
  readonly lost: readonly number[];
  readonly code: string;
}

async function readAll(file: string, id: string): Promise<ReadBack> {
  const store = await freshStore({ file });
  try {
    const reader = await store.read(id);
    if (!reader) return { commits: [], lost: [], code: 'not found' };
    const commits = await Array.fromAsync(reader.commits());
    return {
      commits: commits.map((commit) => JSON.stringify({ id: commit.id, events: commit.events })),
      lost: reader.damage.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, step) => from + step)),
      code: 'none',
    };
  } catch (error) {
    return { commits: [], lost: [], code: isStoreError(error) ? error.code : String(error) };
  } finally {
    await store.close();
  }
}

describe('P13: a file that cannot be used', () => {
  test('a file that is not a database rejects CORRUPT with its name, and stays as it is', async () => {
    const file = await freshFile();
    writeFileSync(file, 'no database '.repeat(500));
    const store = await freshStore({ file });
    await expect(store.list()).rejects.toThrow(`[CORRUPT] database ${file}`);
    await expect(store.open(new Author().id, { owner: 'a' })).rejects.toMatchObject({ code: 'CORRUPT' });
    await expect(store.integrityCheck()).rejects.toMatchObject({ code: 'CORRUPT' });
    expect(readFileSync(file, 'utf8')).toBe('no database '.repeat(500));
  });

  test('a file that was cut rejects CORRUPT', async () => {
    const { file, author } = await made(30);
    truncateSync(file, 8192);
    const store = await freshStore({ file });
    await expect(store.open(author.id, { owner: 'a' })).rejects.toMatchObject({
      code: 'CORRUPT',
      cause: expect.any(Error) as Error,
    });
  });

  test('a database of another program rejects UNSUPPORTED and stays as it is', async () => {
    const file = await freshFile();
    const database = new DatabaseSync(file);
    database.exec('CREATE TABLE recipes (name TEXT)');
    database.close();
    const before = readFileSync(file);
    const store = await freshStore({ file });
    await expect(store.open(new Author().id, { owner: 'a' })).rejects.toMatchObject({ code: 'UNSUPPORTED' });
    await store.close();
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test('a database of a newer version rejects UNSUPPORTED and names both versions', async () => {
    const { file, author } = await made(1);
    rawly(file, (raw) => raw.exec(`INSERT INTO conv_schema VALUES (7, '2030-01-01')`));
    const store = await freshStore({ file });
    await expect(store.read(author.id)).rejects.toThrow(/^\[UNSUPPORTED\].*version 7.*knows 4 /);
    await expect(store.open(author.id, { owner: 'a' })).rejects.toMatchObject({ code: 'UNSUPPORTED' });
  });
});
