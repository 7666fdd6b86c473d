import type { EventsList, pastViews } from '@conv/core';
import { ROOT_PARENT } from '@conv/core/events';
import type { BranchStart } from './outline-tree.ts';

/** Branches whose beginning is read. */
const MOST = 100;

/** Resolves with the beginnings of the newest branches of an outline: two small reads for each, however long the log is. */
export async function readStarts(
  { marks }: Pick<pastViews.Outline, 'marks'>,
  events: Pick<EventsList, 'at' | 'indexOf'>,
): Promise<readonly BranchStart[]> {
  const branches = marks.filter(({ kind }) => kind === 'branch').slice(-MOST);
  const starts = await Promise.all(branches.map(({ event }) => readStart(event, events)));
  // HEAD may have come back to where it was
  return starts.filter(({ event, from }) => from !== event - 1);
}

async function readStart(number: number, events: Pick<EventsList, 'at' | 'indexOf'>): Promise<BranchStart> {
  const parent = (await events.at(number))?.parent_id;
  if (parent === ROOT_PARENT) return { event: number, from: undefined };
  // damage may have taken the event or its parent: then the nearest older event takes the parent's place
  const from = typeof parent === 'string' ? await events.indexOf(parent) : undefined;
  return { event: number, from: from ?? number - 1 };
}
