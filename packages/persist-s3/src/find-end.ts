import { readCommit } from '@conv/store-kit';
import { linesOf } from './line.ts';
import type { LogObjects } from './log-objects.ts';
import type { Place } from './place.ts';
import { decodeSlot, placeAfter, type SlotHeader } from './slot.ts';

/** Far slots are tried at these distances, all at once: the hits among them are needed anyway, the misses are few. */
const STRIDE = 8;
const STRIDES = 8;

/** Where a log ends, and what was seen on the way there. */
export interface FoundEnd {
  readonly place: Place;
  readonly headers: readonly SlotHeader[];
}

/**
 * Finds where a log ends that is known to go to `known`, without listing keys. A writer fills one slot after the other, so that the
 * first free one is the end. `near`: look at the next slot alone first, for those who look often.
 */
export async function findEnd(
  objects: LogObjects,
  known: Place,
  { near = false, signal }: { readonly near?: boolean; readonly signal?: AbortSignal | undefined } = {},
): Promise<FoundEnd> {
  const headers: SlotHeader[] = [];
  if (near && !(await objects.slot(known.slot + 1, signal))) return { place: known, headers };
  let place = known;
  for (;;) {
    const { slots, limit } = await stretch(objects, place.slot, signal);
    let at = place.slot + 1;
    for (; at <= limit && slots.has(at); at++) {
      const { header } = decodeSlot(slots.get(at) as Buffer);
      if (header) headers.push(header);
      // Whoever wrote the next slot knew how many commits are in one that cannot be read. In the last one there was at least one.
      place = header ? placeAfter(header) : placeBehind(slots.get(at) as Buffer, place, at);
    }
    if (at <= limit) return { place, headers };
  }
}

/** Where a log goes behind a slot whose header is damaged: its lines tell, as far as they are whole. */
function placeBehind(bytes: Buffer, before: Place, slot: number): Place {
  let place = { slot, seq: before.seq, event: before.event };
  for (const { text, start } of linesOf(bytes)) {
    if (start === 0) continue;
    const commit = text === undefined ? undefined : readCommit(text);
    place = commit
      ? { slot, seq: commit.seq + 1, event: commit.firstEvent + commit.events.length }
      : { ...place, seq: place.seq + 1 };
  }
  return place.seq > before.seq ? place : { ...place, seq: before.seq + 1 };
}

interface Stretch {
  readonly slots: ReadonlyMap<number, Buffer>;
  /** The log goes on behind this slot, or ends before it. */
  readonly limit: number;
}

/** The slots behind `base`, as far as the first free one if it is not too far away. */
async function stretch(objects: LogObjects, base: number, signal: AbortSignal | undefined): Promise<Stretch> {
  const slots = new Map<number, Buffer>();
  const load = async (slot: number): Promise<void> => {
    const bytes = await objects.slot(slot, signal);
    if (bytes) slots.set(slot, bytes);
  };
  await Promise.all(Array.from({ length: STRIDES }, (_, at) => load(base + STRIDE * (at + 1))));
  const furthest = Math.max(base, ...slots.keys());
  const limit = furthest + STRIDE - 1;
  const between = Array.from({ length: limit - base }, (_, at) => base + 1 + at).filter((slot) => !slots.has(slot));
  await Promise.all(between.map(load));
  await fillHoles(base, slots, load);
  // A slot that is not there at the next distance may be one that was taken away: the next stretch tells.
  return { slots, limit };
}

/** What was free before a slot that is not may have been filled in between; what still is free was taken away by someone. */
async function fillHoles(
  base: number,
  slots: Map<number, Buffer>,
  load: (slot: number) => Promise<void>,
): Promise<void> {
  const last = Math.max(base, ...slots.keys());
  const holes = Array.from({ length: last - base }, (_, at) => base + 1 + at).filter((slot) => !slots.has(slot));
  await Promise.all(holes.map(load));
  for (const hole of holes) if (!slots.has(hole)) slots.set(hole, Buffer.alloc(0));
}
