import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toConversationId, toConversationKey, type ConversationSummary } from '@conv/core/store';
import { systemPlatform, type Platform } from '@conv/core/platform';
import { type DiskCall, FaultyDisk, SimulatedDisk } from '@conv/testing-disk';
import { describe, expect, onTestFinished, test } from 'vitest';
import { diskWith } from '../../src/disk/node-disk.ts';
import { FsStore, nodeDisk, type Disk } from '../../src/index.ts';
import { Author, commitIds } from '../support/conversation-author.ts';
import { freshFolder } from '../support/fresh-folder.ts';

const MANY = 600;

function keyOf(number: number): string {
  return number.toString(16).padStart(32, '0');
}

/** A folder with conversations of OpenHands: each no more than its `meta.json`. */
async function foreign(count: number): Promise<string> {
  const directory = await freshFolder();
  for (let number = 0; number < count; number++) {
    mkdirSync(join(directory, keyOf(number)));
    title(directory, number, `number ${number}`);
  }
  return directory;
}

/** Says it as OpenHands does: in place. */
function title(directory: string, number: number, text: string): void {
  writeFileSync(
    join(directory, keyOf(number), 'meta.json'),
    JSON.stringify({ title: text, updated_at: '2026-01-01T00:00:00Z' }),
  );
}

/** A disk that counts the calls of it, each by its name. */
function counted(): { readonly disk: Disk; readonly calls: (name?: string) => number; readonly reset: () => void } {
  let names: string[] = [];
  const { disk } = new FaultyDisk(nodeDisk, ({ name }) => void names.push(name));
  return {
    disk,
    calls: (name) => names.filter((one) => name === undefined || one === name).length,
    reset: () => (names = []),
  };
}

/** Disk calls of pages. */
interface Costs {
  /** The name of each call. */
  readonly calls: readonly string[];
  /** The folders of conversations that a call was about. */
  readonly folders: readonly string[];
}

/**
 * Counts the disk calls for pages of a folder with this number of conversations, after a store has listed it: next, sorted and
 * counted pages.
 */
async function pageCosts(count: number, platform: Platform): Promise<Costs> {
  const directory = await foreign(count);
  const first = new FsStore({ directory, platform });
  await first.list();
  await first.close();
  old(directory);
  let seen: DiskCall[] = [];
  const { disk } = new FaultyDisk(diskWith(platform), (call) => void seen.push(call));
  const store = new FsStore({ directory, disk });
  let { next: page = '' } = await store.list({ limit: 100 });
  seen = [];
  for (let pages = 0; pages < 3; pages++) {
    const { items, next = '' } = await store.list({ limit: 100, page });
    expect(items).toHaveLength(100);
    page = next;
  }
  expect((await store.list({ limit: 100, sortBy: 'createdAt' })).items).toHaveLength(100);
  expect((await store.list({ limit: 1, total: true })).total).toBe(count);
  const calls = seen;
  // closing writes the file of summaries, once, however many pages there were
  seen = [];
  await store.close();
  return {
    calls: calls.map(({ name }) => name),
    folders: calls.map(({ subject }) => subject).filter((subject) => /[0-9a-f]{32}/.test(subject)),
  };
}

/** The clock of freshness, which stands still until it is moved. */
function stoppedClock(): { readonly platform: Platform; readonly pass: (milliseconds: number) => void } {
  let now = 1_000_000;
  const platform = { ...systemPlatform, monotonic: () => now };
  return { platform, pass: (milliseconds) => void (now += milliseconds) };
}

async function all(store: FsStore): Promise<ConversationSummary[]> {
  const found: ConversationSummary[] = [];
  for (let page: string | undefined; ;) {
    const { items, next } = await store.list({
      limit: 100,
      sortBy: 'createdAt',
      ...(page === undefined ? {} : { page }),
    });
    found.push(...items);
    if (next === undefined) return found;
    page = next;
  }
}

