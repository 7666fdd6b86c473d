import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SqliteRegistry, SqliteStore } from '../src/index.ts';
import { refuseNetworkMount } from '../src/network-mount.ts';
import { Author, commitIds } from '@conv/testing-harness';
import { faultyDriver } from './faulty-driver.ts';
import { freshFile, freshFolder, freshStore } from './fresh-folder.ts';

async function written(store: SqliteStore): Promise<Author> {
  const author = new Author();
  const journal = await store.open(author.id, { owner: 'a' });
  await author.begin(journal);
  await author.say(journal, 'hello');
  await journal.close();
  return author;
}

test('the constructor refuses impossible options with a TypeError', () => {
  for (const file of ['', ':memory:']) expect(() => new SqliteStore({ file })).toThrow(TypeError);
  for (const [file, scheme] of [
    ['sqlite:conversations.db', 'sqlite:'],
    ['file:///srv/conversations.db', 'file:'],
  ] as const)
    for (const make of [() => new SqliteStore({ file }), () => new SqliteRegistry({ file })])
      expect(make).toThrow(`found an address; give the path without ${scheme}`);
  for (const leaseTimeout of [0, 99, -1, Number.NaN])
    expect(() => new SqliteStore({ file: 'x', leaseTimeout })).toThrow(TypeError);
  for (const busyTimeout of [-1, Number.NaN])
    expect(() => new SqliteStore({ file: 'x', busyTimeout })).toThrow(TypeError);
  for (const pollInterval of [0, Number.NaN])
    expect(() => new SqliteStore({ file: 'x', pollInterval })).toThrow(TypeError);
});

