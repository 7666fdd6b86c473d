import { mkdirSync, readdirSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toConversationKey } from '@conv/core/store';
import { SimulatedDisk } from '@conv/testing-disk';
import { describe, expect, test } from 'vitest';
import { FsStore, nodeDisk, type Disk } from '../../src/index.ts';
import { Author, commitIds } from '../support/conversation-author.ts';
import { freshFolder } from '../support/fresh-folder.ts';

async function made(directory: string, messages = 0): Promise<Author> {
  const store = new FsStore({ directory });
  const author = new Author();
  const journal = await store.open(author.id, { owner: 'ours' });
  await author.begin(journal);
  for (let count = 0; count < messages; count++) await author.say(journal, `message ${count}`);
  await store.close();
  return author;
}

describe('ids and links', () => {
  test.each(['../../etc', '..', '', 'a/b', '.deleted-x', '\0', 'x'.repeat(32)])(
    'P13: %j is refused with INVALID_ID and touches nothing',
    async (id) => {
      const directory = await freshFolder();
      const store = new FsStore({ directory });
      for (const attempt of [
        store.open(id, { owner: 'a' }),
        store.read(id),
        store.delete(id),
        store.fork(id, id, { patch: {} }),
      ]) {
        await expect(attempt).rejects.toMatchObject({ code: 'INVALID_ID' });
      }
      expect(readdirSync(directory)).toEqual([]);
      await store.close();
    },
  );

  test('P2: a conversation that is a link to a folder elsewhere is refused with DENIED', async () => {
    const [directory, elsewhere] = [await freshFolder(), await freshFolder()];
    const author = await made(elsewhere);
    symlinkSync(join(elsewhere, toConversationKey(author.id)), join(directory, toConversationKey(author.id)));
    const store = new FsStore({ directory });
    await expect(store.open(author.id, { owner: 'a' })).rejects.toMatchObject({ code: 'DENIED' });
    await expect(store.read(author.id)).rejects.toMatchObject({ code: 'DENIED' });
    await expect(store.delete(author.id)).rejects.toMatchObject({ code: 'DENIED' });
    expect((await store.list()).items).toEqual([]);
    expect(statSync(join(elsewhere, toConversationKey(author.id))).isDirectory()).toBe(true);
    await store.close();
  });

  test('P2: a conversation whose log is a link is refused with DENIED', async () => {
    const directory = await freshFolder();
    const author = await made(directory);
    const folder = join(directory, toConversationKey(author.id));
    renameSync(join(folder, '.conv'), join(directory, 'moved'));
    symlinkSync(join(directory, 'moved'), join(folder, '.conv'));
    const store = new FsStore({ directory });
    await expect(store.open(author.id, { owner: 'a' })).rejects.toMatchObject({ code: 'DENIED' });
    await store.close();
  });
});

test('options that cannot work are a TypeError', () => {
  expect(() => new FsStore({ directory: '' })).toThrow(TypeError);
  for (const leaseTimeout of [0, -1, Number.NaN])
    expect(() => new FsStore({ directory: 'x', leaseTimeout })).toThrow(TypeError);
});

describe('network file systems', () => {
  const onNfs: Disk = { ...nodeDisk, fileSystem: () => 0x6969 };

  test('P2: network file systems are refused with UNSUPPORTED, named', async () => {
    const store = new FsStore({ directory: await freshFolder(), disk: onNfs });
    const opening = store.open(new Author().id, { owner: 'a' });
    await expect(opening).rejects.toMatchObject({ code: 'UNSUPPORTED' });
    await expect(opening).rejects.toThrow('NFS');
    await store.close();
  });

  test('network file systems are taken when allowed', async () => {
    const store = new FsStore({ directory: await freshFolder(), disk: onNfs, allowNetworkMount: true });
    const author = new Author();
    await author.begin(await store.open(author.id, { owner: 'a' }));
    await store.close();
  });

  test('a number that the system gives with a sign is recognised', async () => {
    const store = new FsStore({
      directory: await freshFolder(),
      disk: { ...nodeDisk, fileSystem: () => 0xff534d42 | 0 },
    });
    await expect(store.open(new Author().id, { owner: 'a' })).rejects.toMatchObject({ code: 'UNSUPPORTED' });
    await store.close();
  });
});

