import { isStoreError, StoreError, type OpenOptions } from '@conv/core/store';
import { existsAlready, notInStore, ownedBy } from '@conv/store-kit';
import { fenced } from '../log/fenced.ts';
import { acknowledgedEnd, findWholeEnd } from '../log/known-ends.ts';
import { refuseLost } from './lost-manifest.ts';
import type { JournalParts } from './journal.ts';
import { LogObjects } from '../log/log-objects.ts';
import { asUnknown } from '../bucket/lost-answer.ts';
import {
  emptyManifest,
  readManifest,
  removedDrafts,
  replaceManifest,
  type Manifest,
  type StoredManifest,
} from '../objects/manifest.ts';
import { ManifestCell } from './manifest-cell.ts';
import { start, type Place } from '../objects/place.ts';
import type { StoreContext } from '../log/reader.ts';
import { removeLog } from '../log/remove-log.ts';
import type { StoreHeartbeat } from './store-heartbeat.ts';
import { placeAfter, type SlotHeader } from '../objects/slot.ts';
import { SlotWriter } from '../log/slot-writer.ts';

/** Limits how often a takeover begins again because another one came first. */
const ROUNDS = 10;

export interface TakeOverContext {
  readonly context: StoreContext;
  readonly heartbeat: StoreHeartbeat;
  /** Id of the conversation, a dashed UUID. */
  readonly id: string;
}

/**
 * Becomes the owner of a conversation, and makes the conversation if `create` says so (P2, decision 51). Rejects as
 * `ConversationStore.open` does. The manifest's epoch names the owner; the fence in the log stops all owners before.
 *
 * ```text
 *   manifest ──► heartbeat of the owner too old? ──► put epoch n + 1 ──► fence in the next slot ──► manifest unchanged? ──► owner
 *      ▲            │ no: OWNED                         │ others first       │ a newer epoch              │ no
 *      └────────────────────────────────────────────────┴────────────────────┴────────────────────────────┘ again
 * ```
 *
 * Each put is conditional, so of several takers one gets each epoch. The order is the proof: the fence takes the slot that an older
 * owner would write next, so nothing is acknowledged after the place where the log is read.
 */
export async function takeOver(parts: TakeOverContext, options: OpenOptions): Promise<JournalParts> {
  const { context, id } = parts;
  const { create = 'ifMissing', signal, owner } = options;
  for (let round = 0; round < ROUNDS; round++) {
    const stored = await readManifest(context.bucket, context.keys.manifest(id), signal);
    const isThere = stored !== undefined && !stored.manifest.deleted;
    if (!isThere && create === 'never') throw notInStore(id);
    if (isThere && create === 'must') throw existsAlready(id);
    // Read the acknowledged end first, because `refuseOwned` may remove the heartbeat that records it
    // (docs/decisions/0051-s3-ends.md).
    const known = isThere ? await acknowledgedEnd(context, stored.manifest) : start;
    if (isThere) await refuseOwned(parts, stored.manifest, signal);
    if (!stored) await refuseLost(context, id);
    const claimed = isThere ? await claim(parts, stored, owner, known) : await make(parts, stored, owner);
    if (claimed) return claimed;
  }
  throw new StoreError('UNAVAILABLE', `conversation ${id}: others were faster ${ROUNDS} times; open it again`);
}

/**
 * Rejects `OWNED` while the heartbeat of the owner is fresh. An owner with the id of this very store was lost during an earlier
 * takeover or release, so it does not count.
 */
export async function refuseOwned(
  { heartbeat, id, context }: TakeOverContext,
  { owner, epoch, nonce }: Manifest,
  signal?: AbortSignal,
): Promise<void> {
  if (!owner || owner.server === heartbeat.server) return;
  const remaining = await heartbeat.remaining(owner.server, nonce, signal);
  if (remaining <= 0) return;
  throw ownedBy(id, { owner: owner.name, epoch, until: context.platform.now() + remaining });
}

/** Makes a conversation with a new log. Resolves `undefined` when another process made the conversation first. */
async function make(
  parts: TakeOverContext,
  stored: StoredManifest | undefined,
  owner: string,
): Promise<JournalParts | undefined> {
  const { context, heartbeat, id } = parts;
  const tombstone = stored && (await removeLog(context, stored));
  if (stored && !tombstone) return undefined;
  const manifest: Manifest = {
    ...emptyManifest(id, context),
    epoch: (stored?.manifest.epoch ?? 0) + 1,
    owner: { name: owner, server: heartbeat.server },
    ...removedDrafts(tombstone),
  };
  const current = await replace(parts, tombstone, manifest).catch((error: unknown) => {
    throw asUnknown(error, `conversation ${id}: whether it was made is not known; open it to find out`);
  });
  return current && journalParts(parts, current, { owner, place: start, fences: [] });
}

