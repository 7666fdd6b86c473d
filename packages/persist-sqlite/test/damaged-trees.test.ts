import { closeSync, globSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import type { JournalReader } from '@conv/core/store';
import { expect, test } from 'vitest';
import { Author, commitIds } from '@conv/testing-harness';
import { freshStore } from './fresh-folder.ts';
import { rawly } from './raw-database.ts';

const LONG = 'damage '.repeat(200);
const PAGE = 4096;

/** Makes a closed database with one conversation of this number of messages, a few on each page. */
async function made(messages: number): Promise<{ readonly file: string; readonly author: Author }> {
  const store = await freshStore();
  const author = new Author();
  const journal = await store.open(author.id, { owner: 'author' });
  await author.begin(journal);
  for (let at = 0; at < messages; at++) await author.say(journal, `message ${at} ${LONG}`);
  await journal.close();
  await store.close();
  return { file: store.file, author };
}

/** Finds the root page of the tree of commits, a branch; see https://www.sqlite.org/fileformat2.html, 1.6. */
function branchOf(file: string): { readonly at: number; readonly bytes: Buffer } {
  const sql = "SELECT rootpage AS page FROM sqlite_schema WHERE name = 'commits'";
  const page = rawly(file, (database) => Number(database.prepare(sql).get()?.['page']));
  const at = (page - 1) * PAGE;
  const bytes = readFileSync(file).subarray(at, at + PAGE);
  expect([bytes[0], bytes.readUInt16BE(3) > 3]).toEqual([5, true]);
  return { at, bytes };
}

/** Returns the offset of a child's page number in a branch. */
function childAt(bytes: Buffer, cell: number): number {
  return bytes.readUInt16BE(12 + 2 * cell);
}

/** Encodes a number as SQLite does: seven bits in a byte, the highest first. */
function varint(value: bigint): Buffer {
  const groups: number[] = [];
  for (let rest = value; rest > 0n; rest >>= 7n) groups.unshift(Number(rest & 127n) | (groups.length > 0 ? 128 : 0));
  return Buffer.from(groups);
}

/** Returns the offset of bytes in a leaf of a tree. */
function leafPlaceOf(file: string, wanted: Buffer): number {
  const bytes = readFileSync(file);
  for (let at = bytes.indexOf(wanted); at >= 0; at = bytes.indexOf(wanted, at + 1)) {
    if (bytes[at - (at % PAGE)] === 13) return at;
  }
  throw new Error('no leaf has it');
}

function overwrite(file: string, offset: number, bytes: Uint8Array): void {
  const opened = openSync(file, 'r+');
  writeSync(opened, bytes, 0, bytes.length, offset);
  closeSync(opened);
}

/** Reads a conversation; resolves with the ids of its readable commits, and with the numbers of the damaged ones. */
async function readAll(file: string, author: Author): Promise<{ ids: readonly string[]; lost: readonly number[] }> {
  const store = await freshStore({ file });
  const reader = (await store.read(author.id)) as JournalReader;
  const ids = await commitIds(reader);
  const lost = reader.damage.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, step) => from + step));
  await store.close();
  return { ids, lost };
}

test('P4: a tree of commits that leads back to its beginning is read once, and hidden commits are named', async () => {
  const { file, author } = await made(40);
  const { at, bytes } = branchOf(file);
  const first = bytes.subarray(childAt(bytes, 0), childAt(bytes, 0) + 4);
  overwrite(file, at + 8, first);
  const { ids, lost } = await readAll(file, author);
  expect(lost.length).toBeGreaterThan(0);
  expect(ids).toEqual(author.ids.filter((_, seq) => !lost.includes(seq)));
});

test('P4: a branch that leads to the wrong page loses its own commits, and later commits are read', async () => {
  const { file, author } = await made(40);
  const { at, bytes } = branchOf(file);
  overwrite(file, at + childAt(bytes, 1), bytes.subarray(8, 12));
  const { ids, lost } = await readAll(file, author);
  expect(lost.length).toBeGreaterThan(0);
  expect(lost.length).toBeLessThan(8);
  expect(ids).toEqual(author.ids.filter((_, seq) => !lost.includes(seq)));
});