describe('a list', () => {
  test('P13: a list shows damaged conversations as far as possible and strange names not at all', async () => {
    const directory = await freshFolder();
    const authors = [await made(directory), await made(directory)];
    const folder = join(directory, toConversationKey(authors[0]?.id ?? ''));
    writeFileSync(join(folder, 'base_state.json'), '{"id":');
    writeFileSync(join(folder, 'meta.json'), '');
    mkdirSync(join(directory, 'f'.repeat(32)));
    mkdirSync(join(directory, 'notes'));
    writeFileSync(join(directory, 'e'.repeat(32)), '');
    const store = new FsStore({ directory });
    const { items } = await store.list();
    expect(items.map(({ id }) => id).sort()).toEqual(authors.map(({ id }) => id).sort());
    await store.close();
  });

  test('a list of a folder that is not there is empty', async () => {
    const store = new FsStore({ directory: join(await freshFolder(), 'none') });
    expect(await store.list()).toEqual({ items: [] });
    await store.close();
  });

  test('a list rejects when the folder cannot be read, instead of being empty', async () => {
    const denied: Disk = {
      ...nodeDisk,
      readFolder: () => Promise.reject(Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' })),
    };
    const store = new FsStore({ directory: await freshFolder(), disk: denied });
    await expect(store.list()).rejects.toMatchObject({ code: 'DENIED' });
    await store.close();
  });
});

describe('a fork', () => {
  test('a fork shares the bytes of its source and has a complete mirror soon', async () => {
    const directory = await freshFolder();
    const source = await made(directory, 5);
    const store = new FsStore({ directory });
    const fork = new Author();
    await store.fork(source.id, fork.id, { patch: { set: { id: fork.id, title: 'a fork' } } });
    const [from, to] = [source.id, fork.id].map((id) =>
      join(directory, toConversationKey(id), '.conv', 'epoch-00000001.wal'),
    );
    expect(statSync(to ?? '').ino).toBe(statSync(from ?? '').ino);
    await store.mirrorComplete(fork.id);
    expect(readdirSync(join(directory, toConversationKey(fork.id), 'events'))).toHaveLength(5);
    expect((await store.list()).items.find(({ id }) => id === fork.id)).toMatchObject({ title: 'a fork' });
    await store.close();
  });

  test('a fork made while its source is written does not get later commits of the source', async () => {
    const directory = await freshFolder();
    const store = new FsStore({ directory });
    const [source, fork] = [new Author(), new Author()];
    const journal = await store.open(source.id, { owner: 'ours' });
    await source.begin(journal);
    await source.say(journal, 'before');
    await store.fork(source.id, fork.id, { patch: { set: { id: fork.id } } });
    await source.say(journal, 'after');
    const opened = await store.open(fork.id, { owner: 'ours' });
    const ids = source.acknowledged.map(({ id }) => id);
    expect((await commitIds(opened)).slice(0, -1)).toEqual(ids.slice(0, 2));
    expect(await commitIds(journal)).toEqual(ids);
    await store.close();
  });

  test('a fork on a file system without hard links is a copy', async () => {
    const noLinks = new SimulatedDisk({ fault: ({ kind }) => (kind === 'link' ? { code: 'EPERM' } : undefined) });
    const store = new FsStore({ directory: '/store', disk: noLinks });
    const [source, fork] = [new Author(), new Author()];
    const journal = await store.open(source.id, { owner: 'ours' });
    await source.begin(journal);
    await source.say(journal, 'hello');
    await store.fork(source.id, fork.id, { patch: { set: { id: fork.id } } });
    const reader = await store.read(fork.id);
    expect(reader && (await commitIds(reader)).slice(0, -1)).toEqual(source.acknowledged.map(({ id }) => id));
    await store.close();
  });
});
