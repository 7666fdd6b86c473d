import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FsRegistry } from '@conv/persist-fs';
import { PostgresRegistry } from '@conv/persist-postgres';
import { S3Registry } from '@conv/persist-s3';
import { expect, onTestFinished, test } from 'vitest';

import { openRegistry } from '../src/index.ts';

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'conv-registry-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

test('the registry of a store of folders is in the folder, which the first change makes', async () => {
  const folder = await newFolder();
  const opened = await openRegistry('fs:conversations', folder);
  expect(opened.registry).toBeInstanceOf(FsRegistry);
  expect(await opened.registry.list('keys')).toEqual({ items: [], damaged: [], next: undefined });
  expect(await readdir(folder)).toEqual([]);
  await opened.registry.put('keys', 'ann', 1, { expected: null });
  expect(await readdir(folder)).toEqual(['registry']);
  await opened.close();
});

test('the registry of a store in SQLite is in its file', async () => {
  const folder = await newFolder();
  const store = `sqlite:${join(folder, 'conversations.db')}`;
  const opened = await openRegistry(store, 'unused');
  await opened.registry.put('keys', 'ann', 1, { expected: null });
  await opened.close();
  expect(await readdir(folder)).toEqual(['conversations.db']);
  const again = await openRegistry(store, 'unused');
  expect((await again.registry.get('keys', 'ann'))?.value).toBe(1);
  await again.close();
});

test('the registry of a store in PostgreSQL is in its database, where every server finds it', async () => {
  const opened = await openRegistry('postgres://user@127.0.0.1:9/database', 'unused');
  expect(opened.registry).toBeInstanceOf(PostgresRegistry);
  await opened.close();
});

test('the registry of a store in S3 is in its bucket, where every server finds it', async () => {
  const opened = await openRegistry('s3:bucket/prefix?region=x', 'unused');
  expect(opened.registry).toBeInstanceOf(S3Registry);
  await opened.close();
});
