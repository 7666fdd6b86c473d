import { S3Client } from '@aws-sdk/client-s3';
import { cut, dropAfter, dropBefore, refuse, type Fault, type SeenRequest } from '@conv/testing-s3-server';
import { describe, expect, onTestFinished, test } from 'vitest';
import { BUCKET, testBucket, type TestBucket } from './test-bucket.ts';
import { TestClock } from './test-clock.ts';
import { nameOf, storedIds, Writer } from './writer.ts';

/** Ways in which a request for an object gets no object. */
const unread: readonly (readonly [string, () => Fault])[] = [
  ['is answered 500', () => refuse(500, 'InternalError')],
  ['is cut off before its answer', dropBefore],
  ['is cut off in its answer', cut],
  ['is forbidden', () => refuse(403, 'AccessDenied')],
];

const isSlot = ({ key }: SeenRequest): boolean => key.includes('/slot-');
const isPut = ({ operation }: SeenRequest): boolean => operation === 'PutObject';
const isGet = ({ operation }: SeenRequest): boolean => operation === 'GetObject';

/** Makes a conversation with one commit and a message. */
async function begin(): Promise<{ writer: Writer; bucket: TestBucket }> {
  const bucket = await testBucket();
  const writer = await Writer.begin(bucket.store({ platform: new TestClock() }));
  await writer.say('before');
  return { writer, bucket };
}

/** Carries the first PUT of a slot out and drops its answer. Reads of slots then go wrong, as often as told. */
function loseSlot(bucket: TestBucket, fault: () => Fault, reads = Infinity): void {
  let [puts, gets] = [0, 0];
  bucket.server.faults = (request) => {
    if (!isSlot(request)) return undefined;
    if (isPut(request)) return puts++ === 0 ? dropAfter() : undefined;
    return isGet(request) && gets++ < reads ? fault() : undefined;
  };
}

describe('an append whose answer is lost and whose slot is taken', () => {
  test.each(unread)('P1: an append rejects OUTCOME_UNKNOWN if each read of its slot %s', async (_, fault) => {
    const { writer, bucket } = await begin();
    loseSlot(bucket, fault);
    const [first, behind] = await Promise.allSettled([writer.say('stored'), writer.say('built on it')]);
    expect(first).toMatchObject({ reason: { code: 'OUTCOME_UNKNOWN', cause: expect.any(Error) as Error } });
    expect(behind).toMatchObject({ status: 'rejected' });
    await expect(writer.say('not tried')).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    await writer.journal.close();
    bucket.server.faults = undefined;
    const journal = await bucket.store().open(writer.id, { create: 'never', owner: 'next' });
    expect(journal.end.seq).toBeGreaterThan(writer.acknowledged.length);
    await journal.close();
  });

  test('P1: an append resolves if its slot can be read at the second look', async () => {
    const { writer, bucket } = await begin();
    loseSlot(bucket, () => refuse(500, 'InternalError'), 8);
    await writer.say('stored');
    await writer.say('behind');
    expect(await storedIds(bucket.store(), writer.id)).toEqual(writer.acknowledged.map(nameOf));
  });

  test('P1: an append rejects OUTCOME_UNKNOWN if its slot is refused as taken and is never found', async () => {
    const { writer, bucket } = await begin();
    loseSlot(bucket, () => refuse(404, 'NoSuchKey'));
    await expect(writer.say('stored')).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    expect(writer.journal.lost.aborted).toBe(false);
  });

  test('P1: an append rejects OUTCOME_UNKNOWN if nothing in its slot tells whose it is', async () => {
    const { writer, bucket } = await begin();
    let puts = 0;
    bucket.server.faults = (request) => {
      if (!isSlot(request) || !isPut(request)) return undefined;
      if (puts++ === 0) return dropAfter();
      bucket.server.damage(BUCKET, request.key, () => Buffer.from('damaged'));
      return undefined;
    };
    await expect(writer.say('stored')).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    expect(writer.journal.lost.aborted).toBe(false);
  });

  test('P1: an append rejects OUTCOME_UNKNOWN if the client itself sent it again and had no credentials then', async () => {
    const { writer, bucket } = await begin();
    await writer.journal.close();
    let isLoggedIn = true;
    const client = new S3Client({
      endpoint: bucket.server.url,
      region: 'us-east-1',
      forcePathStyle: true,
      maxAttempts: 2,
      // they are about to expire, so the client asks for them at each attempt
      credentials: async () => {
        if (!isLoggedIn) throw Object.assign(new Error('log in again'), { name: 'CredentialsProviderError' });
        return { accessKeyId: 'test', secretAccessKey: 'test1234', expiration: new Date() };
      },
    });
    onTestFinished(() => client.destroy());
    const store = bucket.store({ client, platform: new TestClock() });
    writer.journal = await store.open(writer.id, { create: 'never', owner: 'again' });
    bucket.server.faults = (request) => {
      if (!isSlot(request) || !isPut(request)) return undefined;
      isLoggedIn = false;
      return dropAfter();
    };
    await expect(writer.say('stored')).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
  });
});
