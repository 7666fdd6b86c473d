import { isEvent } from '@conv/core/events';
import { type NumberedEvent, timeline } from '@conv/visualize/timeline';

/** A file that calls of the editor worked on. */
export interface TouchedFile {
  readonly path: string;
  readonly changes: number;
  readonly views: number;
  /** The number of the last event that worked on it. */
  readonly last: number;
}

/** Returns the files that these events worked on, the last one first. A call that failed or has no result does not count. */
export function touchedFiles(events: readonly NumberedEvent[]): readonly TouchedFile[] {
  const files = new Map<string, TouchedFile>();
  const relevant = events.filter(({ event }) => isEvent(event, 'ActionEvent') || isEvent(event, 'ObservationEvent'));
  for (const block of timeline(relevant)) {
    if (block.kind !== 'call' || block.content?.kind !== 'file' || block.result?.outcome !== 'ok') continue;
    const { path, verb } = block.content;
    const { changes = 0, views = 0 } = files.get(path) ?? {};
    files.delete(path);
    files.set(path, {
      path,
      changes: changes + (verb === 'view' ? 0 : 1),
      views: views + (verb === 'view' ? 1 : 0),
      last: block.index,
    });
  }
  return [...files.values()].toReversed();
}

/** Returns the files of two parts of a log together; `earlier` is the part before `later`. */
export function joinFiles(earlier: readonly TouchedFile[], later: readonly TouchedFile[]): readonly TouchedFile[] {
  const known = new Map(earlier.map((file) => [file.path, file]));
  const joined = later.map((file) => {
    const { changes = 0, views = 0 } = known.get(file.path) ?? {};
    known.delete(file.path);
    return { ...file, changes: file.changes + changes, views: file.views + views };
  });
  return [...joined, ...known.values()];
}
