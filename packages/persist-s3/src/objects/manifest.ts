import { isStoreError, StoreError, toConversationId } from '@conv/core/store';
import { isOtherId } from '@conv/store-kit';
import { LostAnswer } from '../bucket/lost-answer.ts';
import type { Bucket } from '../bucket/bucket.ts';
import { changeKey } from '../bucket/object-keys.ts';
import { start, type Place } from './place.ts';
import { isSealed, sealJson } from './sealed-json.ts';
import { emptySummary, showsTheSame, type Summary } from './summary.ts';

/** Pack: an object with commits, one after the other, and their index. */
export interface Pack {
  readonly name: string;
  /** Numbers of its first commit and event, and of those after its last. */
  readonly seq: number;
  readonly event: number;
  readonly toSeq: number;
  readonly toEvent: number;
  /** Bytes of its commits; the index follows them, up to `bytes`. */
  readonly body: number;
  readonly bytes: number;
  /**
   * Check value of its index, by which an object of another log is known under its key (docs/decisions/0081-records-of-another-conversation.md).
   * Packs of older versions have none.
   */
  readonly index?: string;
}

/** Owner of a conversation. */
export interface Owner {
  /** Name that the owner gave. */
  readonly name: string;
  /** Id of the store whose heartbeat tells whether the owner lives. */
  readonly server: string;
}

/** The record of a conversation beside its commits. It is replaced as a whole, only over the version that was read. */
export interface Manifest {
  /** Format version. 1: written by an older store, without a check value. */
  readonly v: 1 | 2;
  /** Id of the conversation, a dashed UUID. */
  readonly id: string;
  /** Tells this conversation from others that had the same `id` before or after it. */
  readonly instance: string;
  readonly epoch: number;
  /** Random value of this version alone; it tells our own write from others after a lost answer. */
  readonly nonce: string;
  readonly owner: Owner | null;
  /** True if the last owner closed the conversation: the log ends at `end`, and no owner can write until the next takeover. */
  readonly clean: boolean;
  readonly packs: readonly Pack[];
  readonly packed: Place;
  /** Place that the log reaches at least. */
  readonly end: Place;
  /** Slots in which owners find that they were taken over from. They outlive the conversation. */
  readonly fences: readonly number[];
  /** Packs that other packs have replaced, and since when (epoch milliseconds). */
  readonly replaced: readonly { readonly name: string; readonly since: number }[];
  readonly summary: Summary;
  /** Copy of the settings, used when the commit that set them is lost. */
  readonly kept?: string;
  /** Set when the conversation was deleted; `removing` while objects of its log may be left. */
  readonly deleted?: 'removing' | 'removed';
  /**
   * Instances of the logs of forks that a repair has taken for broken off, and removes. They stay in all later manifests of the id, so that
   * none of these forks is made after all.
   */
  readonly drafts?: readonly string[];
}

/** Returns the member that the next manifest of an id takes over from its tombstone. */
export function removedDrafts(tombstone: StoredManifest | undefined): Pick<Manifest, 'drafts'> {
  const { drafts } = tombstone?.manifest ?? {};
  return drafts ? { drafts } : {};
}

/** Returns the manifest of a conversation without commits and without an owner. */
export function emptyManifest(id: string, { platform }: Pick<Bucket, 'platform'>): Manifest {
  return {
    v: 2,
    id,
    instance: platform.id(),
    epoch: 0,
    nonce: '',
    owner: null,
    clean: false,
    packs: [],
    packed: start,
    end: start,
    fences: [],
    replaced: [],
    summary: emptySummary(platform.now()),
  };
}

/** Manifest with the tag of its version. */
export interface StoredManifest {
  readonly manifest: Manifest;
  readonly etag: string;
}

/** Version of a manifest that a write replaces, with its content if that could be read. */
export type ReplacedManifest = Pick<StoredManifest, 'etag'> & Partial<StoredManifest>;

