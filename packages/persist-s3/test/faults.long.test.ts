import { randomUUID } from 'node:crypto';
import { inCi, stepsInCi } from '@conv/testing-harness';
import {
  type Fault,
  type SeenRequest,
  conflict,
  cut,
  dropAfter,
  dropBefore,
  refuseAfter,
  slowDown,
} from '@conv/testing-s3-server';
import { afterAll, expect, test } from 'vitest';
import { BUCKET, openBucket, testBucket, type TestBucket } from './test-bucket.ts';
import { TestClock } from './test-clock.ts';
import { nameOf, storedIds, Writer } from './writer.ts';

/** Runs every operation of a store once; a large commit makes a pack. Resolves when every result is as expected. */
async function exercise(bucket: TestBucket, prefix: string): Promise<void> {
  const store = bucket.store({ platform: new TestClock(), prefix });
  const writer = await Writer.begin(store);
  await writer.say('one');
  await Promise.all([writer.say('two'), writer.say('three'), writer.say('four')]);
  await writer.say('x'.repeat(1_100_000));
  await writer.journal.saveSnapshot({ seq: writer.journal.end.seq, version: 1, data: {} });
  await writer.say('six');
  await writer.journal.close();
  writer.journal = await store.open(writer.id, { create: 'never', owner: 'again' });
  await writer.say('seven');
  const forked = randomUUID();
  await store.fork(writer.id, forked, { patch: { set: { id: forked } } });
  const ids = writer.acknowledged.map(nameOf);
  expect(await storedIds(store, writer.id)).toEqual(ids);
  expect((await storedIds(store, forked)).slice(0, -1)).toEqual(ids);
  expect((await store.list()).items.map(({ id }) => id).sort()).toEqual([writer.id, forked].sort());
  await store.delete(forked);
  expect(await storedIds(store, forked)).toEqual([]);
  await store.close();
  expect(await storedIds(bucket.store({ prefix }), writer.id)).toEqual(ids);
}

type FaultHook = (request: SeenRequest) => Fault | undefined;

const shared = await openBucket();
afterAll(() => shared.dispose());

/** Runs the exercise with its own prefix. Resolves with the requests that were made. */
async function once(fault: FaultHook): Promise<readonly SeenRequest[]> {
  const { server } = shared;
  server.forget();
  server.faults = fault;
  try {
    await exercise(shared, `${randomUUID()}/`);
    return [...server.requests];
  } finally {
    server.faults = undefined;
    await shared.empty();
  }
}

/** Makes the fault for the n-th request that `isMeant` picks. */
function nth(wanted: number, isMeant: (request: SeenRequest) => boolean, fault: () => Fault): FaultHook {
  let count = 0;
  return (request) => (isMeant(request) && count++ === wanted ? fault() : undefined);
}

const recorded = await once(() => undefined);
const any = (): boolean => true;
const isConditional = ({ condition }: SeenRequest): boolean => condition !== 'none';
const isGet = ({ operation }: SeenRequest): boolean => operation === 'GetObject';

const faults: readonly (readonly [string, (request: SeenRequest) => boolean, () => Fault])[] = [
  ['request may be dropped before it is carried out', any, dropBefore],
  ['request may be dropped after it was carried out', any, dropAfter],
  ['conditional write may be told to slow down', isConditional, slowDown],
  ['conditional write may be carried out and answered 500', isConditional, () => refuseAfter(500, 'InternalError')],
  ['conditional write may be told of a conflict', isConditional, conflict],
  ['answer may be cut in the middle', isGet, cut],
];

/** CI plays three rounds of ten. */
const { step: ROUND } = stepsInCi(4);

/** Requests that one test makes fail, one after the other: few enough for the slowest machine. */
const CHUNK = 10;

for (const [name, isMeant, fault] of faults) {
  const count = recorded.filter(isMeant).length;
  const numbers = inCi([...Array(count).keys()], 10);
  test(`P4: the requests are enough for: any one ${name}`, () => {
    expect(count).toBeGreaterThan(10);
  });
  for (let from = 0; from < numbers.length; from += CHUNK) {
    const chunk = numbers.slice(from, from + CHUNK);
    test(`P4: any one ${name}, ${chunk[0]} to ${chunk.at(-1)} of ${count}`, async () => {
      for (const at of chunk) await once(nth(at, isMeant, fault));
    });
  }
}

