import { StoreError } from '@conv/core/store';
import type { KnownEndContext } from './known-ends.ts';
import { readManifest } from './manifest.ts';

/**
 * Rejects `CORRUPT` when a conversation has no manifest and slots of a log: a conversation without a manifest was never there, because
 * its manifest comes first and stays as a tombstone. One that was made since the caller has looked is not lost.
 */
export async function refuseLost({ bucket, keys }: KnownEndContext, id: string): Promise<void> {
  for await (const page of bucket.list(keys.logs(id))) {
    if (!page.some(({ key }) => key.includes('/slot-'))) continue;
    const manifest = keys.manifest(id);
    // Somebody else may have made the conversation meanwhile: nothing is lost then.
    if (await readManifest(bucket, manifest)) return;
    throw new StoreError(
      'CORRUPT',
      `${manifest} is lost, and the log of its conversation is there: check it with repair`,
    );
  }
}