async function titleIn(store: FsStore, number: number): Promise<string | null | undefined> {
  return (await all(store)).find(({ id }) => id === toConversationId(keyOf(number)))?.title;
}

/** Makes folders look older than a step of the clock, because younger folders are checked again. */
function old(directory: string): void {
  execFileSync('find', [directory, '-exec', 'touch', '-d', '2026-01-01T00:00:00.5', '{}', '+']);
}

describe('a page', () => {
  test('P12: costs the same calls of the disk among 20,000 as among hundreds, and so does counting', async () => {
    const { platform } = stoppedClock();
    const costs: Costs[] = [];
    for (const count of [MANY, 20_000]) costs.push(await pageCosts(count, platform));
    const [few, many] = costs;
    expect(many?.calls).toEqual(few?.calls);
    expect(few?.calls.length).toBeLessThan(10);
    // no page, in whatever order, has read one of the folders
    expect(costs.map(({ folders }) => folders)).toEqual([[], []]);
  });

  test('P12: looks at a few folders in each turn of the event loop, whose other work continues', async () => {
    const directory = await foreign(MANY);
    let [inTurn, most] = [0, 0];
    const { disk } = new FaultyDisk(nodeDisk, () => void (most = Math.max(most, ++inTurn)));
    let turn = setImmediate(function next() {
      inTurn = 0;
      turn = setImmediate(next);
    });
    onTestFinished(() => clearImmediate(turn));
    const store = new FsStore({ directory, disk });
    expect((await store.list({ limit: 1, total: true })).total).toBe(MANY);
    await store.close();
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThan(MANY / 2);
  });

  test('P12: in a new process reads no folder that has not changed', async () => {
    const directory = await foreign(MANY);
    old(directory);
    const first = new FsStore({ directory });
    const before = await all(first);
    await first.close();
    title(directory, 7, 'another');
    const { disk, calls } = counted();
    const second = new FsStore({ directory, disk });
    const after = await all(second);
    expect(calls('readFile')).toBeLessThan(10);
    expect(before).toHaveLength(MANY);
    const changed = after.filter((item) => JSON.stringify(before).includes(JSON.stringify(item)) === false);
    expect(changed.map(({ title: text }) => text)).toEqual(['another']);
    await second.close();
  });

  test.each(['', 'conv summaries 2\n', 'conv summaries 1\nnonsense\n00000000 {}\n'])(
    'P13: is right with %j as the file of summaries',
    async (content) => {
      const directory = await foreign(MANY);
      mkdirSync(join(directory, '.conv-list'));
      writeFileSync(join(directory, '.conv-list', 'summaries'), content);
      const store = new FsStore({ directory });
      expect(new Set((await all(store)).map(({ title: text }) => text)).size).toBe(MANY);
      await store.close();
    },
  );

  test('P13: is right with any byte of the file of summaries damaged, and with a folder or FIFO in its place', async () => {
    const directory = await foreign(300);
    old(directory);
    const maker = new FsStore({ directory });
    const expected = await all(maker);
    await maker.close();
    const file = join(directory, '.conv-list', 'summaries');
    const whole = readFileSync(file);
    for (let at = 0; at < whole.length; at += Math.ceil(whole.length / 20)) {
      const damaged = Buffer.from(whole);
      damaged[at] = (damaged[at] ?? 0) ^ 4;
      writeFileSync(file, damaged);
      const store = new FsStore({ directory });
      expect(await all(store)).toEqual(expected);
      await store.close();
    }
    for (const make of [mkdirSync, (path: string) => execFileSync('mkfifo', [path])]) {
      rmSync(file, { recursive: true });
      make(file);
      const store = new FsStore({ directory });
      expect(await all(store)).toEqual(expected);
      await store.close();
    }
  });

  test('P13: needs no permission to write', async () => {
    const directory = await foreign(300);
    const { disk } = new FaultyDisk<Disk>(nodeDisk, ({ name }) =>
      ['makeFolder', 'rename', 'remove', 'write'].includes(name) ? 'EROFS' : undefined,
    );
    const store = new FsStore({ directory, disk });
    expect(await all(store)).toHaveLength(300);
    await store.close();
  });

  test('P2: of several stores that write the file of summaries at once is right, and so is the next one', async () => {
    const directory = await foreign(MANY);
    old(directory);
    const stores = Array.from({ length: 4 }, () => new FsStore({ directory }));
    const found = await Promise.all(stores.map(all));
    await Promise.all(stores.map((store) => store.close()));
    const { disk, calls } = counted();
    const next = new FsStore({ directory, disk });
    expect([...found, await all(next)].map(({ length }) => length)).toEqual(Array.from({ length: 5 }, () => MANY));
    expect(calls('readFile')).toBeLessThan(10);
    await next.close();
  });
});

