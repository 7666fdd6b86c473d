import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FsRegistry } from '@conv/persist-fs';
import { PostgresRegistry } from '@conv/persist-postgres';
import { expect, onTestFinished, test } from 'vitest';

import { openRegistry } from '../src/index.ts';

test.each(['fs:conversations', 'sqlite:conversations.db', 's3:bucket/prefix?region=x'])(
  'the registry of %s is in the folder, which the first change makes',
  async (store) => {
    const folder = await mkdtemp(join(tmpdir(), 'conv-registry-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const opened = await openRegistry(store, folder);
    expect(opened.registry).toBeInstanceOf(FsRegistry);
    expect(await opened.registry.list('keys')).toEqual({ items: [], damaged: [], next: undefined });
    expect(await readdir(folder)).toEqual([]);
    await opened.registry.put('keys', 'ann', 1, { expected: null });
    expect(await readdir(folder)).toEqual(['registry']);
    await opened.close();
  },
);

test('the registry of a store in PostgreSQL is in its database, where every server finds it', async () => {
  const opened = await openRegistry('postgres://user@127.0.0.1:9/database', 'unused');
  expect(opened.registry).toBeInstanceOf(PostgresRegistry);
  await opened.close();
});
