import type { Commit, CommitRange, Damage } from '@conv/core/store';
import { readCommit } from '@conv/store-kit';
import type { Platform } from '@conv/core/platform';
import { Cursor } from './cursor.ts';
import { linesOf } from '../objects/line.ts';
import type { LogObjects } from './log-objects.ts';
import type { Manifest } from '../objects/manifest.ts';
import { ReplacedPack, PackSource } from './pack-source.ts';
import type { Place } from '../objects/place.ts';
import { decodeSlot } from '../objects/slot.ts';
import type { SlotPlaces } from './slot-places.ts';

/** Limits the slots that are read at the same time. */
const SLOTS_AHEAD = 16;
/** The number of parsed bytes after which other work gets a turn. */
const BYTES_PER_TURN = 1024 * 1024;

/** View of a log: the manifest and the end as last seen. */
export interface LogView {
  readonly manifest: Manifest;
  readonly end: Place;
}

export interface ReadContext {
  readonly platform: Platform;
  readonly view: LogView;
  readonly objects: LogObjects;
  readonly places: SlotPlaces;
  /** Reads the manifest again. Rejects when the conversation was deleted. */
  readonly renew: () => Promise<Manifest>;
  /** Receives each span of commits that cannot be read. */
  readonly onDamage: (damage: Damage) => void;
}

/** Yields the commits of a range, in order; damaged commits are left out and reported. */
export async function* readCommits(context: ReadContext, range: CommitRange): AsyncGenerator<Commit, void, undefined> {
  const { platform, view, objects, places, renew, onDamage } = context;
  const cursor = new Cursor(range, view.end, `conversation ${view.manifest.id}`, onDamage);
  const gone = new Set<string>();
  let { manifest } = view;
  while (!cursor.done) {
    try {
      yield* taken(platform, cursor, new PackSource(objects, manifest.packs, gone).bodies(cursor));
      yield* taken(platform, cursor, slotBodies({ objects, places, cursor, manifest, end: view.end }));
      cursor.finish();
      return;
    } catch (error) {
      // The owner may have replaced this pack meanwhile. If the manifest still names it, the pack is lost.
      if (!(error instanceof ReplacedPack)) throw error;
      manifest = await renew();
      if (manifest.packs.some(({ name }) => name === error.pack)) gone.add(error.pack);
    }
  }
}

/** Yields the commits of some bodies that belong to the range. */
async function* taken(
  platform: Platform,
  cursor: Cursor,
  bodies: AsyncIterable<Buffer>,
): AsyncGenerator<Commit, void, undefined> {
  let turn = 0;
  for await (const body of bodies) {
    for (const { text, start, end } of linesOf(body)) {
      if (text === undefined) continue;
      const commit = readCommit(text);
      if (cursor.takes(commit)) yield commit;
      if (cursor.done) return;
      turn += end - start;
      if (turn < BYTES_PER_TURN) continue;
      turn = 0;
      await platform.nextTurn();
    }
  }
}

interface SlotReading {
  readonly objects: LogObjects;
  readonly places: SlotPlaces;
  readonly cursor: Cursor;
  readonly manifest: Manifest;
  readonly end: Place;
}

/** Yields the commits of the slots that no pack holds. */
async function* slotBodies(reading: SlotReading): AsyncGenerator<Buffer, void, undefined> {
  const { objects, places, cursor, manifest, end } = reading;
  let slot = manifest.packed.slot + 1;
  while (slot <= end.slot && !cursor.done) {
    const wanted: number[] = [];
    for (; slot <= end.slot && wanted.length < SLOTS_AHEAD; slot++) {
      const stretch = places.get(slot);
      if (!stretch || cursor.touches(stretch)) wanted.push(slot);
      else cursor.passes(stretch);
    }
    for (const bytes of await Promise.all(wanted.map((one) => objects.slot(one)))) {
      if (!bytes) continue;
      const { header, body } = decodeSlot(bytes);
      if (header) places.learn(header);
      yield body;
    }
  }
}
