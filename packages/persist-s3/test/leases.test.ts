import { isStoreError } from '@conv/core/store';
import { dropAfter, dropBefore } from '@conv/testing-s3-server';
import { expect, test } from 'vitest';
import { BUCKET, testBucket } from './test-bucket.ts';
import { TestClock } from './test-clock.ts';
import { nameOf, readIds, Writer } from './writer.ts';

const never = { create: 'never', owner: 'next' } as const;

/** Makes a service and stores whose clocks the test moves forward. */
async function withClock() {
  const clock = new TestClock();
  const bucket = await testBucket({ now: () => clock.now() });
  return { clock, bucket };
}

test('P2: a second opener learns the owner of the conversation and until when it is owned', async () => {
  const { clock, bucket } = await withClock();
  const writer = await Writer.begin(bucket.store({ platform: clock }));
  clock.advance(4000);
  const error: unknown = await bucket
    .store({ platform: clock })
    .open(writer.id, never)
    .catch((reason: unknown) => reason);
  expect(isStoreError(error, 'OWNED') && error.owner).toEqual({
    owner: 'writer',
    epoch: 1,
    until: clock.now() - 4000 + 16_000,
  });
});

test('P2: an idle owner is never taken over from while its heartbeat is fresh', async () => {
  const { clock, bucket } = await withClock();
  const ownClock = new TestClock();
  const writer = await Writer.begin(bucket.store({ platform: ownClock }));
  const other = bucket.store({ platform: clock });
  for (let step = 0; step < 24; step++) {
    // the next heartbeat is due in five seconds
    while (!ownClock.isWaiting(5000)) await new Promise(setImmediate);
    clock.advance(5000);
    ownClock.advance(5000);
    await expect(other.open(writer.id, never)).rejects.toMatchObject({ code: 'OWNED' });
  }
  await writer.say('still here');
});

test('one heartbeat object serves all conversations of a store, and only while it owns any', async () => {
  const { clock, bucket } = await withClock();
  const store = bucket.store({ platform: clock });
  const writers = [await Writer.begin(store), await Writer.begin(store), await Writer.begin(store)];
  expect(bucket.server.keys(BUCKET).filter((key) => key.startsWith('servers/'))).toHaveLength(1);
  await Promise.all(writers.map(({ journal }) => journal.close()));
  bucket.server.forget();
  clock.advance(3_600_000);
  expect(bucket.server.requests).toEqual([]);
  await store.close();
  expect(bucket.server.keys(BUCKET).filter((key) => key.startsWith('servers/'))).toEqual([]);
});

test('P2: the clock of the service alone decides when an owner may be taken over from', async () => {
  const { clock, bucket } = await withClock();
  const writer = await Writer.begin(bucket.store({ platform: new TestClock() }));
  const lateClock = new TestClock();
  lateClock.advance(365 * 86_400_000);
  const other = bucket.store({ platform: lateClock });
  await expect(other.open(writer.id, never)).rejects.toMatchObject({ code: 'OWNED' });
  clock.advance(20_000);
  const journal = await other.open(writer.id, never);
  expect(await readIds(journal)).toEqual(writer.acknowledged.map(nameOf));
  await expect(writer.say('late')).rejects.toMatchObject({ code: 'FENCED' });
  expect(writer.journal.lost.aborted).toBe(true);
});

test('P2: a store that was frozen finds out which conversations it has lost when it wakes up', async () => {
  const { clock, bucket } = await withClock();
  const frozen = new TestClock();
  const writer = await Writer.begin(bucket.store({ platform: frozen }));
  clock.advance(20_000);
  await bucket.store({ platform: clock }).open(writer.id, never);
  const lost = new Promise((resolve) => writer.journal.lost.addEventListener('abort', resolve, { once: true }));
  frozen.advance(20_000);
  await lost;
  expect(isStoreError(writer.journal.lost.reason, 'FENCED')).toBe(true);
});

test('closing a store gives its conversations to others at once', async () => {
  const { clock, bucket } = await withClock();
  const store = bucket.store({ platform: clock });
  const writer = await Writer.begin(store);
  await store.close();
  const journal = await bucket.store({ platform: clock }).open(writer.id, never);
  expect(journal.epoch).toBe(2);
});

test('the heartbeat object of a crashed store is removed by a later opener', async () => {
  const { clock, bucket } = await withClock();
  const signs = (): number => bucket.server.keys(BUCKET).filter((key) => key.startsWith('servers/')).length;
  const writer = await Writer.begin(bucket.store({ platform: new TestClock() }));
  clock.advance(2 * 3_600_000);
  await bucket.store({ platform: new TestClock() }).open(writer.id, never);
  expect(signs()).toBe(1);
});

test('a conversation whose release failed opens again at once in the same store, and later in others', async () => {
  const { clock, bucket } = await withClock();
  const findings: string[] = [];
  const store = bucket.store({ platform: clock, report: ({ kind }) => findings.push(kind) });
  const writer = await Writer.begin(store);
  bucket.server.faults = ({ key }) => (key.startsWith('manifests/') ? dropBefore() : undefined);
  await writer.journal.close();
  bucket.server.faults = undefined;
  expect(findings).toContain('releaseFailed');
  await expect(bucket.store({ platform: clock }).open(writer.id, never)).rejects.toMatchObject({ code: 'OWNED' });
  writer.journal = await store.open(writer.id, never);
  await writer.say('again');
  expect(await readIds(writer.journal)).toEqual(writer.acknowledged.map(nameOf));
});

