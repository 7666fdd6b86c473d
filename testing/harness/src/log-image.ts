import { projections, type Projection, type StateFields } from '@conv/core';
import type { Commit, JournalReader } from '@conv/core/store';
import type { Event } from '@conv/core/events';

/** A commit, and the state before and after it. */
export interface ImagedCommit {
  readonly commit: Commit;
  readonly before: StateFields;
  readonly after: StateFields;
}

/** A log as it was read at one time, folded. */
export interface LogImage {
  readonly commits: readonly ImagedCommit[];
  readonly events: readonly Event[];
  readonly projection: Projection;
}

/** Reads and folds all of a log. */
export async function readLog(reader: JournalReader): Promise<LogImage> {
  const commits: ImagedCommit[] = [];
  let projection = projections.empty;
  for await (const commit of reader.commits()) {
    const before = projection.fields;
    projection = await projections.foldCommit(reader, projection, commit);
    commits.push({ commit, before, after: projection.fields });
  }
  return { commits, events: commits.flatMap(({ commit }) => commit.events), projection };
}
