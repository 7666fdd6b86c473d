import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { nothingUnsynced, randomly, SimulatedDisk } from '@conv/testing-disk';
import { FsStore } from '../../src/index.ts';
import { Author, message } from './conversation-author.ts';
import { bury, ROOT, type Expected, type Survivor } from './power-loss-run.ts';

/**
 * An owner is killed between writing a commit and flushing it. Its successor builds upon the commit, and then power is lost.
 */
export async function recordSuccession(without: ReadonlySet<string>): Promise<Survivor[]> {
  const { disk, author, store, missing } = await writtenNotFlushed(without);
  const next = new FsStore({ directory: ROOT, disk });
  const journal = await next.open(author.id, { owner: 'successor' });
  await author.say(journal, 'built upon it');
  const survivor = survive(disk, author, 'the successor appended');
  missing.clear();
  await Promise.all([store.close(), next.close()]);
  return [survivor];
}

/** An owner is killed in the same place, and a reader shows the commit before power is lost. */
export async function recordReading(without: ReadonlySet<string>): Promise<Survivor[]> {
  const { disk, author, store, missing } = await writtenNotFlushed(without);
  const other = new FsStore({ directory: ROOT, disk });
  const reader = await other.read(author.id);
  const shown: string[] = [];
  if (reader) for await (const commit of reader.commits()) shown.push(commit.id);
  const survivor = survive(disk, author, 'a reader saw it', { commits: shown });
  missing.clear();
  await Promise.all([store.close(), other.close()]);
  return [survivor];
}

/** A conversation whose first commit is a message, which needs no files for OpenHands before it is acknowledged. */
export async function recordBeginning(without: ReadonlySet<string>): Promise<Survivor[]> {
  const disk = new SimulatedDisk({ without });
  const store = new FsStore({ directory: ROOT, disk });
  const author = new Author();
  const journal = await store.open(author.id, { owner: 'first' });
  await author.say(journal, 'hello');
  const survivor = survive(disk, author, 'the first message', { mirrored: false });
  await store.close();
  return [survivor];
}

/** A flush fails, so that the commit is rejected as not stored; then power is lost. */
export async function recordFailedFlush(without: ReadonlySet<string>): Promise<Survivor[]> {
  let broken = false;
  const disk = new SimulatedDisk({
    without,
    fault: ({ site }) => (broken && site === 'group' ? { code: 'EIO' } : undefined),
  });
  const store = new FsStore({ directory: ROOT, disk });
  const author = new Author();
  const journal = await store.open(author.id, { owner: 'first' });
  await author.begin(journal);
  broken = true;
  const refused = { id: randomUUID(), events: [message('refused', null)] };
  await assert.rejects(journal.append(refused, author.fields), { code: 'UNAVAILABLE' });
  broken = false;
  const expected = expectedOf(author, { rejected: [refused.id] });
  const survivors = Array.from({ length: 16 }, (_, seed) => ({
    disk: disk.crash(randomly(seed)),
    at: `flush failed, ${seed}`,
    expected: [expected],
  }));
  await store.close();
  return survivors;
}

/** A fork where the file system has no hard links. */
export async function recordForkCopy(without: ReadonlySet<string>): Promise<Survivor[]> {
  const disk = new SimulatedDisk({ without, fault: ({ kind }) => (kind === 'link' ? { code: 'EPERM' } : undefined) });
  const store = new FsStore({ directory: ROOT, disk });
  const [author, id] = [new Author(), randomUUID()];
  const journal = await store.open(author.id, { owner: 'first' });
  await author.begin(journal);
  await author.say(journal, 'hello');
  await store.fork(author.id, id, { patch: { set: { id } } });
  const commits = author.acknowledged.map((commit) => commit.id);
  const survivor = survive(disk, author, 'a fork was copied', { id, commits });
  await store.close();
  return [survivor];
}

async function writtenNotFlushed(
  without: ReadonlySet<string>,
): Promise<{ disk: SimulatedDisk; author: Author; store: FsStore; missing: Set<string> }> {
  const missing = new Set(without);
  const disk = new SimulatedDisk({ without: missing });
  const store = new FsStore({ directory: ROOT, disk });
  const author = new Author();
  const journal = await store.open(author.id, { owner: 'killed' });
  await author.begin(journal);
  missing.add('group');
  await author.say(journal, 'not flushed');
  if (!without.has('group')) missing.delete('group');
  bury(disk, author.id);
  return { disk, author, store, missing };
}

function survive(disk: SimulatedDisk, author: Author, at: string, more: Partial<Expected> = {}): Survivor {
  return { disk: disk.crash(nothingUnsynced), at, expected: [expectedOf(author, more)] };
}

function expectedOf(author: Author, more: Partial<Expected>): Expected {
  const commits = author.acknowledged.map(({ id }) => id);
  return { id: author.id, commits, strict: false, deleted: false, foreign: [], ...more };
}
