import type { TimelineBlock } from '@conv/visualize/timeline';

/** Returns the place of the last block that begins at or before an event; -1 if there is none. */
export function placeOf(blocks: readonly TimelineBlock[], event: number): number {
  let [low, high] = [0, blocks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((blocks[middle]?.index ?? 0) <= event) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Returns the number of the last event of a block. */
export function lastEvent(block: TimelineBlock): number {
  return block.events.at(-1)?.index ?? block.index;
}
