import { isStoreError, type ConversationSummary } from '@conv/core/store';
import type { Platform } from '@conv/core/platform';
import type { Bucket } from '../bucket/bucket.ts';
import { parseManifest, type Manifest } from '../objects/manifest.ts';
import type { ObjectKeys } from '../bucket/object-keys.ts';
import { emptySummary } from '../objects/summary.ts';

/** Limits the manifests that are read at the same time. */
const AT_ONCE = 16;

/** Milliseconds for which one listing serves the pages after its first. Summaries may be that old anyway. */
const FRESH = 5000;

interface Known {
  readonly etag: string;
  /** Summary; `undefined` if the conversation was deleted. */
  readonly summary: ConversationSummary | undefined;
}

/** Reads the summaries of all conversations. Reads each manifest once, and again when it has another tag. */
export class Summaries {
  readonly #bucket: Bucket;
  readonly #keys: ObjectKeys;
  readonly #platform: Platform;
  #known: ReadonlyMap<string, Known> = new Map();
  #listed: { readonly at: number; readonly all: readonly ConversationSummary[] } | undefined;
  #deletions = 0;

  constructor(bucket: Bucket, keys: ObjectKeys, platform: Platform) {
    this.#bucket = bucket;
    this.#keys = keys;
    this.#platform = platform;
  }

  /** Resolves with all summaries as they are now, in no order. */
  async all(): Promise<readonly ConversationSummary[]> {
    const at = this.#platform.now();
    const deletions = this.#deletions;
    const all = await this.#list();
    if (deletions === this.#deletions && at >= (this.#listed?.at ?? -Infinity)) this.#listed = { at, all };
    return all;
  }

  /** Resolves with all summaries as they were for the pages before, if that is not long ago; else as they are now. */
  async forNextPage(): Promise<readonly ConversationSummary[]> {
    const listed = this.#listed;
    const age = listed ? this.#platform.now() - listed.at : Infinity;
    return listed && age >= 0 && age < FRESH ? listed.all : this.all();
  }

  /** Forgets the last listing because a conversation was deleted: no page shows it any more. */
  deleted(): void {
    this.#listed = undefined;
    this.#deletions++;
  }

  async #list(): Promise<readonly ConversationSummary[]> {
    const found = new Map<string, Known>();
    for await (const page of this.#bucket.list(this.#keys.manifests)) {
      const left = page.values();
      const readSome = async (): Promise<void> => {
        for (const { key, etag } of left) {
          const known = this.#known.get(key);
          found.set(key, known?.etag === etag ? known : { etag, summary: await this.#read(key) });
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, readSome));
    }
    this.#known = found;
    return [...found.values()].flatMap(({ summary }) => (summary ? [summary] : []));
  }

  async #read(key: string): Promise<ConversationSummary | undefined> {
    const id = this.#keys.idOf(key);
    const object = id === undefined ? undefined : await this.#bucket.get(key);
    if (id === undefined || !object) return undefined;
    const { deleted, summary, unreadable } = readable(object.bytes, key);
    if (deleted) return undefined;
    const { title, status, createdAt, updatedAt, tags, parentId, forkedFrom } = summary;
    const listed = { id, title, status, createdAt, updatedAt, tags, parentId, forkedFrom };
    return unreadable === undefined ? listed : { ...listed, unreadable };
  }
}

/** Reads the summary in a manifest; an unreadable one gives defaults and the reason, and hides no conversation. */
function readable(
  bytes: Buffer,
  key: string,
): Pick<Manifest, 'deleted' | 'summary'> & Pick<ConversationSummary, 'unreadable'> {
  try {
    return parseManifest(bytes, key);
  } catch (error) {
    if (!isStoreError(error)) throw error;
    return { summary: emptySummary(0), unreadable: error.message };
  }
}