describe('a file that is not there', () => {
  test('the first conversation makes the missing file and its folder', async () => {
    const file = join(await freshFolder(), 'a', 'b', 'conversations.db');
    const store = await freshStore({ file });
    await written(store);
    expect(statSync(file).isFile()).toBe(true);
  });

  test('reading, listing, deleting and forking do not make a missing file', async () => {
    const file = join(await freshFolder(), 'none', 'conversations.db');
    const store = await freshStore({ file });
    const { id } = new Author();
    expect(await store.list()).toEqual({ items: [] });
    expect(await store.read(id)).toBeUndefined();
    await store.delete(id);
    await expect(store.open(id, { owner: 'a', create: 'never' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(store.fork(id, new Author().id, { patch: {} })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(store.backup(`${file}.copy`)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(store.integrityCheck()).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(existsSync(join(file, '..'))).toBe(false);
  });

  test.each([false, true])('reading an empty file leaves it empty (readOnly: %s)', async (readOnly) => {
    const file = join(await freshFolder(), 'conversations.db');
    writeFileSync(file, '');
    const store = await freshStore({ file, readOnly });
    expect(await store.list()).toEqual({ items: [] });
    expect(await store.read(new Author().id)).toBeUndefined();
    expect((await store.check(undefined)).findings).toEqual([]);
    await expect(store.integrityCheck()).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(readdirSync(join(file, '..'))).toEqual(['conversations.db']);
    expect(statSync(file).size).toBe(0);
    if (!readOnly) await written(store);
  });

  test('P4: an empty file beside a log with commits is refused, and the log stays', async () => {
    const file = join(await freshFolder(), 'conversations.db');
    await written(await freshStore({ file }));
    const wal = `${file}-wal`;
    const size = statSync(wal).size;
    truncateSync(file, 0);
    const store = await freshStore({ file });
    const refused = { code: 'CORRUPT', message: expect.stringContaining(wal) as string };
    await expect(store.list()).rejects.toMatchObject(refused);
    await expect(store.open(new Author().id, { owner: 'a' })).rejects.toMatchObject(refused);
    expect(size).toBeGreaterThan(0);
    expect(statSync(wal).size).toBe(size);
  });

  test(
    'P13: a file whose folder cannot be made is refused at once',
    { skip: process.platform !== 'linux' },
    async () => {
      const store = await freshStore({ file: '/proc/none/conversations.db' });
      const opening = store.open(new Author().id, { owner: 'a' });
      await expect(opening).rejects.toMatchObject({
        code: 'UNAVAILABLE',
        message: expect.stringContaining('/proc/none/conversations.db') as string,
      });
    },
  );

  test('a folder in the place of the file rejects UNAVAILABLE', async () => {
    const file = await freshFile();
    mkdirSync(file);
    const store = await freshStore({ file });
    await expect(store.open(new Author().id, { owner: 'a' })).rejects.toThrow(`[UNAVAILABLE] database ${file}`);
  });
});

describe('reading alone', () => {
  test('a read-only store shows everything and rejects every write with DENIED', async () => {
    const first = await freshStore();
    const author = await written(first);
    const store = await freshStore({ file: first.file, readOnly: true });
    const reader = await store.read(author.id);
    expect(reader && (await commitIds(reader))).toEqual(author.ids);
    expect((await store.list()).items.map(({ id }) => id)).toEqual([author.id]);
    expect(await store.integrityCheck()).toEqual([]);
    await store.backup(`${first.file}.copy`);
    for (const attempt of [
      store.open(author.id, { owner: 'a' }),
      store.fork(author.id, new Author().id, { patch: {} }),
      store.delete(author.id),
    ])
      await expect(attempt).rejects.toMatchObject({ code: 'DENIED' });
  });

  test('a read-only store on a missing file finds nothing and makes nothing', async () => {
    const store = await freshStore({ readOnly: true });
    expect(await store.list()).toEqual({ items: [] });
    expect(existsSync(store.file)).toBe(false);
  });

  test('a file that may not be written is read, and opening for writing rejects DENIED', async () => {
    const first = await freshStore();
    const author = await written(first);
    const store = await freshStore({ file: first.file, driver: faultyDriver({ deny: true }) });
    const reader = await store.read(author.id);
    expect(reader && (await commitIds(reader))).toEqual(author.ids);
    await expect(store.open(author.id, { owner: 'a' })).rejects.toMatchObject({ code: 'DENIED' });
  });
});

describe('network file systems', () => {
  test('P2: a file on a network file system is refused with UNSUPPORTED, which names the file system', async () => {
    const file = await freshFile();
    const refused = (): void => refuseNetworkMount(file, () => 0x6969);
    expect(refused).toThrow(/^\[UNSUPPORTED\].*NFS/);
  });

  test('a network file system is recognised by a negative number too', async () => {
    const file = await freshFile();
    expect(() => refuseNetworkMount(file, () => 0xff534d42 | 0)).toThrow('CIFS');
  });

  test('a folder that does not exist yet counts as the nearest one above it', async () => {
    const folder = await freshFolder();
    const asked: string[] = [];
    refuseNetworkMount(join(folder, 'x', 'y', 'z.db'), (at) => {
      asked.push(at);
      return 0xef53;
    });
    expect(asked).toEqual([folder]);
  });
});

test('a driver that cannot be loaded rejects UNSUPPORTED with its name', async () => {
  const store = await freshStore({ driver: { name: 'no such driver', module: 'file:///no/such/driver.js' } });
  await expect(store.open(new Author().id, { owner: 'a' })).rejects.toThrow(/^\[UNSUPPORTED\].*no such driver/);
});

describe('the file of a database', () => {
  test('P9: a database and the files beside it are for their user alone; an existing folder keeps its mode', async () => {
    const there = await freshFolder();
    chmodSync(there, 0o755);
    const file = join(there, 'made', 'conversations.db');
    const store = await freshStore({ file });
    const author = new Author();
    await author.begin(await store.open(author.id, { owner: 'a' }));
    const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8);
    expect(
      readdirSync(join(there, 'made'))
        .map((name) => `${name} ${mode(join(there, 'made', name))}`)
        .sort(),
    ).toEqual([
      'conversations.db 600',
      'conversations.db-ends 600',
      'conversations.db-kept 600',
      'conversations.db-shm 600',
      'conversations.db-wal 600',
    ]);
    expect([mode(join(there, 'made')), mode(there)]).toEqual(['700', '755']);
  });

  test('P2: a hundred first opens of ten stores make the file once', async () => {
    const file = join(await freshFolder(), 'a', 'b', 'conversations.db');
    const stores = await Promise.all(Array.from({ length: 10 }, () => freshStore({ file })));
    const opened = await Promise.allSettled(
      stores.flatMap((store) => Array.from({ length: 10 }, () => store.open(new Author().id, { owner: 'first' }))),
    );
    expect(opened.filter(({ status }) => status === 'rejected')).toEqual([]);
    expect(readdirSync(join(file, '..')).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  test('P13: a FIFO in the place of the file rejects UNAVAILABLE and is named, and the store can be closed', async () => {
    const file = join(await freshFolder(), 'conversations.db');
    execFileSync('mkfifo', [file]);
    const store = await freshStore({ file });
    for (const attempt of [() => store.open(new Author().id, { owner: 'a' }), () => store.list()])
      await expect(attempt()).rejects.toMatchObject({
        code: 'UNAVAILABLE',
        message: expect.stringContaining(file) as string,
      });
    const reading = await freshStore({ file, readOnly: true });
    await expect(reading.list()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await Promise.all([store.close(), reading.close()]);
  });
});
