import { setImmediate } from 'node:timers/promises';
import type { Commit, CommitRange, Damage } from '@conv/core/store';
import { readCommit } from '@conv/store-kit';
import { Cursor } from './cursor.ts';
import { linesOf } from './line.ts';
import type { LogObjects } from './log-objects.ts';
import type { Manifest } from './manifest.ts';
import { ReplacedPack, PackSource } from './pack-source.ts';
import type { Place } from './place.ts';
import { decodeSlot } from './slot.ts';
import type { SlotPlaces } from './slot-places.ts';

/** Slots that are read at the same time. */
const SLOTS_AHEAD = 16;
/** Reading gives way to other work each time it has parsed this much. */
const BYTES_PER_TURN = 1024 * 1024;

/** What is known of a log. */
export interface LogView {
  readonly manifest: Manifest;
  readonly end: Place;
}

/** What {@link readCommits} needs. */
export interface ReadContext {
  readonly view: LogView;
  readonly objects: LogObjects;
  readonly places: SlotPlaces;
  /** Looks again at the manifest. Rejects when the conversation was deleted. */
  readonly renew: () => Promise<Manifest>;
  /** Called for each span of commits that cannot be read. */
  readonly onDamage: (damage: Damage) => void;
}

/** The commits of a range, in order, without those that are damaged. */
export async function* readCommits(context: ReadContext, range: CommitRange): AsyncGenerator<Commit, void, undefined> {
  const { view, objects, places, renew, onDamage } = context;
  const cursor = new Cursor(range, view.end, `conversation ${view.manifest.id}`, onDamage);
  const gone = new Set<string>();
  let { manifest } = view;
  while (!cursor.done) {
    try {
      yield* taken(cursor, new PackSource(objects, manifest.packs, gone).bodies(cursor));
      yield* taken(cursor, slotBodies({ objects, places, cursor, manifest, end: view.end }));
      cursor.finish();
      return;
    } catch (error) {
      // While this was read, the owner has put another pack in the place of this one.
      if (!(error instanceof ReplacedPack)) throw error;
      manifest = await renew();
      if (manifest.packs.some(({ name }) => name === error.pack)) gone.add(error.pack);
    }
  }
}

/** The commits in some bodies that belong to a range. */
async function* taken(cursor: Cursor, bodies: AsyncIterable<Buffer>): AsyncGenerator<Commit, void, undefined> {
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
      await setImmediate();
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

/** The commits of the slots that no pack holds. */
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