test('P4: every fourth request may fail, in any of these ways', async () => {
  const ways = [dropBefore, dropAfter, slowDown, () => refuseAfter(503, 'ServiceUnavailable')];
  let seed = 7;
  const next = (): number => (seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
  for (let round = 0; round < 10; round += ROUND) {
    await once(() => (next() < 0.25 ? ways[Math.floor(next() * ways.length)]?.() : undefined));
  }
});

/** Makes a conversation with two commits. Its next requests for slots fail as the list tells; other requests succeed. */
async function withSlots(ways: readonly (Fault | undefined)[]): Promise<{ writer: Writer; bucket: TestBucket }> {
  const bucket = await testBucket();
  const writer = await Writer.begin(bucket.store({ platform: new TestClock() }));
  await writer.say('before');
  const left = [...ways];
  bucket.server.faults = ({ key, operation }) =>
    key.includes('/slot-') && operation === 'PutObject' ? left.shift() : undefined;
  return { writer, bucket };
}

const times = (count: number, fault: () => Fault): Fault[] => Array.from({ length: count }, fault);

test('a commit whose answers were all lost is found by its nonce and acknowledged', async () => {
  const { writer, bucket } = await withSlots(times(8, dropAfter));
  await writer.say('lost');
  await writer.say('behind');
  expect(await storedIds(bucket.store(), writer.id)).toEqual(writer.acknowledged.map(nameOf));
});

test('a commit that never arrived rejects UNAVAILABLE, can never come in, and the journal continues', async () => {
  const { writer, bucket } = await withSlots(times(8, dropBefore));
  const [first, second] = await Promise.allSettled([writer.say('lost'), writer.say('built on it')]);
  expect([first, second]).toMatchObject([{ reason: { code: 'UNAVAILABLE' } }, { reason: { code: 'UNAVAILABLE' } }]);
  await writer.say('again');
  expect(await storedIds(bucket.store(), writer.id)).toEqual(writer.acknowledged.map(nameOf));
});

test('throttling that does not end rejects UNAVAILABLE, and nothing was stored', async () => {
  const { writer, bucket } = await withSlots(times(8, slowDown));
  await expect(writer.say('throttled')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  await writer.say('again');
  expect(await storedIds(bucket.store(), writer.id)).toEqual(writer.acknowledged.map(nameOf));
});

test('an outcome that cannot be settled rejects OUTCOME_UNKNOWN; the next owner finds out', async () => {
  const { writer, bucket } = await withSlots([...times(8, dropAfter), ...times(8, dropBefore)]);
  await expect(writer.say('stored')).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
  await expect(writer.say('not tried')).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
  await writer.journal.close();
  const journal = await bucket.store().open(writer.id, { create: 'never', owner: 'next' });
  expect(journal.end.seq).toBe(writer.acknowledged.length + 1);
  expect((await storedIds(bucket.store(), writer.id)).slice(0, -1)).toEqual(writer.acknowledged.map(nameOf));
});

test('a commit that the client sends twice is stored once', async () => {
  const bucket = await testBucket();
  const { S3Client } = await import('@aws-sdk/client-s3');
  const client = new S3Client({
    endpoint: bucket.server.url,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId: 'test', secretAccessKey: 'test1234' },
  });
  const writer = await Writer.begin(bucket.store({ client }));
  let count = 0;
  bucket.server.faults = ({ operation }) => (operation === 'PutObject' && count++ % 2 === 0 ? dropAfter() : undefined);
  for (let at = 0; at < 5; at++) await writer.say(`number ${at}`);
  expect(await storedIds(bucket.store(), writer.id)).toEqual(writer.acknowledged.map(nameOf));
  await writer.journal.close();
  client.destroy();
});

test('an append whose answer never comes is tried again after the timeout', async () => {
  const bucket = await testBucket();
  const clock = new TestClock();
  const writer = await Writer.begin(bucket.store({ platform: clock }));
  const { promise: never, resolve } = Promise.withResolvers<void>();
  const arrived = new Promise<void>((tell) => {
    bucket.server.faults = ({ key }) => {
      if (!key.includes('/slot-')) return undefined;
      bucket.server.faults = undefined;
      tell();
      return { kind: 'hold', until: never };
    };
  });
  const appended = writer.say('text');
  await arrived;
  clock.advance(60_000);
  await appended;
  expect(await storedIds(bucket.store(), writer.id)).toEqual(writer.acknowledged.map(nameOf));
  resolve();
});

test('P2: a takeover that fails halfway leaves the conversation to the next taker', async () => {
  let ahead = 0;
  const bucket = await testBucket({ now: () => Date.now() + ahead });
  const writer = await Writer.begin(bucket.store());
  ahead += 60_000;
  bucket.server.faults = ({ key, operation }) =>
    operation === 'PutObject' && key.includes('/slot-') ? slowDown() : undefined;
  const opening = bucket.store({ platform: new TestClock() }).open(writer.id, { create: 'never', owner: 'unlucky' });
  await expect(opening).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  bucket.server.faults = undefined;
  writer.journal = await bucket.store().open(writer.id, { create: 'never', owner: 'next' });
  await writer.say('text');
  expect(await storedIds(bucket.store(), writer.id)).toEqual(writer.acknowledged.map(nameOf));
});

test('P2: an own manifest write that arrives late is not taken for that of another owner', async () => {
  const bucket = await testBucket();
  const clock = new TestClock();
  clock.advance(1000);
  const gate = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  const findings: string[] = [];
  const failed = Promise.withResolvers<void>();
  const report = ({ kind }: { readonly kind: string }): void => {
    findings.push(kind);
    failed.resolve();
  };
  const writer = await Writer.begin(bucket.store({ platform: clock, report }));
  const manifest = `manifests/${writer.id.replaceAll('-', '')}.json`;
  writer.fields = { ...writer.fields, title: 'other' };
  await writer.append({ id: randomUUID(), events: [], patch: { set: { title: 'other' } } });
  let count = 0;
  bucket.server.faults = ({ key, operation }) => {
    if (key !== manifest || operation !== 'PutObject') return undefined;
    arrived.resolve();
    return count++ === 0 ? { kind: 'hold', until: gate.promise } : dropBefore();
  };
  // the summary is due; its first request stays on its way, and all others are lost
  clock.advance(5000);
  await arrived.promise;
  clock.advance(60_000);
  await failed.promise;
  expect(findings).toEqual(['summaryFailed']);
  const before = bucket.server.body(BUCKET, manifest);
  gate.resolve();
  while (bucket.server.body(BUCKET, manifest).equals(before)) await new Promise(setImmediate);
  bucket.server.faults = undefined;
  await writer.say('text');
  await writer.journal.close();
  expect(findings).toEqual(['summaryFailed']);
  expect(writer.journal.lost.aborted).toBe(false);
  expect(JSON.parse(bucket.server.body(BUCKET, manifest).toString())).toMatchObject({ owner: null, clean: true });
});
