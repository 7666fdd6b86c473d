import { isCi } from '@conv/testing-harness';
import { expect, test } from 'vitest';
import { projections } from '@conv/core';
import { toCommitSeq, toEventIndex, type Commit, type JournalReader } from '@conv/core/store';
import { BUCKET, testBucket, type TestBucket } from './test-bucket.ts';
import { TestClock } from './test-clock.ts';
import { nameOf, readIds, storedIds, Writer } from './writer.ts';

const TEXT = 'x'.repeat(700);

/** Counts the requests that are priced as a PUT. */
function puts({ server }: TestBucket): number {
  const { PutObject = 0, CopyObject = 0, ListObjectsV2 = 0 } = server.counts;
  return PutObject + CopyObject + ListObjectsV2;
}

function gets({ server }: TestBucket): number {
  return server.counts.GetObject ?? 0;
}

test('P12: a thousand appends one after the other cost at most 1.05 PUT each, opening and closing included', async () => {
  const bucket = await testBucket();
  const writer = await Writer.begin(bucket.store());
  for (let at = 1; at < 1000; at++) await writer.say(TEXT);
  await writer.journal.close();
  expect(puts(bucket)).toBeLessThanOrEqual(1050);
  expect(await storedIds(bucket.store(), writer.id)).toEqual(writer.acknowledged.map(nameOf));
});

test('P12: a hundred appends at once cost two PUTs at most', async () => {
  const bucket = await testBucket();
  const writer = await Writer.begin(bucket.store());
  await writer.say(TEXT);
  bucket.server.forget();
  await Promise.all(Array.from({ length: 100 }, () => writer.say(TEXT)));
  expect(bucket.server.requests.filter(({ key }) => key.includes('/slot-')).length).toBeLessThanOrEqual(2);
});

test('an append alone is one request', async () => {
  const bucket = await testBucket();
  const writer = await Writer.begin(bucket.store());
  await writer.journal.close();
  const store = bucket.store();
  writer.journal = await store.open(writer.id, { create: 'never', owner: 'again' });
  bucket.server.forget();
  await writer.say(TEXT);
  expect(bucket.server.counts).toEqual({ PutObject: 1 });
});

test('P12: opening for writing costs at most 140 requests after a crash, and 12 after a clean close', async () => {
  let ahead = 0;
  const bucket = await testBucket({ now: () => Date.now() + ahead });
  // the process of the writer does nothing more after its last append, as after a crash
  const writer = await Writer.begin(bucket.store({ platform: new TestClock() }));
  for (let at = 1; at < 50 + 4 * 56; at++) await writer.say(TEXT);
  ahead += 60_000;
  bucket.server.forget();
  const next = bucket.store();
  writer.journal = await next.open(writer.id, { create: 'never', owner: 'next' });
  expect(bucket.server.requests.length).toBeLessThanOrEqual(140);
  await writer.say(TEXT);
  await writer.journal.close();
  bucket.server.forget();
  const last = await bucket.store().open(writer.id, { create: 'never', owner: 'last' });
  expect(bucket.server.requests.length).toBeLessThanOrEqual(12);
  expect(bucket.server.counts.ListObjectsV2).toBeUndefined();
  expect(await readIds(last)).toEqual(writer.acknowledged.map(nameOf));
});

/** The longest log of these tests. CI reads shorter ones. */
test.skipIf(isCi)(
  'P12: reading all commits without a cache costs at most 75 GETs and one for each 8 MiB',
  async () => {
    const bucket = await testBucket();
    const writer = await Writer.begin(bucket.store());
    const burst = 16;
    for (let at = 0; at < 1010; at++) await Promise.all(Array.from({ length: burst }, () => writer.say(TEXT)));
    const slots = bucket.server.keys(BUCKET).filter((key) => key.includes('/slot-'));
    const bytes = slots.reduce((sum, key) => sum + bucket.server.body(BUCKET, key).length, 0);
    expect(bytes).toBeGreaterThan(16 * 1024 * 1024);
    bucket.server.forget();
    const reader = await bucket.store().read(writer.id);
    expect(await readIds(reader as NonNullable<typeof reader>)).toHaveLength(1 + 1010 * burst);
    expect(gets(bucket)).toBeLessThanOrEqual(75 + Math.floor(bytes / (8 * 1024 * 1024)));
    expect(bucket.server.counts.ListObjectsV2).toBeUndefined();
  },
  120_000,
);

