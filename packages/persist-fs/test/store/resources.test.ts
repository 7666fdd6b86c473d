import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { isStoreError, toConversationKey } from '@conv/core/store';
import { systemPlatform, type Platform } from '@conv/core/platform';
import { FaultyDisk, SimulatedDisk, type DiskCall } from '@conv/testing-disk';
import { describe, expect, test } from 'vitest';
import { FsStore, nodeDisk, type Finding } from '../../src/index.ts';
import { Author, commitIds } from '../support/conversation-author.ts';
import { freshFolder } from '../support/fresh-folder.ts';

/** Milliseconds between two heartbeats. */
const HEARTBEAT = 5000;

const NOTHING = { files: [], watches: 0 };

/** A store on a disk in memory that fails as `fault` says at the time, and a conversation in it. */
class Bench {
  fault: (call: DiskCall) => string | undefined = () => undefined;
  /** Heartbeats that wait for the test to let them come. */
  readonly beats = new Set<() => void>();
  readonly #platform: Platform = {
    ...systemPlatform,
    setTimer: (milliseconds, work, options) => {
      if (milliseconds !== HEARTBEAT) return systemPlatform.setTimer(milliseconds, work, options);
      this.beats.add(work);
      const cancel = (): void => void this.beats.delete(work);
      return { cancel, [Symbol.dispose]: cancel };
    },
  };
  readonly faulty = new FaultyDisk(new SimulatedDisk({ platform: this.#platform }), (call) => this.fault(call));
  readonly store = new FsStore({ directory: '/store', disk: this.faulty.disk });
  readonly author = new Author();
}

describe('descriptors', () => {
  test('P12: an idle open conversation holds two descriptors, a closed one and an idle reader hold none', async () => {
    const { store, author, faulty, beats } = new Bench();
    const journal = await store.open(author.id, { owner: 'ours' });
    await author.begin(journal);
    await author.say(journal, 'hello');
    await store.mirrorComplete(author.id);
    for (const beat of beats) beat();
    expect(faulty.held.files.map((path) => basename(path).slice(0, 5)).sort()).toEqual(['epoch', 'owner']);
    expect(beats.size).toBe(1);
    await journal.close();
    expect(beats.size).toBe(0);
    expect(faulty.held).toEqual(NOTHING);
    const reader = await store.read(author.id);
    expect(await commitIds(reader as NonNullable<typeof reader>)).toHaveLength(2);
    expect(await reader?.locate(author.acknowledged[1]?.events[0]?.id ?? '')).toBe(0);
    expect(faulty.held).toEqual(NOTHING);
    await store.close();
  });

  test('P12: opening and closing again and again holds no descriptor', async () => {
    const { store, author, faulty } = new Bench();
    for (let round = 0; round < 20; round++) {
      const journal = await store.open(author.id, { owner: 'ours' });
      if (round === 0) await author.begin(journal);
      await author.say(journal, `round ${round}`);
      await journal.close();
      expect(faulty.held).toEqual(NOTHING);
    }
    await store.close();
  });

  test.each(['EMFILE', 'EIO', 'EACCES'])(
    'P13: close() that meets %s at the lease gives everything back, says so typed, and can be tried again',
    async (code) => {
      const bench = new Bench();
      const { store, author, faulty } = bench;
      const journal = await store.open(author.id, { owner: 'ours' });
      await author.begin(journal);
      bench.fault = ({ name, subject }) => (name === 'open' && subject.endsWith('owner_lease.json') ? code : undefined);
      const failure = { code: code === 'EACCES' ? 'DENIED' : 'UNAVAILABLE', cause: { code } };
      await expect(journal.close()).rejects.toMatchObject(failure);
      expect(faulty.held).toEqual(NOTHING);
      await expect(journal.close()).rejects.toMatchObject(failure);
      await expect(store.close()).rejects.toMatchObject(failure);
      const next = await new FsStore({ directory: '/store', disk: faulty.disk }).read(author.id);
      expect(await commitIds(next as NonNullable<typeof next>)).toEqual(author.acknowledged.map(({ id }) => id));
      bench.fault = () => undefined;
      await journal.close();
      await journal.close();
      expect(faulty.disk.stat(`/store/${toConversationKey(author.id)}/owner_lease.json`)).toBeUndefined();
      await store.close();
    },
  );

  test('P13: close() with a folder in place of the lease gives everything back and leaves the folder', async () => {
    const directory = await freshFolder();
    const store = new FsStore({ directory });
    const author = new Author();
    // other descriptors of this process may come and go
    const held = (): readonly string[] => readdirSync('/proc/self/fd').flatMap((name) => targetOf(name, directory));
    const journal = await store.open(author.id, { owner: 'ours' });
    await author.begin(journal);
    const lease = join(directory, toConversationKey(author.id), 'owner_lease.json');
    rmSync(lease);
    mkdirSync(lease);
    expect(held()).not.toEqual([]);
    await journal.close();
    expect(held()).toEqual([]);
    expect(statSync(lease).isDirectory()).toBe(true);
    await store.close();
  });
});

describe('first opens at once', () => {
  test('P2: a hundred first opens in folders that are not there are all taken', async () => {
    const directory = join(await freshFolder(), 'a', 'b', 'c');
    const stores = Array.from({ length: 4 }, () => new FsStore({ directory }));
    const opened = await Promise.allSettled(
      stores.flatMap((store) => Array.from({ length: 25 }, () => store.open(randomUUID(), { owner: 'first' }))),
    );
    expect(opened.filter(({ status }) => status === 'rejected')).toEqual([]);
    expect(readdirSync(directory).filter((name) => /^[0-9a-f]{32}$/.test(name))).toHaveLength(100);
    await Promise.all(stores.map((store) => store.close()));
  });

  test('P4: a folder that another one has just made is durable before anything in it is acknowledged', async () => {
    const disk = new SimulatedDisk();
    disk.makeFolder('/store');
    const { author } = new Bench();
    const store = new FsStore({ directory: '/store', disk });
    await author.begin(await store.open(author.id, { owner: 'second' }));
    const after = disk.crash({ names: () => false, sector: () => false });
    const reader = await new FsStore({ directory: '/store', disk: after }).read(author.id);
    expect(reader?.end.seq).toBe(1);
    await store.close();
  });
});

describe('a deletion', () => {
  test('P13: a deletion that cannot empty the folder is reported, and finished by the next one', async () => {
    const findings: Finding[] = [];
    const disk = {
      ...nodeDisk,
      removeFolder: (path: string) => Promise.reject(Object.assign(new Error(path), { code: 'EBUSY' })),
    };
    const directory = await freshFolder();
    const store = new FsStore({ directory, disk, report: (finding) => findings.push(finding) });
    const authors = [new Author(), new Author()];
    for (const author of authors) {
      await author.begin(await store.open(author.id, { owner: 'ours' }));
    }
    await store.close();
    const again = new FsStore({ directory, disk, report: (finding) => findings.push(finding) });
    for (const { id } of authors) {
      await again.delete(id);
      expect(await again.read(id)).toBeUndefined();
    }
    expect(findings.map(({ kind }) => kind)).toEqual(['leftover', 'leftover', 'leftover']);
    await again.close();
    const last = new FsStore({ directory });
    const third = new Author();
    await (await last.open(third.id, { owner: 'ours' })).close();
    await last.delete(third.id);
    expect(readdirSync(directory)).toEqual([]);
    await last.close();
  });
});

describe('what is in place of a file', () => {
  const places = [
    '.conv/epoch-00000001.wal',
    '.conv/index',
    '.conv/snapshot',
    '.conv/owner.json',
    'base_state.json',
    'meta.json',
    'owner_lease.json',
    'events/event-00000-x.json',
    '.conv/restored',
    '.conv',
    'events',
  ];

  test.each(places)('P13: a FIFO as %s holds up neither a reader, a list, a fork nor an opener', async (place) => {
    const directory = await freshFolder();
    const author = new Author();
    const store = new FsStore({ directory });
    const journal = await store.open(author.id, { owner: 'ours' });
    await author.begin(journal);
    await author.say(journal, 'hello');
    await journal.saveSnapshot({ seq: journal.end.seq, version: 1, data: {} });
    await journal.close();
    const path = join(directory, toConversationKey(author.id), place);
    rmSync(path, { force: true, recursive: true });
    execFileSync('mkfifo', [path]);
    await settles(() => store.list());
    await settles(async () => {
      const reader = await store.read(author.id);
      if (!reader) return;
      await commitIds(reader);
      await reader.locate(author.acknowledged[1]?.events[0]?.id ?? '');
      await reader.snapshot();
    });
    await settles(() => store.fork(author.id, randomUUID(), { patch: {} }));
    await settles(async () => (await store.open(author.id, { owner: 'next' })).close());
    await settles(() => store.delete(author.id));
    await settles(() => store.close());
  });

  test('P13: an index that is a link is not written through', async () => {
    const directory = await freshFolder();
    const elsewhere = join(await freshFolder(), 'precious');
    writeFileSync(elsewhere, 'precious');
    const author = new Author();
    const store = new FsStore({ directory });
    await author.begin(await store.open(author.id, { owner: 'ours' }));
    await store.close();
    const index = join(directory, toConversationKey(author.id), '.conv', 'index');
    rmSync(index);
    symlinkSync(elsewhere, index);
    const again = new FsStore({ directory });
    await settles(async () => author.say(await again.open(author.id, { owner: 'next' }), 'hello'));
    await settles(() => again.close());
    expect(statSync(elsewhere).size).toBe('precious'.length);
  });
});

describe('modes', () => {
  test('P9: folders that are made are for their user alone, and so is every file', async () => {
    const directory = join(await freshFolder(), 'store');
    const store = new FsStore({ directory });
    const [author, fork] = [new Author(), new Author()];
    const journal = await store.open(author.id, { owner: 'ours' });
    await author.begin(journal);
    await author.say(journal, 'hello');
    await journal.saveSnapshot({ seq: journal.end.seq, version: 1, data: {} });
    await store.fork(author.id, fork.id, { patch: {} });
    await store.mirrorComplete(fork.id);
    await store.mirrorComplete(author.id);
    const modes = new Set(
      [directory, ...readdirSync(directory, { recursive: true }).map((name) => join(directory, String(name)))].map(
        (path) => {
          const found = statSync(path);
          return `${found.isDirectory() ? 'folder' : 'file'} ${(found.mode & 0o777).toString(8)}`;
        },
      ),
    );
    expect([...modes].sort()).toEqual(['file 600', 'folder 700']);
    await store.close();
  });

  test('P9: a folder that its user made keeps its mode', async () => {
    const directory = await freshFolder();
    chmodSync(directory, 0o755);
    const store = new FsStore({ directory });
    const author = new Author();
    await author.begin(await store.open(author.id, { owner: 'ours' }));
    await store.close();
    expect(statSync(directory).mode & 0o777).toBe(0o755);
  });
});

/** Returns the file of a descriptor of this process, if it lies in the folder. */
function targetOf(descriptor: string, folder: string): readonly string[] {
  try {
    const target = readlinkSync(join('/proc/self/fd', descriptor));
    return target.startsWith(realpathSync(folder)) ? [target] : [];
  } catch {
    // the descriptor of the look itself is closed
    return [];
  }
}

/** Resolves when the action ends. Expects that an error has a code. */
async function settles(action: () => Promise<unknown>): Promise<void> {
  const error: unknown = await action().then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toSatisfy((thrown) => thrown === undefined || isStoreError(thrown));
}
