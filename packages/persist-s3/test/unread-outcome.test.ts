import { randomUUID } from 'node:crypto';
import { S3Client } from '@aws-sdk/client-s3';
import { cut, dropAfter, dropBefore, refuse, type Fault, type SeenRequest } from '@conv/testing-s3-server';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { S3Store } from '../src/index.ts';
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

function isManifestOf(id: string): (request: SeenRequest) => boolean {
  const end = `manifests/${id.replaceAll('-', '')}.json`;
  return ({ key }) => key.endsWith(end);
}

/** Makes a conversation with one commit and a message. */
async function begin(): Promise<{ writer: Writer; bucket: TestBucket }> {
  const bucket = await testBucket();
  const writer = await Writer.begin(bucket.store({ platform: new TestClock() }));
  await writer.say('before');
  return { writer, bucket };
}

/** Executes the first PUT of a slot and drops its answer. The given number of reads of slots then fails. */
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

/** Makes each write of this manifest fail in the given way, and each read of it until the faults are repaired. */
function loseManifest(bucket: TestBucket, id: string, write: () => Fault, read?: () => Fault): void {
  const isMeant = isManifestOf(id);
  let wasWritten = false;
  bucket.server.faults = (request) => {
    if (!isMeant(request)) return undefined;
    if (isPut(request)) {
      wasWritten = true;
      return write();
    }
    return wasWritten ? read?.() : undefined;
  };
}

const lostManifests: readonly (readonly [string, () => Fault, (() => Fault) | undefined])[] = [
  ['is carried out and cannot be read', dropAfter, () => refuse(500, 'InternalError')],
  ['gets no answer and is not there yet', dropBefore, undefined],
];

describe('a manifest whose write has no known outcome', () => {
  test.each(lostManifests)('P1: a creation rejects OUTCOME_UNKNOWN if its manifest %s', async (_, write, read) => {
    const bucket = await testBucket();
    const store = bucket.store({ platform: new TestClock() });
    const id = randomUUID();
    loseManifest(bucket, id, write, read);
    await expect(store.open(id, { create: 'must', owner: 'first' })).rejects.toMatchObject({
      code: 'OUTCOME_UNKNOWN',
      cause: expect.any(Error) as Error,
    });
    bucket.server.faults = undefined;
    await (await store.open(id, { owner: 'first' })).close();
  });

  test.each(lostManifests)('P1: a fork rejects OUTCOME_UNKNOWN if its manifest %s', async (_, write, read) => {
    const { writer, bucket } = await begin();
    const id = randomUUID();
    const store = bucket.store({ platform: new TestClock() });
    loseManifest(bucket, id, write, read);
    await expect(store.fork(writer.id, id, { patch: {} })).rejects.toMatchObject({
      code: 'OUTCOME_UNKNOWN',
      cause: expect.any(Error) as Error,
    });
    bucket.server.faults = undefined;
    const isThere = (await storedIds(store, id)).length > 0;
    expect(isThere).toBe(read !== undefined);
  });

  test.each(lostManifests)('a deletion rejects OUTCOME_UNKNOWN if its manifest %s', async (_, write, read) => {
    const { writer, bucket } = await begin();
    await writer.journal.close();
    const store = bucket.store({ platform: new TestClock() });
    loseManifest(bucket, writer.id, write, read);
    await expect(store.delete(writer.id)).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    bucket.server.faults = undefined;
    await store.delete(writer.id);
    expect(await storedIds(store, writer.id)).toEqual([]);
  });

  test('P2: a journal continues after its manifest was executed without an answer and could not be read', async () => {
    const bucket = await testBucket();
    const findings: string[] = [];
    const platform = new TestClock();
    const writer = await Writer.begin(bucket.store({ platform, report: ({ kind }) => void findings.push(kind) }));
    loseManifest(bucket, writer.id, dropAfter, () => refuse(500, 'InternalError'));
    // settings are copied into the manifest before they are acknowledged
    writer.fields = { ...writer.fields, maxIterations: 7 };
    await writer.append({ id: randomUUID(), events: [], patch: { set: { maxIterations: 7 } } });
    expect(findings).toEqual(['summaryFailed']);
    bucket.server.faults = undefined;
    await writer.say('between');
    await writer.journal.close();
    expect([findings, writer.journal.lost.aborted]).toEqual([['summaryFailed'], false]);
    expect(await storedIds(bucket.store(), writer.id)).toEqual(writer.acknowledged.map(nameOf));
  });
});

describe('an ownership without a journal', () => {
  const never = { create: 'never', owner: 'next' } as const;

  /** Resolves when the store has renewed its heartbeat. */
  async function beat(bucket: TestBucket, clock: TestClock): Promise<void> {
    bucket.server.forget();
    clock.advance(5000);
    while (!bucket.server.requests.some(({ key }) => key.startsWith('servers/'))) await new Promise(setImmediate);
  }

  type Loses = (store: S3Store, writer: Writer) => Promise<unknown>;
  const refuseToOpen: Loses = (store, { id }) =>
    expect(store.open(id, never)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  const ways: readonly (readonly [string, Loses, () => Fault])[] = [
    ['opening', refuseToOpen, dropAfter],
    ['closing', (_, { journal }) => journal.close(), dropBefore],
  ];

  test.each(ways)(
    'P10: a store frees a conversation at its next heartbeat if %s it had no answer',
    async (_, lose, write) => {
      const bucket = await testBucket();
      const clock = new TestClock();
      const store = bucket.store({ platform: clock });
      // the store continues with its heartbeat, because it writes another conversation
      await Writer.begin(store);
      const writer = await Writer.begin(store);
      if (lose === refuseToOpen) await writer.journal.close();
      loseManifest(bucket, writer.id, write, () => refuse(500, 'InternalError'));
      await lose(store, writer);
      bucket.server.faults = undefined;
      await beat(bucket, clock);
      await expect(bucket.store().open(writer.id, never)).resolves.toBeDefined();
    },
  );

  test('P2: a store whose opening had no answer owns the conversation once it has opened it again', async () => {
    const bucket = await testBucket();
    const clock = new TestClock();
    const store = bucket.store({ platform: clock });
    await Writer.begin(store);
    const writer = await Writer.begin(store);
    await writer.journal.close();
    loseManifest(bucket, writer.id, dropAfter, () => refuse(500, 'InternalError'));
    await expect(store.open(writer.id, never)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    bucket.server.faults = undefined;
    await store.open(writer.id, never);
    await beat(bucket, clock);
    await expect(bucket.store().open(writer.id, never)).rejects.toMatchObject({ code: 'OWNED' });
  });
});
