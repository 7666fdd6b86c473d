import type { pastViews } from '@conv/core';
import type { TimelineBlock } from '@conv/visualize/timeline';
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { type FollowedOutline, OutlineFollower } from './outline-follower.ts';
import { outlineOfBlocks } from './outline-of-blocks.ts';
import type { PastSource } from './past-reads.ts';

const NO_BLOCKS: readonly TimelineBlock[] = [];

/** The log to outline. */
export interface OutlinedLog {
  /** The number of events of the log. */
  readonly total: number;
  /** False as long as the outline is not asked for, because more important things are read. Default true. */
  readonly isReady?: boolean;
  /** The outline is made of these blocks until the server gives one. Default none. */
  readonly blocks?: readonly TimelineBlock[];
}

/** Returns the outline of a log, and follows the log as it grows. */
export function useOutline(
  conversation: PastSource,
  { total, isReady = true, blocks = NO_BLOCKS }: OutlinedLog,
): FollowedOutline {
  const follower = useMemo(() => new OutlineFollower(conversation), [conversation]);
  useEffect(() => {
    if (isReady) follower.follow(total);
  }, [follower, isReady, total]);
  useEffect(() => () => follower.close(), [follower]);
  const { covers, outline } = useSyncExternalStore(follower.subscribe, follower.snapshot);
  const isTold = covers === 'part' || covers === 'whole';
  // the blocks of the window add nothing once the outline is there
  const told = isTold ? NO_BLOCKS : blocks;
  const own = useMemo((): pastViews.Outline => outlineOfBlocks(told, total), [told, total]);
  return useMemo(() => ({ covers, outline: isTold ? outline : own }), [covers, isTold, outline, own]);
}

/** Returns the number of events that the server has read, while it has not passed a point of the log; else `undefined`. */
export function readBefore({ covers, outline }: FollowedOutline, point: number): number | undefined {
  if (covers === 'nothing') return 0;
  return covers === 'part' && outline.events <= point ? outline.events : undefined;
}
