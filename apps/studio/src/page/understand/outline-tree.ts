import type { pastViews } from '@conv/core';

/** The beginning of a branch: the event that HEAD moved to, and the event that it continues. */
export interface BranchStart {
  readonly event: number;
  /** `undefined` if it continues none. */
  readonly from: number | undefined;
}

/** Neighbouring events of which each continues the one before. */
export interface TreeRun {
  readonly first: number;
  readonly last: number;
  /** The event that its first event continues. */
  readonly from: number | undefined;
  /** The number of branches in front of it. */
  readonly depth: number;
  /** True if the live branch goes through it. */
  readonly live: boolean;
  /** The approvals, rejections, sub-agents and forks in it. */
  readonly marks: readonly pastViews.OutlineMark[];
}

/** Kinds of the marks that stand in the tree. */
const KINDS: ReadonlySet<pastViews.OutlineKind> = new Set(['approval', 'rejection', 'subagent', 'fork']);

/**
 * Returns the tree of branches of a log, each run after the run that it continues. HEAD moves only where a branch starts, so the events
 * between two starts are one run, and no event has to be read. `head` is the number of the live branch's last event.
 */
export function outlineTree(
  { events, marks }: Pick<pastViews.Outline, 'events' | 'marks'>,
  starts: readonly BranchStart[],
  head: number | undefined,
): readonly TreeRun[] {
  if (events === 0) return [];
  const ordered: readonly BranchStart[] = [
    { event: 0, from: undefined },
    ...starts.filter(({ event }) => event > 0).toSorted((one, other) => one.event - other.event),
  ];
  const firsts = ordered.map(({ event }) => event);
  const runAt = (event: number): number => firsts.findLastIndex((first) => first <= event);
  const parents = ordered.map(({ from }) => (from === undefined ? undefined : runAt(from)));
  const live = new Set<number>();
  for (let run = head === undefined ? undefined : runAt(head); run !== undefined; run = parents[run]) live.add(run);
  const runs: TreeRun[] = [];
  const add = (run: number, depth: number): void => {
    const [first = 0, next = events] = firsts.slice(run, run + 2);
    const within = marks.filter(({ event, kind }) => KINDS.has(kind) && first <= event && event < next);
    runs.push({ first, last: next - 1, from: ordered[run]?.from, depth, live: live.has(run), marks: within });
    parents.forEach((parent, child) => parent === run && add(child, depth + 1));
  };
  parents.forEach((parent, run) => parent === undefined && add(run, 0));
  return runs;
}
