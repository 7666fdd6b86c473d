import type { TimelineBlock } from '../timeline/timeline-block.ts';

/** A mark on the scrubber. */
export interface Mark {
  readonly index: number;
  readonly kind: 'message' | 'error' | 'rejection' | 'condensation';
}

/** The number of positions for marks; of several marks at one position the most serious is drawn. */
const PLACES = 400;

const GRAVITY = { message: 0, condensation: 1, rejection: 2, error: 3 } as const;

/** Returns the marks of a log of `count` events, few enough to draw. */
export function marksOf(blocks: readonly TimelineBlock[], count: number): readonly Mark[] {
  const places = new Map<number, Mark>();
  for (const block of blocks) {
    const kind = markOf(block);
    if (!kind) continue;
    const place = Math.floor((block.index / Math.max(1, count)) * PLACES);
    const there = places.get(place);
    if (!there || GRAVITY[there.kind] < GRAVITY[kind]) places.set(place, { index: block.index, kind });
  }
  return [...places.values()];
}

function markOf(block: TimelineBlock): Mark['kind'] | undefined {
  if (block.kind === 'message') return block.from === 'user' ? 'message' : undefined;
  if (block.kind === 'condensation' || block.kind === 'error') return block.kind;
  if (block.kind !== 'call') return undefined;
  const outcome = block.result?.outcome;
  if (outcome === 'rejected' || outcome === 'blocked') return 'rejection';
  return outcome === 'failed' || outcome === 'error' ? 'error' : undefined;
}
