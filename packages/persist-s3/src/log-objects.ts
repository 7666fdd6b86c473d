import type { Bucket } from './bucket.ts';
import type { Pack } from './manifest.ts';
import type { ObjectCache } from './object-cache.ts';
import { packKey, slotKey } from './object-keys.ts';
import { decodePackIndex, type PackIndex } from './pack-index.ts';

/** Parts of packs up to this size are kept for the next reader. */
const KEPT_BYTES = 1024 * 1024;

/** The objects of one log, which never change once they are there. */
export class LogObjects {
  /** What their keys begin with. */
  readonly log: string;
  readonly #bucket: Bucket;
  readonly #cache: ObjectCache;

  constructor(bucket: Bucket, cache: ObjectCache, log: string) {
    this.#bucket = bucket;
    this.#cache = cache;
    this.log = log;
  }

  /** The bytes of a slot; `undefined` when there is none. */
  slot(slot: number, signal?: AbortSignal): Promise<Buffer | undefined> {
    const key = slotKey(this.log, slot);
    return this.#cached(key, async () => (await this.#bucket.get(key, { signal }))?.bytes);
  }

  /** Remembers a slot that was written here. */
  keepSlot(slot: number, bytes: Buffer): void {
    this.#cache.put(slotKey(this.log, slot), bytes);
  }

  /** All bytes of a pack, its index included; `undefined` when it is not there any more. */
  async pack({ name }: Pack): Promise<Buffer | undefined> {
    return (await this.#bucket.get(packKey(this.log, name)))?.bytes;
  }

  /** The bytes of a pack from one place to before another. */
  packPart({ name }: Pack, from: number, to: number): Promise<Buffer | undefined> {
    const key = packKey(this.log, name);
    const read = async (): Promise<Buffer | undefined> => (await this.#bucket.get(key, { range: [from, to] }))?.bytes;
    return to - from > KEPT_BYTES ? read() : this.#cached(`${key} ${from}-${to}`, read);
  }

  /** The index of a pack. `missing`: the pack is not there any more; `damaged`: it is, but its index cannot be read. */
  async packIndex(pack: Pack): Promise<PackIndex | 'missing' | 'damaged'> {
    const bytes = await this.packPart(pack, pack.body, pack.bytes);
    return bytes ? (decodePackIndex(bytes) ?? 'damaged') : 'missing';
  }

  async #cached(key: string, read: () => Promise<Buffer | undefined>): Promise<Buffer | undefined> {
    const known = this.#cache.get(key);
    if (known) return known;
    const bytes = await read();
    if (bytes) this.#cache.put(key, bytes);
    return bytes;
  }
}
