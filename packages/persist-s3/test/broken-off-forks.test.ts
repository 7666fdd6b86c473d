import { randomUUID } from 'node:crypto';
import { MemoryStore, toConversationKey, type ConversationStore, type Finding } from '@conv/core/store';
import { checkStore, copyStore } from '@conv/store-kit';
import { hold, refuse, type SeenRequest } from '@conv/testing-s3-server';
import { expect, test } from 'vitest';
import { BUCKET, testBucket, type TestBucket } from './test-bucket.ts';
import { TestClock } from './test-clock.ts';
import { message as messageOf, storedIds, Writer } from './writer.ts';

const MIB = 1024 * 1024;

interface Setting {
  readonly bucket: TestBucket;
  readonly store: ConversationStore;
  /** Id of a closed conversation with a pack. */
  readonly source: string;
  readonly fork: string;
  /** Lets the clock of the service pass the time after which a fork counts as broken off. */
  readonly passHour: () => void;
  /** Lets it pass the time after which a fork that has all of its objects counts as one without its manifest. */
  readonly passMinute: () => void;
}

async function setting(): Promise<Setting> {
  const clock = new TestClock();
  const bucket = await testBucket({ now: () => clock.now() });
  const store = bucket.store({ platform: new TestClock() });
  const writer = await Writer.begin(store);
  for (const text of ['x'.repeat(MIB), 'last']) await writer.append({ id: randomUUID(), events: [messageOf(text)] });
  await writer.journal.close();
  const pass = (minutes: number) => (): void => clock.advance(minutes * 60_000);
  return { bucket, store, source: writer.id, fork: randomUUID(), passHour: pass(61), passMinute: pass(1) };
}

function packsOf({ bucket, fork }: Setting): readonly string[] {
  return bucket.server.keys(BUCKET).filter((key) => key.startsWith(`logs/${toConversationKey(fork)}/`));
}

async function findingsOf(store: ConversationStore, repair = false): Promise<readonly Finding[]> {
  return (await Array.fromAsync(checkStore(store, { repair }))).flatMap(({ findings }) => findings);
}

const isPackPut = ({ operation, key }: SeenRequest): boolean => operation === 'PutObject' && key.includes('/pack-');
const isManifestPut =
  (id: string) =>
  ({ operation, key }: SeenRequest): boolean =>
    operation === 'PutObject' && key.endsWith(`${toConversationKey(id)}.json`);

/** Forks, and ends as a process would that is killed before it writes the last pack: with objects, and without a manifest. */
async function brokenOff(made: Setting): Promise<void> {
  const { bucket, store, source, fork } = made;
  bucket.server.faults = (request) =>
    isPackPut(request) || request.operation === 'DeleteObjects' ? refuse(403, 'AccessDenied') : undefined;
  await expect(store.fork(source, fork, { patch: {} })).rejects.toMatchObject({ code: 'DENIED' });
  bucket.server.faults = undefined;
  expect(packsOf(made).length).toBeGreaterThan(0);
}

/** Forks, and loses the manifest of the fork, as a process would that is killed right before it writes it. */
async function withoutManifest({ bucket, store, source, fork }: Setting): Promise<readonly string[]> {
  await store.fork(source, fork, { patch: {} });
  const ids = await storedIds(store, fork);
  bucket.server.damage(BUCKET, `manifests/${toConversationKey(fork)}.json`, () => undefined);
  return ids;
}

