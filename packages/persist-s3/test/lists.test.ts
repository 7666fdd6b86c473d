import { randomUUID } from 'node:crypto';
import { toConversationKey, type ConversationStore } from '@conv/core/store';
import { hold, refuse, type SeenRequest } from '@conv/testing-s3-server';
import { expect, test } from 'vitest';
import type { Finding } from '../src/index.ts';
import { BUCKET, testBucket, type TestBucket } from './test-bucket.ts';
import { TestClock } from './test-clock.ts';
import { Writer } from './writer.ts';

const LIST = 'lists/summaries';
/** Conversations whose marks make a lister write the shared list. */
const ENOUGH = 12;
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

async function made(store: ConversationStore, title?: string): Promise<string> {
  const { id, journal } = await Writer.begin(store);
  await journal.close();
  if (title !== undefined) await rename(store, id, title);
  return id;
}

async function rename(store: ConversationStore, id: string, title: string): Promise<void> {
  const writer = new Writer(id, await store.open(id, { create: 'never', owner: 'writer' }));
  writer.fields = { ...writer.fields, title };
  await writer.append({ id: randomUUID(), events: [], patch: { set: { title } } });
  await writer.journal.close();
}

/** Makes conversations, and a shared list of them. */
async function listedBucket(
  conversations: number,
  now?: () => number,
): Promise<{ readonly bucket: TestBucket; readonly ids: readonly string[] }> {
  const bucket = await testBucket(now ? { now } : {});
  const writer = bucket.store();
  const ids: string[] = [];
  for (let at = 0; at < conversations; at++) ids.push(await made(writer));
  const lister = bucket.store();
  await lister.list();
  await lister.close();
  expect(marksOf(bucket)).toEqual([]);
  return { bucket, ids };
}

/** Makes conversations, and lets another lister write them into the shared list. */
async function madeAndSaved(bucket: TestBucket): Promise<readonly string[]> {
  const store = bucket.store();
  const ids: string[] = [];
  for (let at = 0; at < ENOUGH; at++) ids.push(await made(store));
  await store.list();
  await store.close();
  expect(marksOf(bucket)).toEqual([]);
  return ids;
}

const marksOf = ({ server }: TestBucket): readonly string[] =>
  server.keys(BUCKET).filter((key) => key.startsWith('changes/'));

async function titles(store: ConversationStore): Promise<ReadonlyMap<string, string | null>> {
  return new Map((await store.list({ limit: 100 })).items.map(({ id, title }) => [id, title]));
}

const manifestOf = (id: string): string => `manifests/${toConversationKey(id)}.json`;

test('a page in a new process is two requests, and one more for each conversation that changed', async () => {
  const { bucket, ids } = await listedBucket(15);
  bucket.server.forget();
  const store = bucket.store();
  expect((await store.list({ limit: 10, total: true })).total).toBe(15);
  expect(bucket.server.counts).toEqual({ ListObjectsV2: 1, GetObject: 1 });
  await rename(bucket.store(), ids[3] as string, 'changed');
  bucket.server.forget();
  expect((await titles(store)).get(ids[3] as string)).toBe('changed');
  expect(bucket.server.counts).toEqual({ ListObjectsV2: 1, GetObject: 2 });
  bucket.server.forget();
  await store.list();
  expect(bucket.server.counts).toEqual({ ListObjectsV2: 1, GetObject: 1 });
});

test('a conversation that another process makes, changes or deletes is in the next list of all others', async () => {
  const { bucket, ids } = await listedBucket(3);
  const [old, writer] = [bucket.store(), bucket.store()];
  await old.list();
  const id = await made(writer, 'made');
  await writer.delete(ids[0] as string);
  for (const store of [old, bucket.store()]) {
    const shown = await titles(store);
    expect([shown.get(id), shown.has(ids[0] as string), shown.size]).toEqual(['made', false, 3]);
  }
});

