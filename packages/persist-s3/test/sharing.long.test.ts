import { randomUUID } from 'node:crypto';
import { toCommitSeq } from '@conv/core/store';
import { ManualPlatform } from '@conv/testing-harness';
import { expect, test } from 'vitest';
import { BUCKET, testBucket } from './test-bucket.ts';
import { TestClock } from './test-clock.ts';
import { nameOf, readIds, storedIds, Writer } from './writer.ts';

test('P7: a watch in another process gets every commit once and in order, while packs are made', async () => {
  const bucket = await testBucket();
  const writer = await Writer.begin(bucket.store());
  const reader = await bucket.store({ poll: 16 }).read(writer.id);
  const stop = new AbortController();
  const seen: string[] = [];
  const watching = (async () => {
    for await (const commit of reader?.watch(toCommitSeq(0), stop.signal) ?? []) {
      if (seen.push(nameOf(commit)) === 401) stop.abort();
    }
  })();
  for (let at = 0; at < 400; at++) await writer.say('text');
  await watching;
  expect(seen).toEqual(writer.acknowledged.map(nameOf));
});

test('an idle watch doubles its pauses up to the longest', async () => {
  const bucket = await testBucket();
  const writer = await Writer.begin(bucket.store());
  const clock = new TestClock();
  const reader = await bucket.store({ platform: clock, poll: 2000 }).read(writer.id);
  const stop = new AbortController();
  bucket.server.forget();
  const start = clock.now();
  const watching = (async () => {
    for await (const { seq } of reader?.watch(toCommitSeq(0), stop.signal) ?? []) expect(seq).toBe(0);
  })();
  while (clock.now() - start < 60_000) await new Promise(setImmediate);
  stop.abort();
  await watching;
  expect(bucket.server.requests.length).toBeLessThan(60);
});

test('a list reads a manifest again only when it has changed', async () => {
  const bucket = await testBucket();
  const store = bucket.store();
  const writers = [];
  for (let at = 0; at < 5; at++) writers.push(await Writer.begin(store));
  await Promise.all(writers.map(({ journal }) => journal.close()));
  const other = bucket.store();
  expect((await other.list()).items).toHaveLength(5);
  await other.list();
  bucket.server.forget();
  await other.list();
  expect(bucket.server.counts).toEqual({ ListObjectsV2: 1, GetObject: 1 });
  const [first] = writers as [Writer];
  first.journal = await store.open(first.id, { create: 'never', owner: 'again' });
  first.fields = { ...first.fields, title: 'changed' };
  await first.say('text');
  await first.journal.close();
  bucket.server.forget();
  expect((await other.list()).items.find(({ id }) => id === first.id)?.title).toBe('changed');
  expect(bucket.server.counts).toEqual({ ListObjectsV2: 1, GetObject: 2 });
});

test('later pages of a list cost nothing for five seconds and show no conversation deleted here', async () => {
  const bucket = await testBucket();
  const clock = new TestClock();
  const store = bucket.store({ platform: clock });
  const ids: string[] = [];
  for (let at = 0; at < 6; at++) {
    const { id, journal } = await Writer.begin(store);
    await journal.close();
    ids.push(id);
  }
  const query = { limit: 2, sortBy: 'createdAt', order: 'ascending' } as const;
  const pages = async (): Promise<string[]> => {
    const seen: string[] = [];
    let page: string | undefined;
    do {
      const { items, next } = await store.list({ ...query, ...(page === undefined ? {} : { page }) });
      seen.push(...items.map(({ id }) => id));
      page = next;
    } while (page !== undefined);
    return seen;
  };
  await store.list();
  bucket.server.forget();
  expect((await pages()).sort()).toEqual(ids.sort());
  expect(bucket.server.counts).toMatchObject({ ListObjectsV2: 1 });
  const { next = '' } = await store.list(query);
  await store.delete(ids[5] as string);
  bucket.server.forget();
  const rest = await store.list({ ...query, limit: 10, page: next });
  expect(bucket.server.counts).toMatchObject({ ListObjectsV2: 1 });
  expect(rest.items.map(({ id }) => id)).not.toContain(ids[5]);
  clock.advance(5000);
  bucket.server.forget();
  await store.list({ ...query, page: next });
  expect(bucket.server.counts).toMatchObject({ ListObjectsV2: 1 });
});

test('summaries in lists follow the state within five seconds, and at once when a run begins', async () => {
  const bucket = await testBucket();
  const clock = new TestClock();
  clock.advance(1000);
  const writer = await Writer.begin(bucket.store({ platform: clock }));
  const manifest = `manifests/${writer.id.replaceAll('-', '')}.json`;
  const written = (): number =>
    bucket.server.requests.filter(({ key, operation }) => key === manifest && operation === 'PutObject').length;
  const listed = async (): Promise<string> => {
    const [item] = (await bucket.store().list()).items;
    return `${item?.title} ${item?.status}`;
  };
  clock.advance(0);
  while (written() < 2) await new Promise(setImmediate);
  writer.fields = { ...writer.fields, title: 'named' };
  await writer.say('one');
  await writer.say('two');
  let before = written();
  clock.advance(4999);
  expect(await listed()).toBe('null idle');
  clock.advance(1);
  while (written() === before) await new Promise(setImmediate);
  while ((await listed()) !== 'named idle') await new Promise(setImmediate);
  expect(written()).toBe(before + 1);
  before = written();
  // a summary that waits for its time is written along with the urgent one
  writer.fields = { ...writer.fields, title: 'named again' };
  await writer.say('three');
  writer.fields = { ...writer.fields, executionStatus: 'running' };
  await writer.say('four');
  clock.advance(0);
  while ((await listed()) !== 'named again running') await new Promise(setImmediate);
  clock.advance(60_000);
  await writer.say('five');
  expect(written()).toBe(before + 1);
});