/** Begins a fork and holds the first request of a kind. Resolves with the fork and with what lets it go on. */
async function heldAt(made: Setting, isHeld: (request: SeenRequest) => boolean) {
  const { bucket, store, source, fork } = made;
  const [arrived, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  bucket.server.faults = (request) => {
    if (!isHeld(request)) return undefined;
    bucket.server.faults = undefined;
    arrived.resolve();
    return hold(released.promise);
  };
  const forking = store.fork(source, fork, { patch: {} });
  await arrived.promise;
  return { forking, goOn: () => released.resolve() };
}

test('a check names the objects of a fork that broke off, and a repair removes them', async () => {
  const made = await setting();
  await brokenOff(made);
  const other = made.bucket.store();
  expect(await findingsOf(other, true)).toEqual([]);
  made.passHour();
  const message = expect.stringContaining(`holds ${packsOf(made).length} objects`);
  expect(await findingsOf(other)).toMatchObject([{ part: 'log', severity: 'stale', message, repaired: false }]);
  expect(await findingsOf(other, true)).toMatchObject([{ part: 'log', severity: 'stale', repaired: true }]);
  expect(packsOf(made)).toEqual([]);
  expect(await findingsOf(other)).toEqual([]);
  expect((await other.list()).items.map(({ id }) => id)).toEqual([made.source]);
  await other.fork(made.source, made.fork, { patch: {} });
  expect(await storedIds(other, made.fork)).toHaveLength((await storedIds(other, made.source)).length + 1);
});

test('a copy of a store leaves out a fork that broke off', async () => {
  const made = await setting();
  await brokenOff(made);
  made.passHour();
  const copies = await Array.fromAsync(copyStore(made.bucket.store(), new MemoryStore()));
  expect(copies.map(({ id, error }) => [id, error])).toEqual([[made.source, undefined]]);
});

test('P4: a fork that lost its manifest before it was opened is named, and a repair brings it back', async () => {
  const made = await setting();
  const ids = await withoutManifest(made);
  const store = made.bucket.store();
  expect(await findingsOf(store)).toEqual([]);
  made.passMinute();
  expect(await findingsOf(store)).toMatchObject([{ part: 'manifest', severity: 'damaged', repaired: false }]);
  const copies = await Array.fromAsync(copyStore(store, new MemoryStore()));
  expect(copies.find(({ id }) => id === made.fork)).toMatchObject({ error: { code: 'CORRUPT' } });
  expect(await findingsOf(store, true)).toMatchObject([{ part: 'manifest', severity: 'damaged', repaired: true }]);
  expect(await storedIds(store, made.fork)).toEqual(ids);
  expect(await findingsOf(store)).toEqual([]);
  const journal = await store.open(made.fork, { owner: 'next', create: 'never' });
  expect([journal.end.seq, journal.damage]).toEqual([ids.length, []]);
  expect(journal.epoch).toBeGreaterThan(1);
  await journal.close();
});

test('P4: a part of a fork that may have been whole is named, and no repair removes it', async () => {
  const made = await setting();
  await withoutManifest(made);
  made.passHour();
  const packs = packsOf(made);
  const last = packs.filter((key) => key.includes('/pack-')).at(-1) as string;
  made.bucket.server.damage(BUCKET, last, (bytes) => bytes.subarray(0, -40));
  expect(await findingsOf(made.bucket.store(), true)).toMatchObject([{ part: 'manifest', repaired: false }]);
  expect(packsOf(made)).toEqual(packs);
});

test('P2: a fork whose manifest a repair has written is made', async () => {
  const made = await setting();
  const { forking, goOn } = await heldAt(made, isManifestPut(made.fork));
  made.passHour();
  expect(await findingsOf(made.bucket.store(), true)).toMatchObject([{ part: 'manifest', repaired: true }]);
  goOn();
  await forking;
  expect(await storedIds(made.bucket.store(), made.fork)).toHaveLength(
    (await storedIds(made.store, made.source)).length + 1,
  );
});

test('P2: a fork whose objects a repair has removed is refused, leaves nothing, and can be made again', async () => {
  const made = await setting();
  const { forking, goOn } = await heldAt(made, isPackPut);
  made.passHour();
  const refused = forking.catch((error: unknown) => error);
  expect(await findingsOf(made.bucket.store(), true)).toMatchObject([
    { part: 'log', severity: 'stale', repaired: true },
  ]);
  goOn();
  expect(await refused).toMatchObject({ code: 'UNAVAILABLE' });
  expect(packsOf(made)).toEqual([]);
  expect(await made.bucket.store().read(made.fork)).toBeUndefined();
  await made.store.fork(made.source, made.fork, { patch: {} });
  expect(await storedIds(made.store, made.fork)).toHaveLength((await storedIds(made.store, made.source)).length + 1);
});

test('P2: a fork whose objects a repair has removed is refused, although its id was made and deleted since', async () => {
  const made = await setting();
  const { forking, goOn } = await heldAt(made, isPackPut);
  made.passHour();
  const refused = forking.catch((error: unknown) => error);
  const other = made.bucket.store();
  await findingsOf(other, true);
  await (await other.open(made.fork, { create: 'must', owner: 'other' })).close();
  await other.delete(made.fork);
  goOn();
  expect(await refused).toMatchObject({ code: 'UNAVAILABLE' });
  expect(await other.read(made.fork)).toBeUndefined();
});
