import { randomUUID } from 'node:crypto';
import { isStoreError, StoreError } from '@conv/core/store';
import { LostAnswer } from './attempt.ts';
import type { Bucket } from './bucket.ts';
import type { Place } from './place.ts';
import { isSealed, sealJson } from './sealed-json.ts';
import type { Summary } from './summary.ts';

/** Commits in one object, behind each other. */
export interface Pack {
  readonly name: string;
  /** Its first commit and event, and those that follow its last ones. */
  readonly seq: number;
  readonly event: number;
  readonly toSeq: number;
  readonly toEvent: number;
  /** The bytes of its commits; its index follows them, up to `bytes`. */
  readonly body: number;
  readonly bytes: number;
}

/** Who writes a conversation. */
export interface Owner {
  /** What it calls itself. */
  readonly name: string;
  /** The store whose sign of life says whether it lives. */
  readonly server: string;
}

/** What is known of a conversation besides its commits. Exchanged as a whole, and only over the version that was read. */
export interface Manifest {
  /** 1: without a check value, of a store of before. */
  readonly v: 1 | 2;
  /** A dashed UUID. */
  readonly id: string;
  /** Which of the conversations that had this id, one after the other. */
  readonly instance: string;
  readonly epoch: number;
  /** Made for this version alone. */
  readonly nonce: string;
  readonly owner: Owner | null;
  /** The last owner gave it up in peace: the log ends at `end`, and nobody else can write to it. */
  readonly clean: boolean;
  readonly packs: readonly Pack[];
  /** Up to where the packs go. */
  readonly packed: Place;
  /** The log goes at least so far. */
  readonly end: Place;
  /** Slots in which owners that were taken over from find that they were. They outlive the conversation. */
  readonly fences: readonly number[];
  /** Packs that others replaced, and since when (epoch milliseconds). */
  readonly replaced: readonly { readonly name: string; readonly since: number }[];
  readonly summary: Summary;
  /** A copy of the settings, for when the commit that set them is lost. */
  readonly kept?: string;
  /** It was deleted; `removing` while objects of its log may be left. */
  readonly deleted?: 'removing' | 'removed';
}

/** A manifest and the tag of its version. */
export interface StoredManifest {
  readonly manifest: Manifest;
  readonly etag: string;
}

/** Reads a manifest; `undefined` when there is none. Rejects `CORRUPT`, or `UNSUPPORTED` for that of a newer version. */
export async function readManifest(
  bucket: Bucket,
  key: string,
  signal?: AbortSignal,
): Promise<StoredManifest | undefined> {
  const object = await bucket.get(key, { signal });
  return object && { manifest: parseManifest(object.bytes, key), etag: object.etag };
}

/** A manifest from its bytes. */
export function parseManifest(bytes: Buffer, key: string): Manifest {
  const sealed = isSealed(bytes);
  try {
    const value = JSON.parse(bytes.toString()) as Manifest & { v: number };
    if (sealed && value.v > 2) {
      throw new StoreError('UNSUPPORTED', `${key} is of version ${value.v}, newer than this store knows`);
    }
    const isWhole = sealed ? value.v === 2 : value.v === 1;
    if (isWhole && typeof value.instance === 'string' && Array.isArray(value.packs)) return value;
  } catch (error) {
    if (isStoreError(error)) throw error;
    throw new StoreError('CORRUPT', damagedManifest(key), { cause: error });
  }
  throw new StoreError('CORRUPT', damagedManifest(key));
}

function damagedManifest(key: string): string {
  return `${key} is damaged, and nothing says where the log of its conversation ends: check it with repair`;
}

/**
 * Puts `next` in the place of the version `current`, or of none. Resolves `undefined` when another version came before. A lost
 * answer is settled by reading; rejects with `LostAnswer` when the write may still come in.
 */
export async function replaceManifest(
  bucket: Bucket,
  key: string,
  current: StoredManifest | undefined,
  next: Manifest,
): Promise<StoredManifest | undefined> {
  const manifest: Manifest = { ...next, v: 2, nonce: randomUUID() };
  const bytes = sealJson(manifest);
  const settle = async (lost?: LostAnswer): Promise<StoredManifest | undefined> => {
    const found = await readManifest(bucket, key);
    if (found?.manifest.nonce === manifest.nonce) return found;
    if (lost && found?.etag === current?.etag) throw new LostManifest(manifest.nonce, lost);
    return undefined;
  };
  try {
    const outcome = await bucket.put(key, bytes, current ? { over: current.etag } : 'ifFree');
    return outcome.stored ? { manifest, etag: outcome.etag } : await settle();
  } catch (error) {
    if (error instanceof LostAnswer) return settle(error);
    throw error;
  }
}

/** A version that may still take the place of the one that it was to replace. */
export class LostManifest extends Error {
  readonly nonce: string;

  constructor(nonce: string, lost: LostAnswer) {
    super(lost.message, { cause: lost.cause });
    this.name = 'LostManifest';
    this.nonce = nonce;
  }
}
