import { applicableCases, storeConformance, suiteFeatures, type StoreUnderTest } from '@conv/conformance';
import { toConversationKey } from '@conv/core/store';
import { dropAfter, refuse } from '@conv/testing-s3-server';
import { test } from 'vitest';
import { BUCKET, openBucket, type TestBucket } from './test-bucket.ts';

/** Milliseconds by which the service's clock moves forward to make an owner look stalled. */
const STALL = 60_000;

/** Makes a store in its own bucket. `takeOver` moves the service's clock forward, so that the owner's heartbeat is too old. */
async function make(): Promise<StoreUnderTest> {
  let ahead = 0;
  const bucket = await openBucket({ now: () => Date.now() + ahead });
  return {
    store: bucket.store(),
    again: async () => bucket.store(),
    takeOver: async (id) => {
      ahead += STALL;
      return bucket.store().open(id, { create: 'never', owner: 'successor' });
    },
    damageRecord: async (id, seq) => {
      for (const key of bucket.server.keys(BUCKET).filter((one) => one.includes(`${toConversationKey(id)}/`)))
        bucket.server.damage(BUCKET, key, (body) =>
          Buffer.from(body.toString().replace(`{"seq":${seq},`, `{"sEq":${seq},`)),
        );
    },
    swapLogs: async (one, other) => {
      const [a, b] = [toConversationKey(one), toConversationKey(other)];
      const swapped = bucket.server
        .keys(BUCKET)
        .filter((key) => key.includes(a) || key.includes(b))
        .map((key) => ({ key: key.includes(a) ? key.replace(a, b) : key.replace(b, a), from: key }))
        .map(({ key, from }) => ({ key, from, body: bucket.server.body(BUCKET, from) }));
      for (const { from } of swapped) bucket.server.damage(BUCKET, from, () => undefined);
      for (const { key, body } of swapped) bucket.server.restore(BUCKET, key, body, Date.now() + ahead);
    },
    loseAnswer: (how) => {
      // A client that sends twice gets the answer to the second request; a cut loses that answer too.
      let left = how === 'sentTwice' ? 1 : 2;
      bucket.server.faults = ({ operation, key }) =>
        operation === 'PutObject' && key.includes('/slot-') && left-- > 0 ? dropAfter() : undefined;
    },
    delayWrite: () => delayWrite(bucket),
    goAway: async () => {
      bucket.server.faults = () => refuse(404, 'NoSuchBucket');
      return async () => {
        bucket.server.faults = undefined;
      };
    },
    requests: () => bucket.server.requests.length,
    dispose: () => bucket.dispose(),
  };
}

let delays = 0;

/**
 * Keeps the next request for a slot of commits back, for which the client gets no answer. Each second time the two requests that
 * follow are refused: the store cannot send the slot again, and cannot find out what has become of the first request.
 */
function delayWrite({ client, server }: TestBucket): () => Promise<void> {
  const isRefused = delays++ % 2 === 1;
  const gate = Promise.withResolvers<void>();
  let late: Promise<unknown> | undefined;
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (request) => {
        const { Key: key } = request.input as { readonly Key?: string };
        if (late || commandName !== 'PutObjectCommand' || !key?.includes('/slot-')) return next(request);
        late = Promise.allSettled([gate.promise.then(next.bind(undefined, request))]);
        let left = isRefused ? 2 : 0;
        server.faults = (seen) =>
          seen.operation === 'PutObject' && seen.key.includes('/slot-') && left-- > 0
            ? refuse(403, 'AccessDenied')
            : undefined;
        throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
      },
    { step: 'initialize' },
  );
  return async () => {
    gate.resolve();
    // The service refuses it if its place is taken.
    await late;
  };
}

const unused = await make();
const features = suiteFeatures(unused);
await unused.dispose();

for (const { name, run } of applicableCases(storeConformance, features))
  test(name, () => run({ make, waitTimeout: 60_000 }));