test('P2: processes with the same owner name are different owners', async () => {
  const { clock, bucket } = await withClock();
  const writer = await Writer.begin(bucket.store({ platform: clock }));
  const twin = bucket.store({ platform: clock });
  await expect(twin.open(writer.id, { create: 'never', owner: 'writer' })).rejects.toMatchObject({ code: 'OWNED' });
});

test('P2: an opener that stalls between raising the epoch and its fence is not the owner when it wakes up', async () => {
  const { clock, bucket } = await withClock();
  const writer = await Writer.begin(bucket.store({ platform: new TestClock() }));
  await writer.say('one');
  clock.advance(60_000);
  const { promise: gate, resolve: wake } = Promise.withResolvers<void>();
  const { promise: stalled, resolve: isStalled } = Promise.withResolvers<void>();
  bucket.server.faults = ({ key, operation, condition }) => {
    const isFence = operation === 'PutObject' && condition === 'ifNoneMatch' && key.includes('/slot-');
    if (!isFence) return undefined;
    bucket.server.faults = undefined;
    isStalled();
    return { kind: 'hold', until: gate };
  };
  const stalling = bucket.store({ platform: new TestClock() }).open(writer.id, { create: 'never', owner: 'staller' });
  const outcome = stalling.then(
    () => 'opened',
    (error: unknown) => (isStoreError(error) ? error.code : error),
  );
  await stalled;
  clock.advance(60_000);
  const next = bucket.store({ platform: clock });
  const journal = await next.open(writer.id, never);
  await journal.append({ id: 'of-the-owner', events: [] }, writer.fields);
  wake();
  expect(await outcome).toBe('OWNED');
  await journal.append({ id: 'goes-on', events: [] }, writer.fields);
  expect((await readIds(journal)).map((name) => name.split(' ')[1]).slice(-2)).toEqual(['of-the-owner', 'goes-on']);
});

test('P2: an opener that stalls while the conversation is deleted does not bring it back', async () => {
  const { clock, bucket } = await withClock();
  const writer = await Writer.begin(bucket.store({ platform: new TestClock() }));
  await writer.say('one');
  clock.advance(60_000);
  const { promise: gate, resolve: wake } = Promise.withResolvers<void>();
  const { promise: stalled, resolve: isStalled } = Promise.withResolvers<void>();
  bucket.server.faults = ({ key, operation }) => {
    if (operation !== 'GetObject' || !key.includes('/slot-')) return undefined;
    bucket.server.faults = undefined;
    isStalled();
    return { kind: 'hold', until: gate };
  };
  const stalling = bucket.store({ platform: new TestClock() }).open(writer.id, { create: 'never', owner: 'staller' });
  await stalled;
  clock.advance(60_000);
  await bucket.store({ platform: clock }).delete(writer.id);
  wake();
  await expect(stalling).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(await bucket.store({ platform: clock }).read(writer.id)).toBeUndefined();
  await expect(writer.say('late')).rejects.toMatchObject({ code: 'FENCED' });
});

test('P2: a stalled opener does not bring back a deleted conversation even if no slot of the log tells', async () => {
  const { clock, bucket } = await withClock();
  const writer = await Writer.begin(bucket.store({ platform: new TestClock() }));
  clock.advance(60_000);
  const [slow, stalled] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const gate = Promise.withResolvers<void>();
  let isStalling = false;
  bucket.server.faults = ({ key, operation }) => {
    if (operation === 'PutObject' && key.includes('/pack-')) return { kind: 'hold', until: slow.promise };
    if (isStalling || operation !== 'GetObject' || !key.includes('/slot-')) return undefined;
    isStalling = true;
    stalled.resolve();
    return { kind: 'hold', until: gate.promise };
  };
  const stalling = bucket.store({ platform: new TestClock() }).open(writer.id, never);
  await stalled.promise;
  // The former owner does not know yet and its pack is on its way, so its fence is far behind the slots that the opener has read.
  for (let at = 0; at < 90; at++) await writer.say('text');
  clock.advance(60_000);
  await bucket.store({ platform: new TestClock() }).open(writer.id, never);
  clock.advance(60_000);
  await bucket.store({ platform: clock }).delete(writer.id);
  gate.resolve();
  await expect(stalling).rejects.toMatchObject({ code: 'NOT_FOUND' });
  slow.resolve();
  await expect(writer.say('late')).rejects.toMatchObject({ code: 'FENCED' });
});

test('an answer that is lost at any step of a takeover leaves one owner', async () => {
  for (let at = 0; at < 12; at++) {
    const { clock, bucket } = await withClock();
    const writer = await Writer.begin(bucket.store({ platform: new TestClock() }));
    await writer.say('one');
    clock.advance(60_000);
    let count = 0;
    bucket.server.faults = ({ operation }) => (operation === 'PutObject' && count++ === at ? dropAfter() : undefined);
    writer.journal = await bucket.store({ platform: new TestClock() }).open(writer.id, never);
    bucket.server.faults = undefined;
    await writer.say('two');
    expect(await readIds(writer.journal)).toEqual(writer.acknowledged.map(nameOf));
    expect(writer.journal.epoch).toBe(2);
  }
});
