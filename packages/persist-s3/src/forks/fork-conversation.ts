import { foldJournal, type StateFields } from '@conv/core';
import { forkCommits, isStoreError, type Commit, type ForkOptions } from '@conv/core/store';
import { existsAlready, forkState, keptText, settingsText } from '@conv/store-kit';
import { commitLine } from '../objects/commit-line.ts';
import { refuseRemoved } from './drafts.ts';
import { asUnknown } from '../bucket/lost-answer.ts';
import {
  emptyManifest,
  readManifest,
  removedDrafts,
  replaceManifest,
  type Manifest,
  type Pack,
  type StoredManifest,
} from '../objects/manifest.ts';
import { packKey, snapshotKey } from '../bucket/object-keys.ts';
import { packLines } from '../log/packer.ts';
import { start, type Place } from '../objects/place.ts';
import { S3Reader, type StoreContext } from '../log/reader.ts';
import { removeLog } from '../log/remove-log.ts';
import { summaryOf } from '../objects/summary.ts';

/** The bytes of commits from which a pack of a fork is written. */
const PACK_BYTES = 8 * 1024 * 1024;
/** Limits the packs that are copied at the same time. */
const COPIES_AT_ONCE = 8;
const COPY_ROUNDS = 4;

export interface ForkParts {
  readonly context: StoreContext;
  readonly source: S3Reader;
  /** Id of the fork, a dashed UUID. */
  readonly id: string;
  /** State at the end of the source, when this store writes the source. */
  readonly fields: StateFields | undefined;
}

/**
 * Makes a fork with objects of its own. Copies packs inside the service, and writes the commits that no pack holds as one more.
 * The fork exists once its manifest is written, which comes last. If it is certain that it is not written, the objects are removed.
 */
export async function forkConversation(parts: ForkParts, options: ForkOptions): Promise<void> {
  const draft: Manifest = { ...emptyManifest(parts.id, parts.context), clean: true };
  try {
    await makeFork(parts, draft, options);
  } catch (error) {
    // A manifest that may come in late names these objects.
    if (!isStoreError(error, 'OUTCOME_UNKNOWN')) await removeDraft(parts.context, draft);
    throw error;
  }
}

/** Removes what a fork without a manifest has written. A failure leaves objects that nothing names; the error of the fork says why. */
async function removeDraft({ bucket, keys }: StoreContext, { id, instance }: Manifest): Promise<void> {
  try {
    for await (const page of bucket.list(keys.log(id, instance))) await bucket.remove(page.map(({ key }) => key));
  } catch {
    // Ignore the failure: the fork's own error is reported, and usually has the same cause.
  }
}

async function makeFork(parts: ForkParts, draft: Manifest, options: ForkOptions): Promise<void> {
  const { context, id } = parts;
  const copied = await (options.from === undefined ? forkWhole : forkPath)(parts, draft, options);
  for (;;) {
    const stored = await readManifest(context.bucket, context.keys.manifest(id));
    if (stored && isMade(stored, draft)) return;
    const tombstone = stored && (await removeLog(context, stored));
    if (stored && !tombstone) continue;
    const epoch = Math.max(copied.epoch, stored?.manifest.epoch ?? 0) + 1;
    if (await write(context, tombstone, { ...copied, ...removedDrafts(tombstone), epoch })) return;
  }
}

/** True if a repair has found the fork whole and written its manifest. Throws `EXISTS` for another conversation. */
function isMade({ manifest }: StoredManifest, { id, instance }: Manifest): boolean {
  if (manifest.deleted) refuseRemoved(manifest, instance);
  else if (manifest.instance !== instance) throw existsAlready(id);
  return !manifest.deleted;
}

/** Writes only over the version that was read, because another process may have made a conversation with this id meanwhile. */
async function write(
  { bucket, keys }: StoreContext,
  tombstone: StoredManifest | undefined,
  manifest: Manifest,
): Promise<StoredManifest | undefined> {
  try {
    return await replaceManifest(bucket, keys.manifest(manifest.id), tombstone, manifest);
  } catch (error) {
    throw asUnknown(error, `conversation ${manifest.id}: whether the fork was made is not known; read it to find out`);
  }
}

