import { toCommitSeq, toEventIndex, type EventIndex, type JournalReader } from '@conv/core/store';
import { findEvent } from '@conv/store-kit';
import type { LogObjects } from './log-objects.ts';
import type { Manifest, Pack } from '../objects/manifest.ts';
import { candidates, type PackIndex } from '../objects/pack-index.ts';

/** Limits the pack indexes that are read at the same time. */
const AT_ONCE = 8;

/** Reader that also gives its manifest. */
interface LocatingReader extends Pick<JournalReader, 'commits'> {
  readonly seen: { readonly manifest: Manifest };
}

/** Resolves with the number of the first event with this id: by the indexes of the packs, then by the slots. */
export async function locateEvent(
  objects: LogObjects,
  reader: LocatingReader,
  eventId: string,
): Promise<EventIndex | undefined> {
  const { packs, packed } = reader.seen.manifest;
  for (let at = 0; at < packs.length; at += AT_ONCE) {
    const some = packs.slice(at, at + AT_ONCE);
    const indexes = await Promise.all(some.map((pack) => objects.packIndex(pack)));
    for (const [number, pack] of some.entries()) {
      const found = await locateIn(pack, indexes[number] ?? 'missing', reader, eventId);
      if (found !== undefined) return found;
    }
  }
  return findEvent(reader.commits({ from: toCommitSeq(packed.seq) }), eventId);
}

async function locateIn(
  pack: Pack,
  index: PackIndex | 'missing' | 'damaged',
  reader: LocatingReader,
  eventId: string,
): Promise<EventIndex | undefined> {
  if (index === 'missing' || index === 'damaged') {
    return findEvent(reader.commits({ from: toCommitSeq(pack.seq), to: toCommitSeq(pack.toSeq) }), eventId);
  }
  for (const offset of candidates(index, eventId)) {
    const [fromEvent, toEvent] = [toEventIndex(pack.event + offset), toEventIndex(pack.event + offset + 1)];
    const found = await findEvent(reader.commits({ fromEvent, toEvent }), eventId);
    if (found !== undefined) return found;
  }
  return undefined;
}