test('P12: the last events of a long conversation, and one in the middle, are read without the rest', async () => {
  const bucket = await testBucket();
  const writer = await Writer.begin(bucket.store());
  for (let at = 0; at < 300; at++) await Promise.all(Array.from({ length: 16 }, () => writer.say(TEXT)));
  await writer.journal.close();
  bucket.server.forget();
  const reader = await bucket.store().read(writer.id);
  // the manifest, and the free place after its end
  expect(bucket.server.counts).toEqual({ GetObject: 2 });
  const last = await Array.fromAsync(reader?.commits({ fromEvent: toEventIndex(4750) }) ?? []);
  expect(last.map(nameOf)).toEqual(writer.acknowledged.slice(4751).map(nameOf));
  // it reads the slots that no pack holds
  expect(gets(bucket)).toBeLessThanOrEqual(57);
  bucket.server.forget();
  const middle = { fromEvent: toEventIndex(2000), toEvent: toEventIndex(2001) };
  const [found] = await Array.fromAsync(reader?.commits(middle) ?? []);
  expect(found && nameOf(found)).toBe(nameOf(writer.acknowledged[2001] as Commit));
  // it reads the index of its pack, and one block
  expect(gets(bucket)).toBe(2);
});

test('P12: reading the state from a snapshot, with a check of the newest commits, costs at most 64 GETs', async () => {
  const bucket = await testBucket();
  const writer = await Writer.begin(bucket.store());
  for (let at = 1; at < 55 + 6 * 56; at++) await writer.say(TEXT);
  await writer.journal.saveSnapshot(projections.toSnapshot(await projections.readState(writer.journal)));
  await writer.journal.close();
  bucket.server.forget();
  const reader = (await bucket.store().read(writer.id)) as JournalReader;
  expect((await projections.readState(reader)).end).toEqual(writer.journal.end);
  expect(gets(bucket)).toBeLessThanOrEqual(64);
});

test('looking for new commits costs two requests when there are none', async () => {
  const bucket = await testBucket();
  const writer = await Writer.begin(bucket.store());
  const reader = await bucket.store().read(writer.id);
  bucket.server.forget();
  await reader?.refresh();
  // it reads the manifest, and tries the next slot
  expect(bucket.server.counts).toEqual({ GetObject: 2 });
});

test('watching a conversation of the same store asks the service for nothing', async () => {
  const bucket = await testBucket();
  // The long pause keeps timed looks away, even on a slow machine.
  const store = bucket.store({ poll: 60_000 });
  const writer = await Writer.begin(store);
  await writer.say(TEXT);
  const reader = await store.read(writer.id);
  const stop = new AbortController();
  bucket.server.forget();
  const watching = (async () => {
    let seen = 0;
    for await (const { seq } of reader?.watch(toCommitSeq(0), stop.signal) ?? []) {
      seen = seq + 1;
      if (seen === 12) stop.abort();
    }
    return seen;
  })();
  for (let at = 0; at < 10; at++) await writer.say(TEXT);
  expect(await watching).toBe(12);
  expect(gets(bucket)).toBe(0);
});

test('an append of an owner that was taken over is two requests', async () => {
  let ahead = 0;
  const bucket = await testBucket({ now: () => Date.now() + ahead });
  const writer = await Writer.begin(bucket.store());
  ahead += 60_000;
  await bucket.store().open(writer.id, { create: 'never', owner: 'next' });
  bucket.server.forget();
  await expect(writer.say(TEXT)).rejects.toMatchObject({ code: 'FENCED' });
  expect(bucket.server.counts).toEqual({ PutObject: 1, GetObject: 1 });
});
