import { isStoreError, StoreError } from '@conv/core/store';
import type { Incomplete } from '@conv/store-kit';
import { idsWithoutManifest } from '../forks/drafts.ts';
import type { KnownEndContext } from '../log/known-ends.ts';
import { readManifest, type StoredManifest } from '../objects/manifest.ts';

/**
 * Rejects `CORRUPT` when slots of a log are there but the manifest is missing, because then the manifest was lost. An id without
 * both was never used: a manifest is written before its log, and stays as a tombstone. Resolves if another process has made the
 * conversation since the caller looked.
 */
export async function refuseLost({ bucket, keys }: KnownEndContext, id: string): Promise<void> {
  for await (const page of bucket.list(keys.logs(id))) {
    if (!page.some(({ key }) => key.includes('/slot-'))) continue;
    const manifest = keys.manifest(id);
    // Read the manifest after the slots: another process may have made the conversation since, and then nothing is lost.
    if (await readManifest(bucket, manifest)) return;
    throw new StoreError(
      'CORRUPT',
      `${manifest} is lost, and the log of its conversation is there: check it with repair`,
    );
  }
}

/** Reads the manifest of a conversation; resolves `undefined` if the conversation is not there. Rejects as {@link refuseLost}. */
export async function presentManifest(
  context: KnownEndContext,
  id: string,
  signal?: AbortSignal,
): Promise<StoredManifest | undefined> {
  const stored = await readManifest(context.bucket, context.keys.manifest(id), signal);
  if (!stored) await refuseLost(context, id);
  return stored?.manifest.deleted ? undefined : stored;
}

/** Finds the conversations whose log is there and whose manifest, or tombstone, is not. */
export async function lostManifests(context: KnownEndContext): Promise<readonly Incomplete[]> {
  const lost: Incomplete[] = [];
  for await (const id of idsWithoutManifest(context)) {
    try {
      await refuseLost(context, id);
    } catch (error) {
      if (!isStoreError(error, 'CORRUPT')) throw error;
      lost.push({ id, part: 'manifest', message: error.text });
    }
  }
  return lost;
}