/** Reads a manifest; resolves `undefined` when there is none. Rejects `CORRUPT`, or `UNSUPPORTED` for a newer format version. */
export async function readManifest(
  bucket: Bucket,
  key: string,
  signal?: AbortSignal,
): Promise<StoredManifest | undefined> {
  const object = await bucket.get(key, { signal });
  return object && { manifest: parseManifest(object.bytes, key), etag: object.etag };
}

/** Parses a manifest. Throws `CORRUPT`, or `UNSUPPORTED` for a newer format version. */
export function parseManifest(bytes: Buffer, key: string): Manifest {
  const sealed = isSealed(bytes);
  try {
    const value = JSON.parse(bytes.toString()) as Manifest & { v: number };
    if (sealed && value.v > 2) {
      throw new StoreError(
        'UNSUPPORTED',
        `${key} is of version ${value.v}, newer than this store knows; update the package`,
      );
    }
    const isWhole = sealed ? value.v === 2 : value.v === 1;
    if (isWhole && isOtherId(value.id, idOf(key)))
      throw new StoreError(
        'CORRUPT',
        `conversation ${idOf(key)}: ${key} is the manifest of conversation ${value.id}: check it with repair`,
      );
    if (isWhole && typeof value.instance === 'string' && Array.isArray(value.packs)) return value;
  } catch (error) {
    if (isStoreError(error)) throw error;
    throw new StoreError('CORRUPT', damagedManifest(key), { cause: error });
  }
  throw new StoreError('CORRUPT', damagedManifest(key));
}

/** Returns the id in the key of a manifest; an empty text for another key. */
function idOf(key: string): string {
  const [, id] = /([0-9a-f]{32})\.json$/.exec(key) ?? [];
  return id === undefined ? '' : toConversationId(id);
}

function damagedManifest(key: string): string {
  return `${key} is damaged, and nothing says where the log of its conversation ends: check it with repair`;
}

/**
 * Replaces the version `current`, or no version, by `next`. Puts a mark first if lists show the conversation differently after it. Resolves `undefined` when another version came first. Settles a lost
 * answer by reading. Rejects {@link LostAnswer} if the write may be executed or still come in, and calls `onLost` with its nonce.
 */
export async function replaceManifest(
  bucket: Bucket,
  key: string,
  current: ReplacedManifest | undefined,
  next: Manifest,
  onLost?: (nonce: string) => void,
): Promise<StoredManifest | undefined> {
  const manifest: Manifest = { ...next, v: 2, nonce: bucket.platform.id() };
  // Invariant: the mark is durable before the write can be, and stays until a lister has seen another version than `current`. So every
  // change is in a mark, or in the shared list (docs/decisions/0206-lists-of-s3-are-shared.md).
  if (isShownAnew(current, manifest)) await bucket.mark(changeKey(key, current?.etag));
  let lost: LostAnswer | undefined;
  try {
    const outcome = await bucket.put(key, sealJson(manifest), current ? { over: current.etag } : 'ifFree');
    if (outcome.stored) return { manifest, etag: outcome.etag };
  } catch (error) {
    if (!(error instanceof LostAnswer)) throw error;
    lost = error;
  }
  try {
    const found = await readManifest(bucket, key);
    if (found?.manifest.nonce === manifest.nonce) return found;
    if (!lost || found?.etag !== current?.etag) return undefined;
    // The old version is still there, so the lost write may yet replace it.
  } catch (error) {
    // A manifest that is refused as taken may be this very write, by an earlier attempt without an answer.
    if (!isStoreError(error)) throw error;
    lost ??= new LostAnswer(key, error);
  }
  onLost?.(manifest.nonce);
  throw lost;
}

/** True if lists show the conversation of a manifest differently from its version `before`, or if that is not known. */
function isShownAnew(before: ReplacedManifest | undefined, next: Manifest): boolean {
  if (before && !before.manifest) return true;
  const [was, is] = [before?.manifest, next].map((one) => (one?.deleted ? undefined : one?.summary));
  return was && is ? !showsTheSame(was, is) : was !== is;
}
