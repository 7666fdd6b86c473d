import { randomUUID } from 'node:crypto';
import type { Bucket } from './bucket.ts';
import type { LogObjects } from './log-objects.ts';
import type { Manifest, Pack } from './manifest.ts';
import { packKey } from './object-keys.ts';
import { decodePackIndex, encodePackIndex, indexCommits, joinIndexes, type PackIndex } from './pack-index.ts';
import type { Place } from './place.ts';
import { decodeSlot, placeAfter } from './slot.ts';

const MIB = 1024 * 1024;
/** A pack below this size is put together with the slots that follow it. */
const SMALL_PACK = MIB;
/** A pack of this size stays as it is. */
const FULL_PACK = 8 * MIB;
/** Slots that are read at the same time. */
const SLOTS_AT_ONCE = 4;
const LINE_FEED = 10;

/** Commits that become a pack. */
interface Contents {
  readonly body: Buffer;
  readonly index: PackIndex;
  /** Numbers of its first commit and event. */
  readonly seq: number;
  readonly event: number;
  readonly toSeq: number;
  readonly toEvent: number;
}

/** What packing has made, for the manifest. */
export interface Packed {
  readonly packs: readonly Pack[];
  /** Those before that the last one holds now. */
  readonly replaced: readonly Pack[];
  /** Up to where they go. */
  readonly packed: Place;
  /** The bytes of the slots that came to them. */
  readonly bytes: number;
}

/**
 * Puts the first slots up to `to` that no pack holds into one, as many as fill a pack, together with the last packs as long as
 * those are small: reading all takes one request for 8 MiB, and few for the rest. Nothing is shown before the manifest names it.
 * A pack that is not there is left be.
 */
export async function packSlots(bucket: Bucket, objects: LogObjects, manifest: Manifest, to: Place): Promise<Packed> {
  const { packs, packed } = manifest;
  const { body, place } = await slotBodies(objects, packed, to);
  if (place.seq === packed.seq) return { packs, replaced: [], packed: place, bytes: 0 };
  let contents = contentsOf(body, packed, place);
  const replaced: Pack[] = [];
  for (;;) {
    const last = packs.at(-1 - replaced.length);
    // Two steps, so that a large pack is written anew for each megabyte that comes to it and not for each small pack.
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

/** Writes commits as a pack of their own, from `from` on. */
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
  const name = `pack-${String(seq).padStart(10, '0')}-${randomUUID()}`;
  await bucket.put(packKey(log, name), Buffer.concat([body, tail]), 'always');
  return { name, seq, event, toSeq, toEvent, body: body.length, bytes: body.length + tail.length };
}

/** The commits of slots behind each other, and up to where they go. */
async function slotBodies(objects: LogObjects, from: Place, to: Place): Promise<{ body: Buffer; place: Place }> {
  const bodies: Buffer[] = [];
  let [bytes, place] = [0, from];
  for (let slot = from.slot + 1; slot <= to.slot; slot += SLOTS_AT_ONCE) {
    const some = Array.from({ length: Math.min(SLOTS_AT_ONCE, to.slot - slot + 1) }, (_, at) => slot + at);
    const loaded = await Promise.all(some.map((one) => objects.slot(one)));
    for (const found of loaded) {
      const { header, body } = decodeSlot(found ?? Buffer.alloc(0));
      // A slot that was cut short must not take the first commit of the next one with it.
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
