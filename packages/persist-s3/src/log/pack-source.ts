import type { Cursor } from './cursor.ts';
import type { LogObjects } from './log-objects.ts';
import type { Pack } from '../objects/manifest.ts';
import type { PackIndex } from '../objects/pack-index.ts';

/** Packs up to this size are read whole. */
const SMALL_BYTES = 256 * 1024;
/** A pack is read whole when at least this share of it is wanted. */
const MOST_OF_IT = 0.5;

/** Tells that a pack is gone: replaced by another pack, or lost. */
export class ReplacedPack extends Error {
  readonly pack: string;

  constructor(pack: string) {
    super(`${pack} is not there any more`);
    this.name = 'ReplacedPack';
    this.pack = pack;
  }
}

/** Reads packs, or only the blocks of them that are wanted. */
export class PackSource {
  readonly #objects: LogObjects;
  readonly #packs: readonly Pack[];

  /** `gone` names packs that are known to be lost for good. */
  constructor(objects: LogObjects, packs: readonly Pack[], gone: ReadonlySet<string>) {
    this.#objects = objects;
    this.#packs = packs.filter(({ name }) => !gone.has(name));
  }

  /** Yields lines with at least the commits that the cursor takes. Reads one pack ahead. */
  async *bodies(cursor: Cursor): AsyncGenerator<Buffer, void, undefined> {
    const wanted = this.#packs.filter((pack) => cursor.touches(pack));
    let next = this.#ahead(wanted[0], cursor);
    for (const [at, pack] of wanted.entries()) {
      const bytes = next ? await next : await this.#read(pack, cursor);
      next = this.#ahead(wanted[at + 1], cursor);
      if (!bytes) throw new ReplacedPack(pack.name);
      yield bytes;
      if (cursor.done) return;
    }
  }

  #ahead(pack: Pack | undefined, cursor: Cursor): Promise<Buffer | undefined> | undefined {
    const reading = pack && this.#read(pack, cursor);
    // The rejection is handled when this pack's turn comes; without one, it must not end the process.
    reading?.catch(() => undefined);
    return reading;
  }

  async #read(pack: Pack, cursor: Cursor): Promise<Buffer | undefined> {
    const isWanted = pack.bytes <= SMALL_BYTES || cursor.shareOf(pack) >= MOST_OF_IT;
    if (isWanted) return (await this.#objects.pack(pack))?.subarray(0, pack.body);
    const index = await this.#objects.packIndex(pack);
    if (index === 'missing') return undefined;
    if (index === 'damaged') return (await this.#objects.pack(pack))?.subarray(0, pack.body);
    const [from, to] = blocksOf(index, pack, cursor);
    return this.#objects.packPart(pack, from, to);
  }
}

/** Returns the offsets from the first wanted block to after the last. */
function blocksOf({ blocks }: PackIndex, pack: Pack, cursor: Cursor): [number, number] {
  const ends = blocks.map((block, at) => {
    const next = blocks[at + 1];
    const toSeq = next?.seq ?? pack.toSeq;
    return { ...block, toSeq, toEvent: next?.event ?? pack.toEvent, end: next?.offset ?? pack.body };
  });
  const wanted = ends.filter((block) => cursor.touches(block));
  return [wanted[0]?.offset ?? 0, wanted.at(-1)?.end ?? pack.body];
}
