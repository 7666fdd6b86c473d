import { checkValue } from '@conv/store-kit/system';
import type { Bucket } from '../bucket/bucket.ts';
import type { LogObjects } from './log-objects.ts';
import type { Manifest, Pack } from '../objects/manifest.ts';
import { packKey } from '../bucket/object-keys.ts';
import { decodePackIndex, encodePackIndex, indexCommits, joinIndexes, type PackIndex } from '../objects/pack-index.ts';
import type { Place } from '../objects/place.ts';
import { decodeSlot, placeAfter } from '../objects/slot.ts';

const MIB = 1024 * 1024;
/** A pack below this size is joined with the slots that follow it. */
const SMALL_PACK = MIB;
/** A pack of this size is full and stays as it is. */
const FULL_PACK = 8 * MIB;
/** Limits the slots that are read at the same time. */
const SLOTS_AT_ONCE = 4;
const LINE_FEED = 10;

/** Commits that become a pack, with their index. */
interface Contents {
  readonly body: Buffer;
  readonly index: PackIndex;
  /** Numbers of its first commit and event, and of those after its last. */
  readonly seq: number;
  readonly event: number;
  readonly toSeq: number;
  readonly toEvent: number;
}

/** Result of packing, for the manifest. */
export interface Packed {
  readonly packs: readonly Pack[];
  /** Former packs whose commits the last pack holds now. */
  readonly replaced: readonly Pack[];
  readonly packed: Place;
  /** Bytes of the slots that were added. */
  readonly bytes: number;
}

/**
 * Makes a pack of the first slots up to `to` that no pack holds, as many as fill a pack. Joins it with the last packs as long as
 * these are small, so that reading all takes little more than one request for each 8 MiB. Readers see nothing of it before the
 * manifest names the pack. A former pack that is missing is left alone.
 */
export async function packSlots(bucket: Bucket, objects: LogObjects, manifest: Manifest, to: Place): Promise<Packed> {
  const { packs, packed } = manifest;
  const { body, place } = await slotBodies(objects, packed, to);
  if (place.seq === packed.seq) return { packs, replaced: [], packed: place, bytes: 0 };
  let contents = contentsOf(body, packed, place);
  const replaced: Pack[] = [];
  for (;;) {
    const last = packs.at(-1 - replaced.length);
    // Two limits, so that a large pack is rewritten once for each new megabyte, and not for each small pack.
    const limit = contents.body.length < SMALL_PACK ? SMALL_PACK : FULL_PACK;
    const before = last && last.body < limit ? await loadPack(objects, last) : undefined;
    if (!last || !before) break;
    contents = joined(before, contents);
    replaced.unshift(last);
  }
  const pack = await writePack(bucket, objects.log, contents);
  const left = packs.slice(0, packs.length - replaced.length);
  return { packs: [...left, pack], replaced, packed: place, bytes: body.length };
}

/** Writes commits from `from` to `to` as a pack of their own. */
export function packLines(
  bucket: Bucket,
  log: string,
  lines: readonly Buffer[],
  from: Place,
  to: Place,
): Promise<Pack> {
  return writePack(bucket, log, contentsOf(Buffer.concat(lines), from, to));
}

async function writePack(bucket: Bucket, log: string, contents: Contents): Promise<Pack> {
  const { body, index, seq, event, toSeq, toEvent } = contents;
  const tail = encodePackIndex(index);
  const name = `pack-${String(seq).padStart(10, '0')}-${bucket.platform.id()}`;
  await bucket.put(packKey(log, name), Buffer.concat([body, tail]), 'always');
  const bytes = body.length + tail.length;
  return { name, seq, event, toSeq, toEvent, body: body.length, bytes, index: checkValue(tail) };
}

/** Reads the commits of slots after each other, and the place that they reach. */
async function slotBodies(objects: LogObjects, from: Place, to: Place): Promise<{ body: Buffer; place: Place }> {
  const bodies: Buffer[] = [];
  let [bytes, place] = [0, from];
  for (let slot = from.slot + 1; slot <= to.slot; slot += SLOTS_AT_ONCE) {
    const some = Array.from({ length: Math.min(SLOTS_AT_ONCE, to.slot - slot + 1) }, (_, at) => slot + at);
    const loaded = await Promise.all(some.map((one) => objects.slot(one)));
    for (const found of loaded) {
      const { header, body } = decodeSlot(found ?? Buffer.alloc(0));
      // End a slot that was cut short with a line feed, or the first commit of the next slot would be lost with it.
      bodies.push(body, body.length > 0 && body.at(-1) !== LINE_FEED ? Buffer.of(LINE_FEED) : Buffer.alloc(0));
      bytes += body.length;
      if (header) place = placeAfter(header);
      if (header && bytes >= FULL_PACK) return { body: Buffer.concat(bodies), place };
    }
  }
  return { body: Buffer.concat(bodies), place: to };
}

function contentsOf(body: Buffer, from: Place, to: Place): Contents {
  const { seq, event } = from;
  return { body, index: indexCommits(body, from), seq, event, toSeq: to.seq, toEvent: to.event };
}

async function loadPack(objects: LogObjects, pack: Pack): Promise<Contents | undefined> {
  const bytes = await objects.pack(pack);
  if (!bytes) return undefined;
  const body = bytes.subarray(0, pack.body);
  const { seq, event, toSeq, toEvent } = pack;
  const index = decodePackIndex(bytes.subarray(pack.body)) ?? indexCommits(body, pack);
  return { body, index, seq, event, toSeq, toEvent };
}

function joined(first: Contents, second: Contents): Contents {
  const { seq, event } = first;
  const { toSeq, toEvent } = second;
  const place = { offset: first.body.length, events: second.event - event };
  const index = joinIndexes(first.index, second.index, place);
  return { body: Buffer.concat([first.body, second.body]), index, seq, event, toSeq, toEvent };
}
