import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';

import { PythonForks } from '../src/peers/adapters/python-process.ts';
import { ALL_PEERS } from '../src/peers/all-peers.ts';
import { Databases } from '../src/peers/databases.ts';
import { bytesOf } from '../src/peers/disk-use.ts';
import { arePeersInstalled, pinnedVersions } from '../src/peers/install.ts';
import { EFFECTS, nameOf, textOf, textsOf, type Peer, type PeerPlace } from '../src/peers/peer.ts';
import { PEERS_PYTHON } from '../src/peers/python.ts';

const LOCK = join(import.meta.dirname, '../peers/pnpm-lock.yaml');
const isInstalled = await arePeersInstalled();
const hasPython = existsSync(PEERS_PYTHON);
const usable = ALL_PEERS.filter(({ packages, needs }) =>
  needs === 'python' ? hasPython : packages.length === 0 || isInstalled,
);
const databases = await Databases.start();
const forks = hasPython ? await PythonForks.start() : undefined;
afterAll(async () => {
  await databases[Symbol.asyncDispose]();
  await forks?.[Symbol.asyncDispose]();
});

const made = new Map<string, Promise<string>>();

/** Tests of a program share its database: to make one takes longer than a test. */
function databaseOf({ key }: Peer): Promise<string> {
  const database = made.get(key) ?? databases.make();
  made.set(key, database);
  return database;
}

async function makePlace(peer: Peer): Promise<PeerPlace> {
  const directory = mkdtempSync(join(tmpdir(), 'conv-bench-adapter-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return peer.kind === 'postgres' ? { directory, database: await databaseOf(peer) } : { directory };
}

describe.each(usable.map((peer) => [peer.title, peer] as const))('the adapter of %s', (_, peer: Peer) => {
  test('an adapter reads what it filled and appended, whole and from its end', async () => {
    const store = await (await peer.load())(await makePlace(peer));
    const id = crypto.randomUUID();
    await store.fill(id, textsOf(60));
    const thread = await store.open(id);
    expect((await thread.last(50, 60)).map(nameOf)).toEqual(namesFrom(10, 60));
    await thread.append(textOf('next'));
    expect((await thread.all()).map(nameOf)).toEqual([...namesFrom(0, 60), 'next']);
    expect(store.fork !== undefined || peer.remarks?.fork?.startsWith('no fork')).toBe(true);
    const copy = crypto.randomUUID();
    if (store.fork) await store.fork(id, copy);
    // a branch in the same thread has no id of its own
    const forked = store.fork && peer.remarks?.fork === undefined ? await store.open(copy) : thread;
    expect((await forked.all()).map(nameOf)).toEqual([...namesFrom(0, 60), 'next']);
    await forked.close();
    await thread.close();
    await store.close();
  });

  test.skipIf(peer.kind === 'memory')('an adapter finds a conversation again after its store was closed', async () => {
    const place = await makePlace(peer);
    const empty = await bytesOf(place);
    const id = crypto.randomUUID();
    const first = await (await peer.load())(place);
    await first.fill(id, textsOf(60));
    await first.close();
    expect((await bytesOf(place)) - empty).toBeGreaterThan(30 * textOf(0).length);
    const second = await (await peer.load())(place);
    const thread = await second.open(id);
    expect((await thread.all()).map(nameOf)).toEqual(namesFrom(0, 60));
    await thread.close();
    await second.close();
  });

  test('an adapter runs an agent twice behind the messages that were there, or says why not', async () => {
    const store = await (await peer.load())(await makePlace(peer));
    const id = crypto.randomUUID();
    await store.fill(id, textsOf(3));
    const runs = await store.steps?.(id, 2);
    await runs?.run();
    await runs?.run();
    await runs?.close();
    expect(runs !== undefined || peer.lacks?.step !== undefined).toBe(true);
    const thread = await store.open(id);
    expect((await thread.all()).slice(0, 3).map(nameOf)).toEqual(namesFrom(0, 3));
    await thread.close();
    await store.close();
  });

  test('an adapter lists each conversation once, or says why not', async () => {
    const store = await (await peer.load())(await makePlace(peer));
    const before = (await store.list?.())?.length;
    for (let conversation = 0; conversation < 3; conversation++) await store.fill(crypto.randomUUID(), textsOf(1));
    const listed = await store.list?.();
    const more = listed && before !== undefined ? new Set(listed).size - before : undefined;
    const hasReason = peer.kind === 'memory' || peer.lacks?.list !== undefined;
    expect(more ?? hasReason).toBe(more === undefined || 3);
    await store.close();
  });

  test('an adapter runs a tool with all its effects in order, or says why a crash ends it', async () => {
    const store = await (await peer.load())(await makePlace(peer));
    const done: number[] = [];
    await store.effects?.start(crypto.randomUUID(), async (number) => void done.push(number));
    const hasReason = peer.kind === 'memory' || peer.lacks?.resume !== undefined;
    expect(store.effects ? done.join() : hasReason).toBe(store.effects ? '1,2,3,4,5' : true);
    expect(EFFECTS).toBe(5);
    await store.close();
  });
});

test('programs have keys of their own, and packages that are pinned exactly', async () => {
  const keys = ALL_PEERS.map(({ key }) => key);
  expect(new Set(keys).size).toBe(keys.length);
  const pinned = await pinnedVersions();
  const packages = ALL_PEERS.flatMap((peer) => peer.packages);
  expect(packages.length).toBeGreaterThan(0);
  for (const name of packages) expect(pinned[name]).toMatch(/^\d+\.\d+\.\d+$/);
});

test('the lock file of the peers holds no address', () => {
  const lock = readFileSync(LOCK, 'utf8');
  expect(lock).toContain('integrity:');
  expect(lock.split('\n').filter((line) => /https?:\/\//.test(line) && !/^\s+deprecated:/.test(line))).toEqual([]);
});

function namesFrom(from: number, to: number): readonly string[] {
  return Array.from({ length: to - from }, (_, index) => String(from + index));
}
