import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toConversationId } from '@conv/core/store';
import { FaultyDisk } from '@conv/testing-disk';
import { describe, expect, test } from 'vitest';
import { FsStore, nodeDisk, type Disk } from '../../src/index.ts';
import { foreign, keyOf } from '../support/foreign-folders.ts';

describe('a conversation that cannot be read', () => {
  const ways: Readonly<Record<string, (file: string) => void>> = {
    'a folder': (file) => mkdirSync(file),
    'a FIFO': (file) => void execFileSync('mkfifo', [file]),
    'a loop of links': (file) => symlinkSync(file, file),
  };

  test.each(Object.keys(ways).flatMap((way) => ['meta.json', 'base_state.json'].map((name) => [way, name])))(
    'P13: because of %s as %s is listed as unreadable, named, and hides no other',
    async (way, name) => {
      const directory = await foreign(3);
      const file = join(directory, keyOf(1), String(name));
      rmSync(file, { force: true });
      ways[String(way)]?.(file);
      const store = new FsStore({ directory });
      const { items } = await store.list({ total: true });
      expect(items).toHaveLength(3);
      expect(items.filter(({ unreadable }) => unreadable !== undefined)).toMatchObject([
        { id: toConversationId(keyOf(1)), unreadable: expect.stringContaining(String(name)) as string },
      ]);
      rmSync(file, { recursive: true });
      writeFileSync(file, JSON.stringify({ title: 'mended' }));
      expect((await store.list()).items.every(({ unreadable }) => unreadable === undefined)).toBe(true);
      await store.close();
    },
  );

  test.each(['stat', 'readFile'])(
    'P13: a conversation whose %s answers EACCES is listed as unreadable',
    async (call) => {
      const directory = await foreign(3);
      const { disk } = new FaultyDisk<Disk>(nodeDisk, ({ name, subject }) =>
        name === call && subject.includes(keyOf(1)) ? 'EACCES' : undefined,
      );
      const store = new FsStore({ directory, disk });
      const { items } = await store.list();
      expect(items).toHaveLength(3);
      expect(items.filter(({ unreadable }) => unreadable !== undefined).map(({ id }) => id)).toEqual([
        toConversationId(keyOf(1)),
      ]);
      await store.close();
    },
  );

  test('P13: a process without descriptors says so, instead of calling all of them unreadable', async () => {
    const { disk } = new FaultyDisk<Disk>(nodeDisk, ({ name }) => (name === 'readFile' ? 'EMFILE' : undefined));
    const store = new FsStore({ directory: await foreign(3), disk });
    await expect(store.list()).rejects.toMatchObject({ code: 'UNAVAILABLE', cause: { code: 'EMFILE' } });
    await store.close();
  });
});
