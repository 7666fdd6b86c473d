import type { pastViews } from '@conv/core';
import type { TimelineBlock } from '@conv/visualize/timeline';
import { useEffect, useMemo, useRef, useState } from 'react';
import { mergeOutline } from './merge-outline.ts';
import { outlineOfBlocks } from './outline-of-blocks.ts';
import { type PastSource, readOutline } from './past-reads.ts';

/** Milliseconds between two looks at a log that grows. */
const PAUSE = 1_000;

const NO_BLOCKS: readonly TimelineBlock[] = [];

/**
 * Returns the outline of a log, and follows the log as it grows. Where the server has no outline it is made of the given blocks, and
 * `whole` is false.
 */
export function useOutline(
  conversation: PastSource,
  total: number,
  blocks: readonly TimelineBlock[],
): { readonly outline: pastViews.Outline; readonly whole: boolean } {
  const [known, setKnown] = useState<{ readonly of: PastSource; readonly outline: pastViews.Outline | undefined }>();
  const last = useRef(0);
  const current = known?.of === conversation ? known : undefined;
  const isMissing = current !== undefined && current.outline === undefined;
  const isOld = !isMissing && (current?.outline?.events ?? -1) < total;
  useEffect(() => {
    if (!isOld) return undefined;
    let isWanted = true;
    const wait = Math.max(0, last.current + PAUSE - performance.now());
    const timer = setTimeout(() => {
      last.current = performance.now();
      const before = current?.outline;
      readOutline(conversation, before ? { after: before.events } : {}).then(
        (news) => {
          if (isWanted) setKnown({ of: conversation, outline: news && mergeOutline(before, news) });
        },
        // the timeline says that the server is away; the next event looks again
        () => undefined,
      );
    }, wait);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [conversation, isOld, total, current]);
  const outline = current?.outline;
  // the blocks of the window add nothing once the outline is there
  const told = outline ? NO_BLOCKS : blocks;
  const own = useMemo(() => outlineOfBlocks(told, total), [told, total]);
  return outline ? { outline, whole: true } : { outline: own, whole: false };
}
