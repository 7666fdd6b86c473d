import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { copyStore } from '@conv/store-kit';
import { MemoryStore } from '@conv/core/store';
import { expect, onTestFinished, test } from 'vitest';
import { FsStore } from '../../src/index.ts';
import { freshFolder } from '../support/fresh-folder.ts';

const ID = '00000000-0000-4000-8000-00000000000c';

test('a store whose folder is a file rejects lists, reads, opens and deletions by name', async () => {
  const directory = join(await freshFolder(), 'conversations.db');
  writeFileSync(directory, 'not a folder');
  const store = new FsStore({ directory });
  onTestFinished(() => store.close());
  const refused = { code: 'UNAVAILABLE', message: expect.stringContaining(directory) as string };
  await expect(store.list()).rejects.toMatchObject(refused);
  await expect(store.list()).rejects.toMatchObject(refused);
  await expect(store.read(ID)).rejects.toMatchObject(refused);
  await expect(store.check(ID)).rejects.toMatchObject(refused);
  await expect(store.open(ID, { owner: 'writer' })).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    message: expect.stringContaining('a part of this path is a file: name a folder'),
  });
  await expect(store.delete(ID)).rejects.toMatchObject(refused);
  await expect(Array.fromAsync(copyStore(store, new MemoryStore()))).rejects.toMatchObject(refused);
});
