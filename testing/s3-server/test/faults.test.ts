import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createCheckClient } from '../src/checks/index.ts';
import {
  conflict,
  createS3Server,
  cut,
  dropAfter,
  dropBefore,
  hold,
  refuseAfter,
  slowDown,
  type Fault,
  type S3Server,
} from '../src/index.ts';

const bucket = 'faulty';
let server: S3Server;
let client: ReturnType<typeof createCheckClient>;

beforeEach(async () => {
  server = await createS3Server();
  server.createBucket(bucket);
  const target = { endpoint: server.url, accessKeyId: 'test', secretAccessKey: 'test1234', bucket };
  client = createCheckClient(target);
});

afterEach(async () => {
  client.destroy();
  await server.close();
});

/** Puts an object while the server has this fault. Resolves with what it rejects with. */
async function putWith(fault: Fault): Promise<{ name: string; stored: boolean }> {
  server.faults = () => fault;
  const error: unknown = await client
    .send(new PutObjectCommand({ Bucket: bucket, Key: 'key', Body: 'body' }))
    .catch((reason: unknown) => reason);
  return { name: error instanceof Error ? error.name : 'none', stored: server.keys(bucket).includes('key') };
}

test('a refusal comes in place of the request, or after it', async () => {
  expect(await putWith(slowDown())).toEqual({ name: 'SlowDown', stored: false });
  expect(await putWith(conflict())).toEqual({ name: 'ConditionalRequestConflict', stored: false });
  expect(await putWith(refuseAfter(500, 'InternalError'))).toEqual({ name: 'InternalError', stored: true });
});

test('a connection that is dropped before the request leaves nothing', async () => {
  const { name, stored } = await putWith(dropBefore());
  expect([name !== 'none', stored]).toEqual([true, false]);
});

test('a connection that is dropped after the request leaves what it asked for', async () => {
  const { name, stored } = await putWith(dropAfter());
  expect([name !== 'none', stored]).toEqual([true, true]);
});

test('an answer that is cut brings half of the body and an error', async () => {
  await client.send(new PutObjectCommand({ Bucket: bucket, Key: 'key', Body: 'x'.repeat(100_000) }));
  server.faults = () => cut();
  const got = await client.send(new GetObjectCommand({ Bucket: bucket, Key: 'key' }));
  await expect(got.Body?.transformToString()).rejects.toThrow(/aborted|terminated|closed|hang/);
});

test('a request that is held waits, and then goes wrong if it is to', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.faults = ({ key }) => (key === 'held' ? hold(promise, dropAfter()) : undefined);
  const held = client.send(new PutObjectCommand({ Bucket: bucket, Key: 'held', Body: 'body' }));
  const outcome = held.then(
    () => 'answered',
    () => 'lost',
  );
  await client.send(new PutObjectCommand({ Bucket: bucket, Key: 'other', Body: 'body' }));
  expect(server.keys(bucket)).toEqual(['other']);
  resolve();
  expect(await outcome).toBe('lost');
  expect(server.keys(bucket)).toEqual(['held', 'other']);
});

test('every request is counted and recorded with what it is about', async () => {
  await client.send(new PutObjectCommand({ Bucket: bucket, Key: 'a', Body: '1', IfNoneMatch: '*' }));
  await client.send(new GetObjectCommand({ Bucket: bucket, Key: 'a' }));
  await client.send(new ListObjectsV2Command({ Bucket: bucket }));
  expect(server.counts).toEqual({ PutObject: 1, GetObject: 1, ListObjectsV2: 1 });
  expect(server.requests[0]).toEqual({
    number: 0,
    operation: 'PutObject',
    bucket,
    key: 'a',
    condition: 'ifNoneMatch',
  });
  server.forget();
  expect(server.counts).toEqual({});
});

test('the clock of the server is in its answers', async () => {
  await using other = await createS3Server({ now: () => Date.UTC(2030, 0, 2) });
  const answer = await fetch(other.url);
  expect([answer.status, answer.headers.get('date')]).toEqual([403, 'Wed, 02 Jan 2030 00:00:00 GMT']);
});

test.each([
  ['ignored', 'overwritten'],
  ['refused', 'NotImplemented'],
] as const)('a server can be one whose conditions are %s', async (conditions, outcome) => {
  await using other = await createS3Server({ conditions });
  other.createBucket(bucket);
  const target = { endpoint: other.url, accessKeyId: 'test', secretAccessKey: 'test1234', bucket };
  const put = (): Promise<unknown> =>
    createCheckClient(target).send(new PutObjectCommand({ Bucket: bucket, Key: 'a', Body: '1', IfNoneMatch: '*' }));
  const twice = put()
    .then(put)
    .then(
      () => 'overwritten',
      (error: unknown) => (error instanceof Error ? error.name : 'other'),
    );
  expect(await twice).toBe(outcome);
});