test('listers write the shared list anew after many changes, and remove the marks of these', async () => {
  const { bucket, ids } = await listedBucket(2);
  const listers = [bucket.store(), bucket.store()];
  await Promise.all(listers.map((store) => store.list()));
  const writer = bucket.store();
  for (let at = 0; at < ENOUGH; at++) await made(writer);
  bucket.server.forget();
  await Promise.all(listers.map((store) => store.list()));
  for (const store of listers) expect((await titles(store)).size).toBe(2 + ENOUGH);
  expect(marksOf(bucket)).toEqual([]);
  expect(bucket.server.body(BUCKET, LIST).toString().split('\n')).toHaveLength(1 + 2 + ENOUGH + 1);
  await rename(writer, ids[0] as string, 'later');
  for (const store of listers) expect((await titles(store)).get(ids[0] as string)).toBe('later');
});

test('a write that was announced and comes in after the shared list was written shows in the next list', async () => {
  const { bucket, ids } = await listedBucket(1);
  const [id] = ids as [string];
  const gate = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  const isLate = ({ key, operation }: SeenRequest): boolean => key === manifestOf(id) && operation === 'PutObject';
  const slow = bucket.store();
  const writer = new Writer(id, await slow.open(id, { create: 'never', owner: 'slow' }));
  writer.fields = { ...writer.fields, title: 'late' };
  await writer.append({ id: randomUUID(), events: [], patch: { set: { title: 'late' } } });
  bucket.server.faults = (request) => {
    if (!isLate(request)) return undefined;
    arrived.resolve();
    return hold(gate.promise);
  };
  const closing = writer.journal.close();
  await arrived.promise;
  const other = bucket.store();
  for (let at = 0; at < ENOUGH; at++) await made(other);
  const lister = bucket.store();
  expect((await titles(lister)).get(id)).toBe(null);
  expect((await titles(lister)).get(id)).toBe(null);
  // only the mark of what is still to come is left
  expect(marksOf(bucket)).toHaveLength(1);
  gate.resolve();
  await closing;
  for (const store of [lister, bucket.store()]) expect((await titles(store)).get(id)).toBe('late');
});

test('a list sees each change before it, also if that moves from its mark to the shared list meanwhile', async () => {
  const { bucket, ids } = await listedBucket(1);
  const [lister, other] = [bucket.store(), bucket.store()];
  await lister.list();
  for (let at = 0; at < 2 * ENOUGH; at++) await rename(other, ids[0] as string, `title ${at}`);
  const gate = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  let requests = 0;
  bucket.server.faults = () => {
    if (requests++ !== 1) return undefined;
    arrived.resolve();
    return hold(gate.promise);
  };
  const listing = titles(lister);
  await arrived.promise;
  await other.list();
  await other.close();
  expect(marksOf(bucket)).toEqual([]);
  gate.resolve();
  expect((await listing).get(ids[0] as string)).toBe(`title ${2 * ENOUGH - 1}`);
});

test('a shared list that comes in late replaces no newer one', async () => {
  const { bucket, ids } = await listedBucket(1);
  const slow = bucket.store();
  for (let at = 0; at < ENOUGH; at++) await made(slow);
  const gate = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  bucket.server.faults = ({ key, operation }) => {
    if (key !== LIST || operation !== 'PutObject') return undefined;
    bucket.server.faults = undefined;
    arrived.resolve();
    return hold(gate.promise);
  };
  await slow.list();
  await arrived.promise;
  const more = await madeAndSaved(bucket);
  gate.resolve();
  await slow.close();
  const shown = await titles(bucket.store());
  for (const id of [...ids, ...more]) expect(shown.has(id)).toBe(true);
});

test.each([
  ['missing', () => undefined],
  ['cut off', (body: Buffer) => body.subarray(0, -9)],
  ['empty', () => Buffer.alloc(0)],
  ['no list', () => Buffer.from('null\n')],
  ['of another version', (body: Buffer) => Buffer.from(body.toString().replace('"v":1', '"v":9'))],
  ['of another prefix', (body: Buffer) => Buffer.from(body.toString().replace('"conversations/', '"others/'))],
] as const)('a shared list that is %s is made again, and no list fails or lacks anything', async (_, change) => {
  const { bucket, ids: first } = await listedBucket(3);
  const old = bucket.store();
  await old.list();
  // no mark tells the old lister of these any more
  const ids = [...first, ...(await madeAndSaved(bucket))];
  const whole = bucket.server.body(BUCKET, LIST);
  bucket.server.damage(BUCKET, LIST, change);
  for (const store of [old, bucket.store(), old]) {
    expect([...(await titles(store)).keys()].toSorted()).toEqual(ids.toSorted());
    await store.list();
  }
  expect(bucket.server.body(BUCKET, LIST).length).toBe(whole.length);
  bucket.server.forget();
  await bucket.store().list();
  expect(bucket.server.requests).toHaveLength(2);
});