test('P4: a commit under the wrong number replaces no other commit and hides none', async () => {
  const { file, author } = await made(40);
  // In a leaf, a varint in front of a row holds its number: one bit of its last byte makes 29 of 21.
  const at = leafPlaceOf(file, varint((1n << 32n) + 21n)) + 4;
  overwrite(file, at, Buffer.from([29]));
  const { ids, lost } = await readAll(file, author);
  expect(lost).toEqual([21]);
  expect(ids).toEqual(author.ids.filter((_, seq) => seq !== 21));
});

test('P4: lost commits that are read in parts are named as one span', async () => {
  const { file, author } = await made(10);
  rawly(file, (database) => database.exec('DELETE FROM commits WHERE position & 4294967295 BETWEEN 4 AND 6'));
  const store = await freshStore({ file });
  const reader = (await store.read(author.id)) as JournalReader;
  const part = async (from: number, to: number): Promise<unknown> => {
    await Array.fromAsync(reader.commits({ from: from as never, to: to as never }));
    return reader.damage.map((one) => [one.from, one.to]);
  };
  expect(await part(0, 5)).toEqual([[4, 4]]);
  expect(await part(0, 11)).toEqual([[4, 6]]);
  expect(await part(4, 5)).toEqual([[4, 6]]);
});

test.each([
  ['a column', 'first_event INTEGER', 'first_ewent INTEGER'],
  ['a table', 'CREATE TABLE commits', 'CREATE TABLE commitz'],
  ['a word', 'position INTEGER PRIMARY KEY', 'position INTEGER PRIMARY KEX'],
  ['a letter of the key', 'key INTEGER PRIMARY', 'kEy INTEGER PRIMARY'],
  ['a letter of the settings', 'kept TEXT', 'kEpt TEXT'],
  ['a letter of the version', 'version INTEGER PRIMARY', 'verSion INTEGER PRIMARY'],
])('P4: damage that renames %s in the schema makes the database CORRUPT', async (_, before, after) => {
  const { file, author } = await made(3);
  const bytes = readFileSync(file);
  const at = bytes.indexOf(before);
  expect(at).toBeGreaterThan(0);
  bytes.write(after, at);
  writeFileSync(file, bytes);
  // without the marks beside the database nothing else tells that the conversation was there
  for (const marks of globSync(`${file}-*`)) rmSync(marks);
  const store = await freshStore({ file });
  const read = async (): Promise<unknown> => commitIds((await store.read(author.id)) as JournalReader);
  await expect(read()).rejects.toMatchObject({ code: 'CORRUPT' });
  await expect(store.check(author.id)).rejects.toMatchObject({ code: 'CORRUPT' });
});

test('P4: a database without its schema version is CORRUPT, and is not created again', async () => {
  const { file, author } = await made(3);
  rawly(file, (database) => database.exec('DELETE FROM conv_schema'));
  const store = await freshStore({ file });
  await expect(store.read(author.id)).rejects.toMatchObject({ code: 'CORRUPT' });
  await expect(store.open(author.id, { owner: 'a' })).rejects.toMatchObject({ code: 'CORRUPT' });
});

test('P4: changing a row with a value of a type that its column refuses rejects CORRUPT', async () => {
  const { file, author } = await made(3);
  const strict = (from: string, to: string): void => {
    const bytes = readFileSync(file);
    bytes.write(to, bytes.indexOf(from, bytes.indexOf('CREATE TABLE conversations')));
    writeFileSync(file, bytes);
  };
  strict('STRICT', '      ');
  rawly(file, (database) => database.exec('UPDATE conversations SET status = CAST(status AS BLOB)'));
  strict('      ', 'STRICT');
  const store = await freshStore({ file });
  await expect(store.open(author.id, { owner: 'a' })).rejects.toMatchObject({ code: 'CORRUPT' });
});