test('commits wait for others for the time of the option linger', async () => {
  const bucket = await testBucket();
  const platform = new ManualPlatform();
  const beginning = Writer.begin(bucket.store({ linger: 40, platform }));
  await platform.untilWaiting(40);
  platform.pass(40);
  const writer = await beginning;
  bucket.server.forget();
  const appended: Promise<unknown>[] = [];
  for (let at = 0; at < 5; at++) {
    appended.push(writer.say(`number ${at}`));
    await new Promise(setImmediate);
  }
  await platform.untilWaiting(40);
  platform.pass(40);
  await Promise.all(appended);
  expect(bucket.server.requests.filter(({ key }) => key.includes('/slot-'))).toHaveLength(1);
  expect(await readIds(writer.journal)).toEqual(writer.acknowledged.map(nameOf));
});

test('a fork copies packs inside of the service, and has its own objects', async () => {
  const bucket = await testBucket();
  const store = bucket.store();
  const writer = await Writer.begin(store);
  for (let at = 0; at < 60; at++) await writer.say('x'.repeat(30_000));
  // Closing waits for the pack that is being made.
  await writer.journal.close();
  writer.journal = await store.open(writer.id, { create: 'never', owner: 'again' });
  bucket.server.forget();
  const id = randomUUID();
  await store.fork(writer.id, id, { patch: { set: { id } } });
  expect(bucket.server.counts.CopyObject).toBeGreaterThan(1);
  expect(bucket.server.requests.length).toBeLessThanOrEqual(26);
  await writer.journal.close();
  await store.delete(writer.id);
  expect((await storedIds(store, id)).slice(0, -1)).toEqual(writer.acknowledged.map(nameOf));
  const logs = bucket.server.keys(BUCKET).filter((key) => key.startsWith('logs/'));
  expect(logs.every((key) => key.startsWith(`logs/${id.replaceAll('-', '')}/`))).toBe(true);
});

test('two stores with different prefixes in one bucket see nothing of each other', async () => {
  const bucket = await testBucket();
  const [one, two] = [bucket.store({ prefix: 'one/' }), bucket.store({ prefix: 'two/' })];
  const writer = await Writer.begin(one);
  await writer.say('text');
  expect(await two.read(writer.id)).toBeUndefined();
  expect(await two.list()).toEqual({ items: [] });
  expect(bucket.server.keys(BUCKET).every((key) => key.startsWith('one/'))).toBe(true);
});

test('a store with an empty cache reads what it has written', async () => {
  const bucket = await testBucket();
  const store = bucket.store({ cacheBytes: 0 });
  const writer = await Writer.begin(store);
  for (let at = 0; at < 120; at++) await writer.say('text');
  expect(await readIds(writer.journal)).toEqual(writer.acknowledged.map(nameOf));
});

test('a watch that begins on a closed conversation continues with what the next owner writes', async () => {
  const bucket = await testBucket();
  const writer = await Writer.begin(bucket.store());
  await writer.journal.close();
  const reader = await bucket.store({ poll: 16 }).read(writer.id);
  const stop = new AbortController();
  const seen: string[] = [];
  const watching = (async () => {
    for await (const commit of reader?.watch(toCommitSeq(0), stop.signal) ?? []) {
      if (seen.push(nameOf(commit)) === 3) stop.abort();
    }
  })();
  writer.journal = await bucket.store().open(writer.id, { create: 'never', owner: 'next' });
  await writer.say('one');
  await writer.say('two');
  await watching;
  expect(seen).toEqual(writer.acknowledged.map(nameOf));
});

test('a watch beside a writer that was taken over from continues with what the new owner writes', async () => {
  let ahead = 0;
  const bucket = await testBucket({ now: () => Date.now() + ahead });
  const store = bucket.store({ poll: 2 });
  const writer = await Writer.begin(store);
  const reader = await store.read(writer.id);
  const stop = new AbortController();
  const seen: string[] = [];
  const watching = (async () => {
    for await (const commit of reader?.watch(toCommitSeq(0), stop.signal) ?? []) {
      if (seen.push(nameOf(commit)) === 3) stop.abort();
    }
  })();
  ahead += 60_000;
  writer.journal = await bucket.store().open(writer.id, { create: 'never', owner: 'next' });
  await writer.say('one');
  await writer.say('two');
  await watching;
  expect(seen).toEqual(writer.acknowledged.map(nameOf));
});

test('a manifest that cannot be read hides no other conversation from a list', async () => {
  const bucket = await testBucket();
  const store = bucket.store();
  const ids = [(await Writer.begin(store)).id, (await Writer.begin(store)).id].sort();
  bucket.server.damage(BUCKET, `manifests/${ids[0]?.replaceAll('-', '')}.json`, () => Buffer.from('{'));
  expect((await bucket.store().list()).items.map(({ id }) => id).sort()).toEqual(ids);
});
