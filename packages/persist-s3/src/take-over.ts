import { randomUUID } from 'node:crypto';
import { StoreError, type OpenOptions } from '@conv/core/store';
import { fenced } from './fenced.ts';
import { acknowledgedEnd, findWholeEnd } from './known-ends.ts';
import { refuseLost } from './lost-manifest.ts';
import type { JournalParts } from './journal.ts';
import { LogObjects } from './log-objects.ts';
import { LostManifest, readManifest, replaceManifest, type Manifest, type StoredManifest } from './manifest.ts';
import { ManifestCell } from './manifest-cell.ts';
import { start, type Place } from './place.ts';
import type { StoreContext } from './reader.ts';
import { removeLog } from './remove-log.ts';
import type { ServerSign } from './server-sign.ts';
import { placeAfter, type SlotHeader } from './slot.ts';
import { SlotWriter } from './slot-writer.ts';
import { emptySummary } from './summary.ts';

/** How often a takeover begins anew because another one came before. */
const ROUNDS = 10;

/** What a takeover works with. */
export interface TakeOverContext {
  readonly context: StoreContext;
  readonly sign: ServerSign;
  /** A dashed UUID. */
  readonly id: string;
}

/** Becomes the owner of a conversation, which is made if need be. Rejects as `ConversationStore.open` does. */
export async function takeOver(parts: TakeOverContext, options: OpenOptions): Promise<JournalParts> {
  const { context, id } = parts;
  const { create = 'ifMissing', signal, owner } = options;
  for (let round = 0; round < ROUNDS; round++) {
    const stored = await readManifest(context.bucket, context.keys.manifest(id), signal);
    const isThere = stored !== undefined && !stored.manifest.deleted;
    if (!isThere && create === 'never') throw new StoreError('NOT_FOUND', `conversation ${id}`);
    if (isThere && create === 'must') throw new StoreError('EXISTS', `conversation ${id}`);
    // Before the sign of life of its owner may be taken away.
    const known = isThere ? await acknowledgedEnd(context, stored.manifest) : start;
    if (isThere) await refuseOwned(parts, stored.manifest, signal);
    if (!stored) await refuseLost(context, id);
    const claimed = isThere ? await claim(parts, stored, owner, known) : await make(parts, stored, owner);
    if (claimed) return claimed;
  }
  throw new StoreError('UNAVAILABLE', `conversation ${id}: others were faster ${ROUNDS} times`);
}

/** Rejects `OWNED` while the owner gives signs of life. An owner of this very store is one that was lost on its way. */
export async function refuseOwned(
  { sign, id, context }: TakeOverContext,
  { owner, epoch }: Manifest,
  signal?: AbortSignal,
): Promise<void> {
  if (!owner || owner.server === sign.server) return;
  const remaining = await sign.remaining(owner.server, signal);
  if (remaining <= 0) return;
  const until = context.clock.now() + remaining;
  throw new StoreError('OWNED', `conversation ${id} is owned by ${owner.name} until ${new Date(until).toISOString()}`, {
    owner: { owner: owner.name, epoch, until },
  });
}

/** Makes a conversation, with a log that nobody has written to before. `undefined`: somebody else made it. */
async function make(
  parts: TakeOverContext,
  stored: StoredManifest | undefined,
  owner: string,
): Promise<JournalParts | undefined> {
  const { context, sign, id } = parts;
  const tombstone = stored && (await removeLog(context, stored));
  if (stored && !tombstone) return undefined;
  const manifest: Manifest = {
    v: 2,
    id,
    instance: randomUUID(),
    epoch: (stored?.manifest.epoch ?? 0) + 1,
    nonce: '',
    owner: { name: owner, server: sign.server },
    clean: false,
    packs: [],
    packed: start,
    end: start,
    fences: [],
    replaced: [],
    summary: emptySummary(context.clock.now()),
  };
  const current = await replace(parts, tombstone, manifest);
  return current && journalParts(parts, current, { owner, place: start, fences: [] });
}

/** Raises the epoch of a conversation and keeps all owners before from writing. `undefined`: somebody else was faster. */
async function claim(
  parts: TakeOverContext,
  stored: StoredManifest,
  owner: string,
  known: Place,
): Promise<JournalParts | undefined> {
  const { sign, id, context } = parts;
  const { manifest } = stored;
  const claiming: Manifest = {
    ...manifest,
    epoch: manifest.epoch + 1,
    owner: { name: owner, server: sign.server },
    clean: false,
    end: known,
  };
  const current = await replace(parts, stored, claiming);
  if (!current) return undefined;
  try {
    const made = await plantFence(parts, current, manifest.clean);
    if (!made) return undefined;
    // A log that was deleted meanwhile has no slots that would tell; its manifest does.
    const now = await readManifest(context.bucket, context.keys.manifest(id));
    if (now?.manifest.nonce !== current.manifest.nonce) return undefined;
    return journalParts(parts, current, { ...made, owner });
  } catch (error) {
    // Others need not wait for an owner that never was.
    await replace(parts, current, { ...current.manifest, owner: null }).catch(() => undefined);
    throw error;
  }
}

async function replace(
  { context, id }: TakeOverContext,
  stored: StoredManifest | undefined,
  next: Manifest,
): Promise<StoredManifest | undefined> {
  try {
    return await replaceManifest(context.bucket, context.keys.manifest(id), stored, next);
  } catch (error) {
    throw error instanceof LostManifest ? error.cause : error;
  }
}

/** Where an ownership begins. */
interface Fenced {
  readonly place: Place;
  readonly fences: readonly number[];
}

/**
 * Writes an empty slot at the end of the log: whoever owned it before finds it where the next commits were to go. What an older
 * owner has written until then is acknowledged, and taken along. `undefined`: a newer owner has been there.
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
    : await findWholeEnd(bucket, objects, manifest.end);
  const { epoch } = manifest;
  if (headers.some((header) => header.epoch > epoch)) return undefined;
  const fences = new Set([...manifest.fences, ...headers.filter(isFence).map(({ slot }) => slot)]);
  const writer = new SlotWriter({ bucket, objects, id, epoch, place });
  for (;;) {
    const { mine, header } = await writer.claim({ kind: 'fence', lines: [], events: 0 });
    if (mine) {
      if (!isClean) fences.add(header.slot);
      return { place: writer.place, fences: [...fences] };
    }
    if (header && header.epoch > epoch) return undefined;
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