/** Rejects `EXISTS` when a conversation has the id. */
export async function assertFree({ bucket, keys }: StoreContext, id: string): Promise<void> {
  const stored = await readManifest(bucket, keys.manifest(id));
  if (stored && !stored.manifest.deleted) throw existsAlready(id);
}

async function forkWhole(parts: ForkParts, draft: Manifest, { patch }: ForkOptions): Promise<Manifest> {
  const { context, source } = parts;
  const log = context.keys.log(draft.id, draft.instance);
  for (let round = 1; ; round++) {
    const { manifest, end } = source.seen;
    if (!(await copyPacks(context, source, log)) && round < COPY_ROUNDS) {
      // The owner of the source may have replaced a pack since. A pack that is still missing after the last round is damage, in
      // the fork as well.
      await source.refresh();
      continue;
    }
    const { own, fields, kept } = await forkState(source, draft.id, patch, round === 1 ? parts.fields : undefined);
    const { epoch, packed } = manifest;
    const lines: Buffer[] = [];
    for await (const commit of source.commits({ from: packed.seq as Commit['seq'], to: end.seq as Commit['seq'] })) {
      lines.push(commitLine(commit, commit));
    }
    const place = { seq: end.seq, epoch, firstEvent: end.event };
    lines.push(commitLine({ id: context.platform.id(), events: [], patch: own }, place));
    const to = { slot: 0, seq: end.seq + 1, event: end.event };
    const pack = await packLines(context.bucket, log, lines, packed, to);
    await context.bucket.copy(snapshotKey(source.log), snapshotKey(log));
    const summary = summaryOf(fields, to.seq, context.platform.now());
    return { ...draft, packs: [...manifest.packs, pack], packed: to, end: to, epoch, summary, kept };
  }
}

/** Copies the packs of the source. Resolves `false` when a pack is missing. When it rejects, no copy is on its way any more. */
async function copyPacks({ bucket }: StoreContext, source: S3Reader, log: string): Promise<boolean> {
  const left = source.seen.manifest.packs.values();
  let copied = true;
  const failures: unknown[] = [];
  const copySome = async (): Promise<void> => {
    for (const { name } of left) {
      if (failures.length > 0) return;
      copied = (await bucket.copy(packKey(source.log, name), packKey(log, name))) && copied;
    }
  };
  const stop = (error: unknown): void => void failures.push(error);
  await Promise.all(Array.from({ length: COPIES_AT_ONCE }, () => copySome().catch(stop)));
  if (failures.length > 0) throw failures[0];
  return copied;
}

async function forkPath({ context, source }: ForkParts, draft: Manifest, options: ForkOptions): Promise<Manifest> {
  const log = context.keys.log(draft.id, draft.instance);
  const commits = await forkCommits(source, options, context.platform);
  const packs: Pack[] = [];
  let [lines, bytes, from, to]: [Buffer[], number, Place, Place] = [[], 0, start, start];
  for (const [at, commit] of commits.entries()) {
    const line = commitLine(commit, commit);
    lines.push(line);
    bytes += line.length;
    to = { slot: 0, seq: commit.seq + 1, event: commit.firstEvent + commit.events.length };
    if (bytes < PACK_BYTES && at < commits.length - 1) continue;
    packs.push(await packLines(context.bucket, log, lines, from, to));
    [lines, bytes, from] = [[], 0, to];
  }
  const made = { ...draft, packs, packed: to, end: to };
  const { fields } = await foldJournal(new S3Reader(context, { manifest: made, end: to }));
  return {
    ...made,
    summary: summaryOf(fields, to.seq, context.platform.now()),
    kept: keptText(to.seq, settingsText(fields, draft.id)),
  };
}
