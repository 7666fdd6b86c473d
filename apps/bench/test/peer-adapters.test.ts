import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';

import { ALL_PEERS } from '../src/peers/all-peers.ts';
import { bytesIn } from '../src/peers/disk-use.ts';
import { arePeersInstalled, pinnedVersions } from '../src/peers/install.ts';
import { nameOf, textOf, textsOf, type Peer } from '../src/peers/peer.ts';

const LOCK = join(import.meta.dirname, '../peers/pnpm-lock.yaml');
const isInstalled = await arePeersInstalled();
const usable = ALL_PEERS.filter(({ packages }) => packages.length === 0 || isInstalled);

function makeFolder(): string {
  const directory = mkdtempSync(join(tmpdir(), 'conv-bench-adapter-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

describe.each(usable.map((peer) => [peer.title, peer] as const))('the adapter of %s', (_, peer: Peer) => {
  test('reads what it filled and appended, whole and from its end', async () => {
    const store = await (await peer.load())({ directory: makeFolder() });
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

  test.skipIf(peer.kind === 'memory')('finds a conversation again after its store was closed', async () => {
    const directory = makeFolder();
    const open = await peer.load();
    const id = crypto.randomUUID();
    const first = await open({ directory });
    await first.fill(id, textsOf(3));
    await first.close();
    expect(bytesIn(directory)).toBeGreaterThan(3 * textOf(0).length);
    const second = await open({ directory });
    const thread = await second.open(id);
    expect((await thread.all()).map(nameOf)).toEqual(namesFrom(0, 3));
    await thread.close();
    await second.close();
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
