import { FaultyDisk, SimulatedDisk } from '@conv/testing-disk';
import { describe, expect, test } from 'vitest';
import { FsStore } from '../../src/index.ts';
import { Author, commitIds } from '../support/conversation-author.ts';
import { freshFolder } from '../support/fresh-folder.ts';

describe('a process that dies while it makes a conversation', () => {
  test('P4: a process that dies while it makes a conversation leaves nothing listed, and a free id', async () => {
    let reached = 0;
    for (let limit = 0; ; limit++) {
      const disk = new SimulatedDisk();
      const [source, dying] = [new Author(), new Author()];
      const store = new FsStore({ directory: '/store', disk });
      await source.begin(await store.open(source.id, { owner: 'ours' }));
      await store.close();
      const { disk: ending } = new FaultyDisk(disk, ({ number }) => (number >= limit ? 'EIO' : undefined));
      const opened = await new FsStore({ directory: '/store', disk: ending })
        .open(dying.id, { owner: 'dying' })
        .then((journal) => journal.close().catch(() => {}))
        .then(
          () => true,
          () => false,
        );
      const next = new FsStore({ directory: '/store', disk });
      expect((await next.list()).items.map(({ id }) => id)).toEqual([source.id]);
      await next.fork(source.id, dying.id, { patch: {} });
      expect((await next.list()).items.map(({ id }) => id).sort()).toEqual([source.id, dying.id].sort());
      await next.close();
      reached = Math.max(reached, limit);
      if (opened) break;
    }
    expect(reached).toBeGreaterThan(20);
  });

  test('P4: a process that dies while it makes a conversation leaves an id that can be created again', async () => {
    const directory = await freshFolder();
    const [dead, living] = [new Author(), new Author()];
    const store = new FsStore({ directory });
    await store.open(living.id, { owner: 'living', create: 'must' });
    await (await store.open(dead.id, { owner: 'dead' })).close();
    const journal = await store.open(dead.id, { owner: 'next', create: 'must' });
    await dead.begin(journal);
    expect(await commitIds(journal)).toHaveLength(1);
    const other = new FsStore({ directory });
    await expect(other.fork(dead.id, living.id, { patch: {} })).rejects.toMatchObject({ code: 'EXISTS' });
    await expect(other.open(living.id, { owner: 'b', create: 'must' })).rejects.toMatchObject({ code: 'EXISTS' });
    await Promise.all([store.close(), other.close()]);
  });
});