describe('what changes', () => {
  test('P7: inside a folder by OpenHands shows within 5 seconds, even when the size is the same', async () => {
    const { platform, pass } = stoppedClock();
    const directory = await foreign(MANY);
    const store = new FsStore({ directory, platform });
    expect(await titleIn(store, 7)).toBe('number 7');
    title(directory, 7, 'Number 7');
    pass(5000);
    expect(await titleIn(store, 7)).toBe('Number 7');
    title(directory, 7, 'NUMBER 7');
    pass(2500);
    await store.list();
    pass(2500);
    expect(await titleIn(store, 7)).toBe('NUMBER 7');
    await store.close();
  });

  test('P1: here or by coming and going shows at once, also among many', async () => {
    const { platform } = stoppedClock();
    const directory = await foreign(MANY);
    const [store, other] = [new FsStore({ directory, platform }), new FsStore({ directory, platform })];
    await Promise.all([all(store), all(other)]);
    const author = new Author();
    const journal = await store.open(author.id, { owner: 'ours' });
    await author.begin(journal);
    await store.mirrorComplete(author.id);
    expect((await other.list({ limit: 1 })).items.map(({ id }) => id)).toEqual([author.id]);
    await author.change(journal, { set: { title: 'changed here' } });
    await store.mirrorComplete(author.id);
    expect((await store.list({ limit: 1 })).items[0]?.title).toBe('changed here');
    await author.change(journal, { set: { title: 'and closed' } });
    await journal.close();
    expect((await store.list({ limit: 1 })).items[0]?.title).toBe('and closed');
    await other.delete(author.id);
    expect(await all(store)).toHaveLength(MANY);
    await Promise.all([store.close(), other.close()]);
  });
});

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

  test.each(['stat', 'readFile'])('P13: because %s answers EACCES is listed as unreadable', async (call) => {
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
  });

  test('P13: a process without descriptors says so, instead of calling all of them unreadable', async () => {
    const { disk } = new FaultyDisk<Disk>(nodeDisk, ({ name }) => (name === 'readFile' ? 'EMFILE' : undefined));
    const store = new FsStore({ directory: await foreign(3), disk });
    await expect(store.list()).rejects.toMatchObject({ code: 'UNAVAILABLE', cause: { code: 'EMFILE' } });
    await store.close();
  });
});

describe('a process that dies while it makes a conversation', () => {
  test('P4: leaves nothing that is listed, and an id that a fork and a new one can have', async () => {
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

  test('P4: leaves an id that can be created again, and a living process keeps the id of its own', async () => {
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

test('P2: a folder that another program renamed is listed under its new name alone', async () => {
  const directory = await foreign(3);
  const store = new FsStore({ directory });
  await store.list();
  renameSync(join(directory, keyOf(1)), join(directory, keyOf(9)));
  const keys = (await store.list()).items.map(({ id }) => toConversationKey(id));
  expect(keys.sort()).toEqual([0, 2, 9].map(keyOf));
  await store.close();
});
