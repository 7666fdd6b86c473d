import { randomUUID } from 'node:crypto';
import { systemPlatform } from '@conv/core/platform';
import { isStoreError, toConversationKey, type ForkOptions } from '@conv/core/store';
import { dropBefore, hold, refuse, type SeenRequest } from '@conv/testing-s3-server';
import { expect, test } from 'vitest';
import { BUCKET, testBucket, type TestBucket } from './test-bucket.ts';
import { TestClock } from './test-clock.ts';
import { message, storedIds, Writer } from './writer.ts';

const MIB = 1024 * 1024;

/** Makes a closed conversation, with messages of this number of bytes, which are in packs. */
async function packed(
  bytes = MIB,
): Promise<{ readonly bucket: TestBucket; readonly id: string; readonly last: string }> {
  const bucket = await testBucket();
  const writer = await Writer.begin(bucket.store());
  const last = message('last');
  for (const _ of [1, 2]) await writer.append({ id: randomUUID(), events: [message('x'.repeat(bytes))] });
  await writer.append({ id: randomUUID(), events: [last] });
  await writer.journal.close();
  return { bucket, id: writer.id, last: last.id };
}

/** The objects of a conversation. A mark of a write that never comes is none. */
function objectsOf({ server }: TestBucket, id: string): readonly string[] {
  return server.keys(BUCKET).filter((key) => key.includes(toConversationKey(id)) && !key.startsWith('changes/'));
}

const isManifest = (id: string, { operation, key }: SeenRequest): boolean =>
  operation === 'PutObject' && key.endsWith(`${toConversationKey(id)}.json`);

async function turns(): Promise<void> {
  for (let turn = 0; turn < 500; turn++) await systemPlatform.nextTurn();
}

/** Fails to fork, and resolves with the code of the reason. */
async function failedFork(bucket: TestBucket, id: string, newId: string, options: ForkOptions): Promise<unknown> {
  const store = bucket.store({ platform: new TestClock() });
  const reason: unknown = await store.fork(id, newId, options).catch((error: unknown) => error);
  return isStoreError(reason) ? reason.code : reason;
}

test.each(['the whole log', 'an event'])('a fork from %s whose manifest is refused leaves no object', async (what) => {
  const { bucket, id, last } = await packed();
  const newId = randomUUID();
  const seen: string[] = [];
  bucket.server.faults = (request) => {
    if (!isManifest(newId, request)) return undefined;
    seen.push(...objectsOf(bucket, newId));
    return refuse(403, 'AccessDenied');
  };
  const options = { patch: {}, ...(what === 'an event' && { from: last }) };
  expect(await failedFork(bucket, id, newId, options)).toBe('DENIED');
  expect(seen.filter((key) => key.includes('/pack-')).length).toBeGreaterThan(0);
  expect(objectsOf(bucket, newId)).toEqual([]);
});

test('a fork whose copy of a pack fails leaves no object, and none comes in later', async () => {
  // packs of this size are never joined
  const { bucket, id } = await packed(8.5 * MIB);
  const newId = randomUUID();
  const failed = Promise.withResolvers<void>();
  const ended = failed.promise.then(turns);
  let copies = 0;
  bucket.server.faults = ({ operation, key }) => {
    if (operation !== 'CopyObject' || !key.includes('/pack-')) return undefined;
    // the first copy is under way when the second one is refused, and for as long as a removal of what is there would take
    if (copies++ === 0) return hold(ended);
    failed.resolve();
    return refuse(403, 'AccessDenied');
  };
  expect(await failedFork(bucket, id, newId, { patch: {} })).toBe('DENIED');
  expect(copies).toBeGreaterThan(1);
  await ended.then(turns);
  expect(objectsOf(bucket, newId)).toEqual([]);
});

test('a fork that finds its id taken leaves the objects of the other conversation alone', async () => {
  const { bucket, id } = await packed();
  const other = await Writer.begin(bucket.store());
  const before = objectsOf(bucket, other.id);
  expect(await failedFork(bucket, id, other.id, { patch: {} })).toBe('EXISTS');
  expect(objectsOf(bucket, other.id)).toEqual(before);
});

test('a failed fork tells its own reason if its objects cannot be removed, and the next one is made', async () => {
  const { bucket, id } = await packed();
  const newId = randomUUID();
  bucket.server.faults = (request) => {
    if (isManifest(newId, request)) return refuse(507, 'InsufficientStorage');
    return request.operation === 'DeleteObjects' ? refuse(403, 'AccessDenied') : undefined;
  };
  expect(await failedFork(bucket, id, newId, { patch: {} })).toBe('FULL');
  expect(objectsOf(bucket, newId).length).toBeGreaterThan(0);
  bucket.server.faults = undefined;
  const store = bucket.store();
  await store.fork(id, newId, { patch: {} });
  expect(await storedIds(store, newId)).toHaveLength((await storedIds(store, id)).length + 1);
});

test('a fork whose manifest may come in late keeps its objects', async () => {
  const { bucket, id } = await packed();
  const newId = randomUUID();
  bucket.server.faults = (request) => (isManifest(newId, request) ? dropBefore() : undefined);
  expect(await failedFork(bucket, id, newId, { patch: {} })).toBe('OUTCOME_UNKNOWN');
  expect(objectsOf(bucket, newId).some((key) => key.includes('/pack-'))).toBe(true);
});
