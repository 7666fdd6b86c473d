import type { pastViews } from '@conv/core';

/** A group of kinds of marks that a person jumps between. */
export interface Jump {
  readonly id: 'error' | 'message' | 'approval';
  readonly label: string;
  readonly kinds: readonly pastViews.OutlineKind[];
}

/** The groups of marks with buttons of their own. */
export const JUMPS: readonly Jump[] = [
  { id: 'message', label: 'message', kinds: ['message', 'answer', 'finish'] },
  { id: 'approval', label: 'approval', kinds: ['approval', 'rejection'] },
  { id: 'error', label: 'error', kinds: ['error'] },
];

/** Words for the kinds of marks. */
export const MARK_WORDS: Record<pastViews.OutlineKind, string> = {
  message: 'message',
  answer: 'answer',
  finish: 'finished',
  approval: 'waits for approval',
  rejection: 'rejected',
  error: 'error',
  pause: 'paused',
  fork: 'fork',
  branch: 'branch',
  model: 'model',
  policy: 'policy',
  condensation: 'condensed',
  subagent: 'sub-agent',
  damage: 'damage',
};

/** The kinds in the order of their importance: at one place of the track the first is drawn. */
const GRAVITY: readonly pastViews.OutlineKind[] = [
  'damage',
  'error',
  'rejection',
  'approval',
  'message',
  'fork',
  'branch',
  'model',
  'policy',
  'pause',
  'finish',
  'condensation',
  'subagent',
  'answer',
];

/** Places of the track at which marks are drawn. */
const PLACES = 300;

/** Returns the marks that are drawn on a track of `events` events: at each place the gravest. */
export function drawnMarks(marks: readonly pastViews.OutlineMark[], events: number): readonly pastViews.OutlineMark[] {
  const places = new Map<number, pastViews.OutlineMark>();
  for (const mark of marks) {
    const place = Math.floor((mark.event / Math.max(1, events)) * PLACES);
    const there = places.get(place);
    if (!there || gravity(mark) < gravity(there)) places.set(place, mark);
  }
  return [...places.values()].toSorted((one, other) => one.event - other.event);
}

/** Returns the event of the next or the previous mark of these kinds; inside of several marks, the first or the last of them. */
export function nextMark(
  marks: readonly pastViews.OutlineMark[],
  kinds: readonly pastViews.OutlineKind[],
  point: number,
  direction: 'next' | 'previous',
): number | undefined {
  const fitting = marks.filter(({ kind }) => kinds.includes(kind));
  if (direction === 'next') {
    for (const { event, last } of fitting) if (last > point) return event > point ? event : last;
    return undefined;
  }
  for (const { event, last } of fitting.toReversed()) if (event < point) return last < point ? last : event;
  return undefined;
}

function gravity({ kind }: pastViews.OutlineMark): number {
  const place = GRAVITY.indexOf(kind);
  return place === -1 ? GRAVITY.length : place;
}