/** Raises the epoch of a conversation and stops all former owners. Resolves `undefined` when another process came first. */
async function claim(
  parts: TakeOverContext,
  stored: StoredManifest,
  owner: string,
  known: Place,
): Promise<JournalParts | undefined> {
  const { heartbeat, id, context } = parts;
  const { manifest } = stored;
  const claiming: Manifest = {
    ...manifest,
    epoch: manifest.epoch + 1,
    owner: { name: owner, server: heartbeat.server },
    clean: false,
    end: known,
  };
  // Written only over the version that was read, so that of several takers exactly one gets each epoch.
  const current = await replace(parts, stored, claiming);
  if (!current) return undefined;
  try {
    // Invariant: once the fence is durable, no owner of a lower epoch can append.
    const made = await plantFence(parts, current, manifest.clean);
    if (!made) return undefined;
    // Read the manifest last. A log deleted meanwhile has no slots that would tell, and a fence in it proves nothing.
    const now = await readManifest(context.bucket, context.keys.manifest(id));
    if (now?.manifest.nonce !== current.manifest.nonce) return undefined;
    return journalParts(parts, current, { ...made, owner });
  } catch (error) {
    // Free the manifest, so that other stores need not wait for an owner that never began.
    await replace(parts, current, { ...current.manifest, owner: null }).catch(() =>
      heartbeat.free(current.manifest.nonce),
    );
    // A fence that may be in the log changes nothing that a caller has asked for.
    throw isStoreError(error, 'OUTCOME_UNKNOWN')
      ? new StoreError('UNAVAILABLE', error.message, { cause: error })
      : error;
  }
}

function replace(
  { context, heartbeat, id }: TakeOverContext,
  stored: StoredManifest | undefined,
  next: Manifest,
): Promise<StoredManifest | undefined> {
  // A version without an answer may name this store as the owner, now or later, while no journal holds the conversation.
  return replaceManifest(context.bucket, context.keys.manifest(id), stored, next, (nonce) => heartbeat.free(nonce));
}

/** Begin of an ownership: the place after its fence, and the fences that deletion must keep. */
interface Fenced {
  readonly place: Place;
  readonly fences: readonly number[];
}

/**
 * Writes an empty slot at the end of the log, where the former owner was to write its next commits. The former owner finds it
 * there and is `FENCED`. Commits that an older owner has written until then are acknowledged and kept. Resolves `undefined` when
 * a newer owner came first.
 */
export async function plantFence(
  { context, id }: TakeOverContext,
  { manifest }: StoredManifest,
  isClean: boolean,
): Promise<Fenced | undefined> {
  const { bucket, cache, keys } = context;
  const objects = new LogObjects(bucket, cache, keys.log(id, manifest.instance));
  const { place, headers } = isClean
    ? { place: manifest.end, headers: [] }
    : await findWholeEnd({ bucket, id }, objects, manifest.end);
  const { epoch } = manifest;
  if (headers.some((header) => header.epoch > epoch)) return undefined;
  const fences = new Set([...manifest.fences, ...headers.filter(isFence).map(({ slot }) => slot)]);
  const writer = new SlotWriter({ bucket, objects, id, epoch, place });
  let isAtEnd = true;
  for (;;) {
    // Creating the slot only if it is free orders this fence against every append of the former owner.
    const claim = await writer.claim({ kind: 'fence', lines: [], events: 0 });
    const { header } = claim;
    if (claim.mine) {
      if (!isClean) fences.add(claim.header.slot);
      return { place: writer.place, fences: [...fences] };
    }
    if (header && header.epoch > epoch) return undefined;
    // A misplaced slot right after the end of the log hides no slot of this log.
    if (claim.isMisplaced && isAtEnd) {
      writer.skip();
      continue;
    }
    isAtEnd = false;
    const { slot, seq, event } = writer.place;
    writer.adopt(header ? placeAfter(header) : { slot: slot + 1, seq: seq + 1, event });
    if (header && isFence(header)) fences.add(header.slot);
  }
}

function isFence({ kind }: SlotHeader): boolean {
  return kind === 'fence';
}

function journalParts(
  { context, id }: TakeOverContext,
  current: StoredManifest,
  { place, fences, owner }: Fenced & { readonly owner: string },
): JournalParts {
  const { bucket, cache, keys } = context;
  const { instance, epoch } = current.manifest;
  const objects = new LogObjects(bucket, cache, keys.log(id, instance));
  const cell = new ManifestCell(bucket, keys.manifest(id), current, () => fenced(id));
  return { owner, cell, writer: new SlotWriter({ bucket, objects, id, epoch, place }), fences };
}
