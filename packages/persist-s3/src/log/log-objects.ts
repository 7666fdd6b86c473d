import type { Bucket } from '../bucket/bucket.ts';
import type { Pack } from '../objects/manifest.ts';
import type { ObjectCache } from '../bucket/object-cache.ts';
import { packKey, slotKey } from '../bucket/object-keys.ts';
import { decodePackIndex, isOfPack, type PackIndex } from '../objects/pack-index.ts';
import { isMisplaced } from '../objects/slot.ts';

/** Parts of packs up to this size are cached for the next reader. */
const KEPT_BYTES = 1024 * 1024;

/** Stands for a slot of another log, or of another place in this one. Its own header proves nothing about the place where it is. */
export const MISPLACED: Buffer = Buffer.alloc(0);

/**
 * Reads the objects of one log. They never change once they exist, so cached bytes stay valid. An object of another log in the place
 * of one counts as a damaged slot, and as a missing pack (docs/decisions/0081-records-of-another-conversation.md).
 */
export class LogObjects {
  /** Prefix of their keys. */
  readonly log: string;
  readonly #bucket: Bucket;
  readonly #cache: ObjectCache;

  constructor(bucket: Bucket, cache: ObjectCache, log: string) {
    this.#bucket = bucket;
    this.#cache = cache;
    this.log = log;
  }

  /** The instance that the keys name. */
  get instance(): string {
    return this.log.split('/').at(-2) ?? '';
  }

  /** Resolves with the bytes of a slot, or `undefined` when the slot is free. */
  slot(slot: number, signal?: AbortSignal): Promise<Buffer | undefined> {
    const key = slotKey(this.log, slot);
    return this.#cached(key, async () => {
      const bytes = (await this.#bucket.get(key, { signal }))?.bytes;
      return bytes && isMisplaced(bytes, this.instance, slot) ? MISPLACED : bytes;
    });
  }

  /** Caches a slot that this process wrote. */
  keepSlot(slot: number, bytes: Buffer): void {
    this.#cache.put(slotKey(this.log, slot), bytes);
  }

  /** Resolves with all bytes of a pack, its index included, or `undefined` when the pack is gone. */
  async pack(pack: Pick<Pack, 'name' | 'index'>): Promise<Buffer | undefined> {
    const bytes = (await this.#bucket.get(packKey(this.log, pack.name)))?.bytes;
    return bytes && isOfPack(bytes, pack) ? bytes : undefined;
  }

  /** Resolves with the bytes of a pack from `from` to before `to`, or `undefined` when the pack is gone. */
  packPart({ name }: Pack, from: number, to: number): Promise<Buffer | undefined> {
    const key = packKey(this.log, name);
    const read = async (): Promise<Buffer | undefined> => (await this.#bucket.get(key, { range: [from, to] }))?.bytes;
    return to - from > KEPT_BYTES ? read() : this.#cached(`${key} ${from}-${to}`, read);
  }

  /** Resolves with the index of a pack. `missing`: the pack is gone; `damaged`: the pack is there, but its index cannot be read. */
  async packIndex(pack: Pack): Promise<PackIndex | 'missing' | 'damaged'> {
    const bytes = await this.packPart(pack, pack.body, pack.bytes);
    return bytes && isOfPack(bytes, pack) ? (decodePackIndex(bytes) ?? 'damaged') : 'missing';
  }

  async #cached(key: string, read: () => Promise<Buffer | undefined>): Promise<Buffer | undefined> {
    const known = this.#cache.get(key);
    if (known) return known;
    const bytes = await read();
    // A repair may remove a misplaced object, and then the place is free.
    if (bytes && bytes !== MISPLACED) this.#cache.put(key, bytes);
    return bytes;
  }
}
