import { readCommit } from '@conv/store-kit';
import { linesOf } from '../objects/line.ts';
import { MISPLACED, type LogObjects } from './log-objects.ts';
import type { Place } from '../objects/place.ts';
import { decodeSlot, placeAfter, type SlotHeader } from '../objects/slot.ts';

/** Distances at which far slots are tried, all at once. Hits are needed anyway, and misses are few. */
const STRIDE = 8;
const STRIDES = 8;

/** End of a log, and the headers of the slots that were read to find it. */
export interface FoundEnd {
  readonly place: Place;
  readonly headers: readonly SlotHeader[];
}

/**
 * Finds the end of a log from `known`, a place that the log reaches for certain. Lists no keys: a writer fills one slot after the
 * other, so the first free slot is the end. `near` looks at the next slot alone first, for callers that look often.
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
      // A slot without a readable header holds an unknown number of commits. The header of the next slot tells; after the last
      // slot, assume at least one.
      place = header ? placeAfter(header) : placeBehind(slots.get(at) as Buffer, place, at);
    }
    if (at <= limit) return { place, headers };
  }
}

/** Returns the place after a slot whose header is damaged, as far as its whole lines tell. */
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
  /** Last slot of the stretch. If all slots up to it are filled, the next stretch tells where the log ends. */
  readonly limit: number;
}

/** Reads the slots after `base`, up to the first free slot if that is near. */
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
  // A missing slot at the next distance may be the end or a lost slot; the next stretch decides.
  return { slots, limit };
}

/**
 * Reads free slots below a filled slot once more, because the writer may have filled them between the requests. A slot that is
 * still missing then was deleted: record it as damage, not as the end. A misplaced slot proves nothing about the slots below it.
 */
async function fillHoles(
  base: number,
  slots: Map<number, Buffer>,
  load: (slot: number) => Promise<void>,
): Promise<void> {
  const inPlace = [...slots].flatMap(([slot, bytes]) => (bytes === MISPLACED ? [] : slot));
  const last = Math.max(base, ...inPlace);
  const holes = Array.from({ length: last - base }, (_, at) => base + 1 + at).filter((slot) => !slots.has(slot));
  await Promise.all(holes.map(load));
  for (const hole of holes) if (!slots.has(hole)) slots.set(hole, Buffer.alloc(0));
}
