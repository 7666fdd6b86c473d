import { S3Store } from '@conv/persist-s3';
import { createS3Server, type S3Server } from '@conv/testing-s3-server';

import { harmed, isGone } from './harm.ts';
import { LIVES, playLife } from './lives.ts';
import { directClient } from './s3-client.ts';
import { destroyedOnS3, provenOnS3 } from './s3-oracle.ts';
import type { DamageTarget, Recording } from './target.ts';

const BUCKET = 'conversations';

/** By how far the clock of the service is ahead of what was recorded: no owner of then counts as alive. */
const LATER = 3_600_000;

/** Objects of the S3 server of this repository, in this process. */
export async function s3Target(): Promise<DamageTarget> {
  const begun = Date.now();
  const server = await createS3Server({ now: () => Date.now() + LATER });
  const client = directClient(server);
  const stores = new Set<S3Store>();
  const open = (): S3Store => {
    const store = new S3Store({ client, bucket: BUCKET, leaseTimeout: 3000 });
    stores.add(store);
    return store;
  };
  const closeAll = async (): Promise<void> => {
    for (const store of stores) await store.close().catch(() => {});
    stores.clear();
  };
  return {
    kind: 's3',
    record: async (random) => {
      const recordings: Recording[] = [];
      for (const { name, ending, steps } of LIVES) {
        server.createBucket(BUCKET);
        await playLife({ ending, steps }, open(), random, (life) => {
          recordings.push({ name, life, units: objectsOf(server), losesUnits: true });
        });
      }
      return recordings;
    },
    restore: async ({ units }, harms) => {
      await closeAll();
      server.createBucket(BUCKET);
      server.forget();
      for (const [key, bytes] of units)
        if (!isGone(key, harms)) server.restore(BUCKET, key, harmed(key, bytes, harms), begun);
      return open();
    },
    destroyed: destroyedOnS3,
    provenLost: provenOnS3,
    dispose: async () => {
      await closeAll();
      client.destroy();
      await server.close();
    },
  };
}

/** Everything that says something of conversations: not what proved that the service keeps conditions. */
function objectsOf(server: S3Server): Map<string, Buffer> {
  const keys = server.keys(BUCKET).filter((key) => !key.startsWith('trials/'));
  return new Map(keys.map((key) => [key, Buffer.from(server.body(BUCKET, key))]));
}