test('a manifest that another program puts back or removes shows after a minute, or after a check', async () => {
  let ahead = 0;
  const { bucket, ids } = await listedBucket(3, () => Date.now() + ahead);
  const [changed, removed] = ids as [string, string];
  const before = bucket.server.body(BUCKET, manifestOf(changed));
  await rename(bucket.store(), changed, 'new');
  const lister = bucket.store();
  expect((await titles(lister)).get(changed)).toBe('new');
  bucket.server.restore(BUCKET, manifestOf(changed), before, Date.now());
  await bucket.store().check(undefined);
  expect((await titles(lister)).get(changed)).toBe(null);
  bucket.server.damage(BUCKET, manifestOf(removed), () => undefined);
  expect((await titles(lister)).has(removed)).toBe(true);
  ahead += MINUTE;
  bucket.server.forget();
  expect((await titles(lister)).has(removed)).toBe(false);
  expect(bucket.server.counts).toMatchObject({ ListObjectsV2: 2 });
});

test('a reader that may not write lists with as many requests, and says so once a minute', async () => {
  const { bucket } = await listedBucket(1);
  const writer = bucket.store();
  for (let at = 0; at < ENOUGH; at++) await made(writer);
  bucket.server.faults = ({ operation }) =>
    operation === 'GetObject' || operation === 'ListObjectsV2' ? undefined : refuse(403, 'AccessDenied');
  const findings: Finding[] = [];
  const store = bucket.store({ report: (finding) => findings.push(finding) });
  expect((await titles(store)).size).toBe(1 + ENOUGH);
  await store.list();
  bucket.server.forget();
  for (let at = 0; at < 3; at++) expect((await titles(store)).size).toBe(1 + ENOUGH);
  expect(bucket.server.counts).toEqual({ ListObjectsV2: 3, GetObject: 3 });
  expect(findings).toMatchObject([{ kind: 'listFailed', error: { code: 'DENIED' } }]);
});

test('a mark whose write never comes costs a request in each list, and is removed after a day', async () => {
  let ahead = 0;
  const { bucket } = await listedBucket(1, () => Date.now() + ahead);
  const id = randomUUID();
  const writer = bucket.store();
  bucket.server.faults = ({ key, operation }) =>
    key === manifestOf(id) && operation === 'PutObject' ? refuse(403, 'AccessDenied') : undefined;
  await expect(writer.open(id, { owner: 'unlucky' })).rejects.toMatchObject({ code: 'DENIED' });
  const lister = bucket.store();
  await lister.list();
  bucket.server.forget();
  expect((await titles(lister)).size).toBe(1);
  expect(bucket.server.counts).toEqual({ ListObjectsV2: 1, GetObject: 2 });
  for (let at = 0; at < ENOUGH; at++) await made(writer);
  ahead += DAY + MINUTE;
  await lister.list();
  await lister.list();
  expect(marksOf(bucket)).toEqual([]);
});

test('packs and openings change no entry of lists, so they put no mark', async () => {
  const bucket = await testBucket();
  const writer = await Writer.begin(bucket.store({ platform: new TestClock() }));
  await writer.journal.close();
  writer.journal = await bucket.store({ platform: new TestClock() }).open(writer.id, { owner: 'again' });
  const before = marksOf(bucket).length;
  for (let at = 0; at < 120; at++) await writer.say('text');
  await writer.journal.saveSnapshot({ seq: writer.journal.end.seq, version: 1, data: {} });
  expect(bucket.server.keys(BUCKET).some((key) => key.includes('/pack-'))).toBe(true);
  expect(marksOf(bucket)).toHaveLength(before);
  await writer.journal.close();
});

test('a check of a store that may only be read succeeds', async () => {
  const { bucket } = await listedBucket(2);
  bucket.server.faults = ({ operation }) => (operation === 'PutObject' ? refuse(403, 'AccessDenied') : undefined);
  expect((await bucket.store().check(undefined)).findings).toEqual([]);
});
