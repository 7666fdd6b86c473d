import { applicableCases, storeConformance, suiteFeatures, type StoreUnderTest } from '@conv/conformance';
import { toConversationKey } from '@conv/core/store';
import { dropAfter, refuse } from '@conv/testing-s3-server';
import { test } from 'vitest';
import { BUCKET, openBucket } from './test-bucket.ts';

/** By how far the clock of the service is put forward for an owner to have stalled. */
const STALL = 60_000;

/** A store in a bucket of its own. An owner that stalls is one that the service has not heard of for a minute. */
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
    loseAnswer: (how) => {
      // a client that sends twice gets the answer to the second request; a cut takes that one too
      let left = how === 'sentTwice' ? 1 : 2;
      bucket.server.faults = ({ operation, key }) =>
        operation === 'PutObject' && key.includes('/slot-') && left-- > 0 ? dropAfter() : undefined;
    },
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

const unused = await make();
const features = suiteFeatures(unused);
await unused.dispose();

for (const { name, run } of applicableCases(storeConformance, features)) test(name, () => run({ make }));
