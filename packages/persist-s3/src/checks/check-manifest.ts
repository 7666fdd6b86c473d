import { projections } from '@conv/core';
import { isStoreError, StoreError, type Finding } from '@conv/core/store';
import { foreignLog, foreignLogError, notInStore } from '@conv/store-kit';
import type { StoredObject } from '../bucket/bucket.ts';
import { draftsOf, draftText } from '../forks/drafts.ts';
import { findEnd } from '../log/find-end.ts';
import { LogObjects } from '../log/log-objects.ts';
import { presentManifest } from '../ownership/lost-manifest.ts';
import { emptyManifest, parseManifest, replaceManifest, type Manifest, type Pack } from '../objects/manifest.ts';
import { packKey } from '../bucket/object-keys.ts';
import { packPlace } from '../objects/pack-index.ts';
import { start, type Place } from '../objects/place.ts';
import { S3Reader, type StoreContext } from '../log/reader.ts';
import { checkAge } from './stale-manifest.ts';
import { decodeSlot } from '../objects/slot.ts';
import { summaryOf } from '../objects/summary.ts';

/**
 * Checks a manifest. `repair` rebuilds a damaged or lost one from the objects of the log; without, the check rejects `CORRUPT`. A manifest
 * that is older than its log is a finding, and `repair` moves it to the end of the log.
 */
export async function checkManifest(context: StoreContext, id: string, repair: boolean): Promise<readonly Finding[]> {
  const key = context.keys.manifest(id);
  try {
    const stored = await presentManifest(context, id);
    if (!stored) throw (await unmade(context, id)) ?? notInStore(id);
    return await checkAge(context, stored, repair);
  } catch (error) {
    if (!repair || !isStoreError(error, 'CORRUPT')) throw error;
    const manifest = await rebuilt(context, id, await context.bucket.get(key));
    if (!manifest) throw error;
    // Read again, because a repair of another process may have come first. The tag of this version guards the write below.
    const damaged = await context.bucket.get(key);
    if (damaged && isWhole(damaged.bytes, key)) return [];
    const current = damaged && { etag: damaged.etag };
    if (!(await replaceManifest(context.bucket, key, current, manifest)))
      throw new StoreError('UNAVAILABLE', `${key} was changed by another process; check it again`, { cause: error });
    return [{ part: 'manifest', severity: 'damaged', message: error.message, repaired: true }];
  }
}

/** Returns the error for a fork whose manifest is not there. */
async function unmade(context: StoreContext, id: string): Promise<StoreError | undefined> {
  const text = draftText(context.keys.manifest(id), await draftsOf(context, id));
  return text === undefined ? undefined : new StoreError('CORRUPT', text);
}

/** True if the bytes are a whole manifest, because another process has made or repaired it. */
function isWhole(bytes: Buffer, key: string): boolean {
  try {
    parseManifest(bytes, key);
    return true;
  } catch {
    return false;
  }
}

/**
 * Builds a manifest from the objects of the log. Resolves `undefined` when the log holds no commits. Rejects `CORRUPT` for the log of
 * another conversation. `damaged`: the manifest that is there.
 */
async function rebuilt(
  context: StoreContext,
  id: string,
  damaged: StoredObject | undefined,
): Promise<Manifest | undefined> {
  const { bucket, keys, cache, platform } = context;
  const named = /"id":"([0-9a-f-]{36})"/.exec(damaged?.bytes.toString() ?? '')?.[1];
  const largest = await largestLog(context, id);
  if (!largest) return undefined;
  // Only a whole fork is made of packs alone: the rest of a fork that broke off must not pass for a conversation.
  const drafts = largest.slots === 0 && named === undefined ? await draftsOf(context, id) : [];
  const draft = drafts.find(({ kind }) => kind === 'whole');
  if (!draft && (drafts.length > 0 || (largest.slots === 0 && !damaged))) return undefined;
  const log = draft ?? largest;
  const objects = new LogObjects(bucket, cache, keys.log(id, log.instance));
  const packs = await packsBefore(objects, log.packs, await firstOf(objects));
  const last = packs.at(-1);
  const packed: Place = last ? { slot: 0, seq: last.toSeq, event: last.toEvent } : start;
  const { place, headers } = await findEnd(objects, packed);
  const made: Manifest = {
    ...emptyManifest(id, context),
    instance: log.instance,
    // Higher than every epoch in the slots, so that each of their owners finds itself fenced.
    epoch: Math.max(draft?.epoch ?? 0, ...headers.map(({ epoch }) => epoch)) + 1,
    packs,
    packed,
    end: place,
    fences: headers.filter(({ kind }) => kind === 'fence').map(({ slot }) => slot),
  };
  const reader = new S3Reader(context, { manifest: made, end: place });
  const foreign = await foreignLog(reader, id);
  // A manifest of the same conversation beside such a log proves that all objects were moved (decision 82).
  if (foreign && (foreign.isWhole || foreign.id === named)) throw foreignLogError(id, foreign.id);
  const { fields } = await projections.readState(reader);
  return { ...made, summary: summaryOf(fields, place.seq, platform.now()) };
}

interface FoundLog {
  readonly instance: string;
  readonly packs: string[];
  slots: number;
}

/** Finds the log with the most slots among the logs of this id. The logs of deleted conversations keep nothing but fences. */
async function largestLog({ bucket, keys }: StoreContext, id: string): Promise<FoundLog | undefined> {
  const logs = new Map<string, FoundLog>();
  const prefix = keys.logs(id);
  for await (const page of bucket.list(prefix)) {
    for (const { key } of page) {
      const [instance = '', name = ''] = key.slice(prefix.length).split('/');
      const log = logs.get(instance) ?? { instance, packs: [], slots: 0 };
      logs.set(instance, log);
      if (name.startsWith('slot-')) log.slots++;
      else if (name.startsWith('pack-')) log.packs.push(packKey('', name));
    }
  }
  return [...logs.values()].toSorted((a, b) => b.slots - a.slots || b.packs.length - a.packs.length)[0];
}

/** Returns the number of the first commit in slots, which is above 0 for a fork; `Infinity` without a first slot. */
async function firstOf(objects: LogObjects): Promise<number> {
  const bytes = await objects.slot(1);
  return (bytes && decodeSlot(bytes).header?.seq) ?? (bytes ? 0 : Infinity);
}

/** Chooses packs that together hold the commits before a number, without a gap. */
async function packsBefore(objects: LogObjects, names: readonly string[], before: number): Promise<Pack[]> {
  const chosen: Pack[] = [];
  if (before === 0) return chosen;
  const found: Pack[] = [];
  for (const name of names) {
    const bytes = await objects.pack({ name });
    const place = bytes && packPlace(bytes);
    if (place) found.push({ name, ...place });
  }
  for (let seq = 0; seq < before;) {
    const next = found.filter((pack) => pack.seq <= seq && pack.toSeq > seq).toSorted((a, b) => b.toSeq - a.toSeq)[0];
    if (!next) return chosen;
    chosen.push(next);
    seq = next.toSeq;
  }
  return chosen;
}
