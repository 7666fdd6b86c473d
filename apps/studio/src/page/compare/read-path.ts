import { ROOT_PARENT } from '@conv/core/events';
import type { NumberedEvent } from '@conv/visualize/timeline';
import { readPage } from '../window/read-page.ts';
import type { WindowSource } from '../window/window-source.ts';

/** Events of a read. */
const PAGE = 200;

/** A path that leads to an event, as far as it was read. */
export interface PathPart {
  /** In the order of the path. */
  readonly events: readonly NumberedEvent[];
  /** True if it begins with the first event of the path. */
  readonly whole: boolean;
}

/** Reads the path to an event from its end, at most `most` events. Events of other branches are left out. */
export async function readPath(source: WindowSource['events'], end: number, most: number): Promise<PathPart> {
  const path: NumberedEvent[] = [];
  let wanted: string | undefined;
  for (let to = Math.min(end + 1, source.length); to > 0; to -= PAGE) {
    const page = await readPage(source, Math.max(0, to - PAGE), to);
    for (const entry of page.toReversed()) {
      if (path.length > 0 && wanted !== undefined && entry.event.id !== wanted) continue;
      if (path.length === most) return { events: path.toReversed(), whole: false };
      path.push(entry);
      const { parent_id: parent } = entry.event;
      if (parent === ROOT_PARENT) return { events: path.toReversed(), whole: true };
      wanted = typeof parent === 'string' ? parent : undefined;
    }
  }
  return { events: path.toReversed(), whole: true };
}
