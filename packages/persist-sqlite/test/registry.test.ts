import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { registryConformance, type RegistryUnderTest } from '@conv/conformance';
import { describe, expect, onTestFinished, test } from 'vitest';
import { betterSqlite3, nodeSqlite, type SqliteDriver, SqliteRegistry } from '../src/index.ts';
import { freshFile, freshFolder, freshStore } from './fresh-folder.ts';
import { rawly } from './raw-database.ts';

async function make(driver: SqliteDriver): Promise<RegistryUnderTest> {
  const folder = await freshFolder();
  const opened: SqliteRegistry[] = [];
  const open = (): SqliteRegistry => {
    const registry = new SqliteRegistry({ file: join(folder, 'deep', 'conversations.db'), driver });
    opened.push(registry);
    return registry;
  };
  const dispose = async (): Promise<void> => {
    for (const registry of opened.toReversed()) await registry[Symbol.asyncDispose]();
  };
  return { registry: open(), again: async () => open(), dispose };
}

function freshRegistry(file: string): SqliteRegistry {
  const registry = new SqliteRegistry({ file });
  onTestFinished(() => registry[Symbol.asyncDispose]());
  return registry;
}

test('reading a registry makes no file', async () => {
  const file = await freshFile();
  const registry = freshRegistry(file);
  expect(await registry.get('keys', 'ann')).toBeUndefined();
  expect((await registry.list('keys')).items).toEqual([]);
  expect(existsSync(file)).toBe(false);
});

test('the first change makes a file that is private to its user', async () => {
  const file = await freshFile();
  await freshRegistry(file).put('keys', 'ann', 1, { expected: null });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test('P4: a registry in the file of a store leaves its conversations as they are', async () => {
  const store = await freshStore();
  const journal = await store.open('c0ffee00-0000-4000-8000-000000000001', { owner: 'test' });
  const registry = freshRegistry(store.file);
  await registry.put('keys', 'ann', 1, { expected: null });
  expect((await store.list()).items).toHaveLength(1);
  expect(await store.integrityCheck()).toEqual([]);
  expect(journal.lost.aborted).toBe(false);
  await journal.close();
});

test('a copy of the database has the records', async () => {
  const store = await freshStore();
  const version = await freshRegistry(store.file).put('keys', 'ann', { a: 1 }, { expected: null });
  const copy = join(dirname(store.file), 'copy.db');
  await store.backup(copy);
  expect(await freshRegistry(copy).get('keys', 'ann')).toEqual({ name: 'ann', value: { a: 1 }, version });
});

test('P4: a row that changed at rest hides no other record', async () => {
  const file = await freshFile();
  const registry = freshRegistry(file);
  for (const name of ['ann', 'bob']) await registry.put('keys', name, { own_only: 1 }, { expected: null });
  const change = `replace(value, '"own_only":1', '"own_only":0')`;
  rawly(file, (database) => database.exec(`UPDATE registry_entries SET value = ${change} WHERE name = 'ann'`));
  const { items, damaged } = await registry.list('keys');
  expect(items.map(({ name }) => name)).toEqual(['bob']);
  expect(damaged.map(String)).toEqual([expect.stringContaining('[DAMAGED] keys/ann: the row')]);
  await expect(registry.get('keys', 'ann')).rejects.toThrow('DAMAGED');
});

test('a database of another program is refused as UNAVAILABLE', async () => {
  const file = await freshFile();
  rawly(file, (database) => database.exec('CREATE TABLE other (a)'));
  const registry = freshRegistry(file);
  await expect(registry.put('keys', 'ann', 1, { expected: null })).rejects.toThrow('another program');
});

describe.each([nodeSqlite, betterSqlite3])('on $name', (driver) => {
  for (const { name, run } of registryConformance) test(name, () => run({ make: () => make(driver) }));
});
