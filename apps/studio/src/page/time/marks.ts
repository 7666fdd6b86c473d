import type { pastViews } from '@conv/core';

/** A group of marks that a person jumps between. */
export interface Jump {
  readonly id: 'error' | 'message' | 'approval';
  readonly label: string;
  readonly marks: readonly pastViews.OutlineMark[];
}

/** The groups of kinds of marks with buttons of their own. */
const JUMPS: readonly (Omit<Jump, 'marks'> & { readonly kinds: readonly pastViews.OutlineKind[] })[] = [
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

/** Marks of one kind. */
export interface KindOfMarks {
  readonly kind: pastViews.OutlineKind;
  readonly marks: readonly pastViews.OutlineMark[];
}

/** Returns marks by their kind, the gravest kind last, so that it is drawn over the others. */
export function marksByKind(marks: readonly pastViews.OutlineMark[]): readonly KindOfMarks[] {
  return GRAVITY.map((kind) => ({ kind, marks: marks.filter((mark) => mark.kind === kind) }))
    .filter((group) => group.marks.length > 0)
    .toReversed();
}

/** Returns the marks that a person jumps between, in their groups. */
export function jumpsOf(marks: readonly pastViews.OutlineMark[]): readonly Jump[] {
  return JUMPS.map(({ id, label, kinds }) => ({ id, label, marks: marks.filter(({ kind }) => kinds.includes(kind)) }));
}

/** Returns the event of the next or the previous of these marks; inside of several marks, the first or the last of them. */
export function nextMark(
  marks: readonly pastViews.OutlineMark[],
  point: number,
  direction: 'next' | 'previous',
): number | undefined {
  if (direction === 'next') {
    const after = marks.find(({ last }) => last > point);
    return after && (after.event > point ? after.event : after.last);
  }
  const before = marks.findLast(({ event }) => event < point);
  return before && (before.last < point ? before.last : before.event);
}

function gravity({ kind }: pastViews.OutlineMark): number {
  const place = GRAVITY.indexOf(kind);
  return place === -1 ? GRAVITY.length : place;
}
