import { crc32 } from 'node:zlib';
import { randomUUID } from 'node:crypto';
import { isStoreError, StoreError } from '@conv/core/store';
import { systemPlatform } from '@conv/core/platform';
import { createS3Server, refuse, slowDown } from '@conv/testing-s3-server';
import { expect, onTestFinished, test } from 'vitest';
import { S3Store } from '../src/index.ts';
import { BUCKET, clientOf, testBucket } from './test-bucket.ts';
import { TestClock } from './test-clock.ts';
import { storedIds, Writer } from './writer.ts';

const owner = 'someone';

test('every operation with wrong credentials rejects DENIED and keeps the cause', async () => {
  const bucket = await testBucket();
  const client = clientOf(bucket.server, 'not the secret');
  const store = bucket.store({ client });
  const id = randomUUID();
  const asked = [store.open(id, { owner }), store.read(id), store.list(), store.delete(id)];
  for (const outcome of await Promise.allSettled(asked)) {
    expect(outcome).toMatchObject({ reason: { code: 'DENIED', cause: { name: 'SignatureDoesNotMatch' } } });
  }
  expect(bucket.server.keys(BUCKET)).toEqual([]);
  client.destroy();
});

test('an append that is denied rejects DENIED, is not stored, and the journal continues', async () => {
  const bucket = await testBucket();
  const writer = await Writer.begin(bucket.store());
  bucket.server.faults = () => refuse(403, 'AccessDenied');
  await expect(writer.say('denied')).rejects.toMatchObject({ code: 'DENIED' });
  bucket.server.faults = undefined;
  await writer.say('allowed');
  expect(await storedIds(bucket.store(), writer.id)).toHaveLength(2);
});

test('a bucket that is not there rejects UNAVAILABLE with its name, and is never taken for an empty one', async () => {
  const bucket = await testBucket();
  const store = bucket.store({ bucket: 'missing' });
  const id = randomUUID();
  const asked = [store.open(id, { owner }), store.read(id), store.list(), store.delete(id)];
  for (const outcome of await Promise.allSettled(asked)) {
    expect(outcome).toMatchObject({ reason: { code: 'UNAVAILABLE', cause: { name: 'NoSuchBucket' } } });
    expect(outcome.status === 'rejected' ? String(outcome.reason) : '').toContain('missing');
  }
});

test.each(['ignored', 'refused'] as const)(
  'a bucket whose conditions on writes are %s rejects UNSUPPORTED, and nothing is left in it',
  async (conditions) => {
    const server = await createS3Server({ conditions });
    server.createBucket(BUCKET);
    const client = clientOf(server);
    const store = new S3Store({ client, bucket: BUCKET });
    onTestFinished(async () => {
      await store.close();
      client.destroy();
      await server.close();
    });
    await expect(store.open(randomUUID(), { owner })).rejects.toMatchObject({ code: 'UNSUPPORTED' });
    expect(server.keys(BUCKET)).toEqual([]);
    expect(await store.list()).toEqual({ items: [] });
  },
);

test('a throttled request is repeated, and rejects UNAVAILABLE with its target if throttling continues', async () => {
  const bucket = await testBucket();
  const clock = new TestClock();
  const store = bucket.store({ platform: clock });
  let left = 5;
  bucket.server.faults = () => (left-- > 0 ? slowDown() : undefined);
  expect(await store.list()).toEqual({ items: [] });
  expect(clock.waited).toBeGreaterThan(500);
  bucket.server.faults = () => slowDown();
  const error: unknown = await store.list().catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: 'UNAVAILABLE', cause: { name: 'SlowDown' } });
  expect(String(error)).toContain(BUCKET);
});

test('an abort during an attempt or between two attempts rejects with its own reason', async () => {
  const bucket = await testBucket();
  bucket.server.faults = () => slowDown();
  for (const platform of [systemPlatform, new TestClock()]) {
    const controller = new AbortController();
    const reason = new Error('changed my mind');
    const opening = bucket.store({ platform }).open(randomUUID(), { owner, signal: controller.signal });
    controller.abort(reason);
    await expect(opening).rejects.toBe(reason);
  }
});

test('the SDK corrects a wrong clock, and the store repeats the request', async () => {
  const bucket = await testBucket();
  const writer = await Writer.begin(bucket.store({ platform: new TestClock() }));
  let left = 2;
  bucket.server.faults = () => (left-- > 0 ? refuse(403, 'RequestTimeTooSkewed') : undefined);
  await writer.say('text');
  expect(await storedIds(bucket.store(), writer.id)).toHaveLength(2);
});

test('an append without space left rejects FULL', async () => {
  const bucket = await testBucket();
  const writer = await Writer.begin(bucket.store());
  bucket.server.faults = () => refuse(507, 'InsufficientStorage');
  await expect(writer.say('no room')).rejects.toMatchObject({ code: 'FULL' });
});

/** Returns members of a manifest with their check value in front. */
function sealed(members: string): string {
  return `{"check":"${crc32(members).toString(16).padStart(8, '0')}",${members}`;
}

test('a newer manifest is UNSUPPORTED, a damaged manifest is CORRUPT; both stay as they are', async () => {
  const bucket = await testBucket();
  const writer = await Writer.begin(bucket.store());
  await writer.journal.close();
  const key = `manifests/${writer.id.replaceAll('-', '')}.json`;
  for (const [text, code] of [
    [sealed('"v":3}'), 'UNSUPPORTED'],
    ['{"v":2}', 'CORRUPT'],
    ['{"v":1', 'CORRUPT'],
    ['{}', 'CORRUPT'],
  ] as const) {
    bucket.server.damage(BUCKET, key, () => Buffer.from(text));
    const store = bucket.store();
    const asked = [store.open(writer.id, { owner }), store.read(writer.id), store.delete(writer.id)];
    for (const outcome of await Promise.allSettled(asked)) expect(outcome).toMatchObject({ reason: { code } });
    // no mark tells of a change by another program, so the check finds it
    await store.check(undefined);
    const { items } = await store.list();
    expect(items).toMatchObject([{ id: writer.id, unreadable: expect.stringContaining(code) as string }]);
    expect(bucket.server.body(BUCKET, key).toString()).toBe(text);
  }
});

test('the constructor refuses impossible options with a TypeError', async () => {
  const { client } = await testBucket();
  const make = (more: object) => () => new S3Store({ client, bucket: BUCKET, ...more });
  for (const more of [
    { bucket: '' },
    { leaseTimeout: 10 },
    { linger: -1 },
    { poll: 0 },
    { leaseTimeout: Number.NaN },
  ]) {
    expect(make(more)).toThrow(TypeError);
  }
});

test('an error is a StoreError that says its code first', async () => {
  const bucket = await testBucket();
  const error: unknown = await bucket
    .store()
    .open(randomUUID(), { owner, create: 'never' })
    .catch((reason: unknown) => reason);
  expect(isStoreError(error) && error instanceof StoreError && error.message.startsWith('[NOT_FOUND] ')).toBe(true);
});
