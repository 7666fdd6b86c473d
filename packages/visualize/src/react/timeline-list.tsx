import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type ReactElement, type ReactNode, useCallback, useEffect, useRef } from 'react';
import type { TimelineBlock } from '../timeline/timeline-block.ts';
import { BlockView } from './block-view.tsx';

/** Properties of {@link TimelineList}. */
export interface TimelineListProps {
  readonly blocks: readonly TimelineBlock[];
  /** The place of the chosen block in `blocks`; it is scrolled into view when it changes. */
  readonly chosen?: number;
  /** Called with the place of a block that a person chooses. */
  readonly onChoose?: (place: number) => void;
  /** Called when a person asks for the stored events of a block. */
  readonly onDetails?: (block: TimelineBlock) => void;
  /** The place of the first block after the current point; blocks from there on are shown pale. Default: none. */
  readonly future?: number;
  /** Returns what is shown at the end of a block, such as buttons. */
  readonly footer?: (block: TimelineBlock) => ReactNode;
}

/** Height of a block before it was measured, in pixels. */
const USUAL_HEIGHT = 96;

/** Shows blocks as a list of which only the visible part is in the page. Arrow keys, Home and End choose a block. */
export function TimelineList(props: TimelineListProps): ReactElement {
  const { blocks, chosen, onChoose, onDetails, future = blocks.length, footer } = props;
  const scroller = useRef<HTMLDivElement>(null);
  // a new function would have the list measure all of its rows again
  const getItemKey = useCallback((place: number) => blocks[place]?.id ?? place, [blocks]);
  const rows = useVirtualizer({
    count: blocks.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => USUAL_HEIGHT,
    getItemKey,
    overscan: 6,
  });
  useEffect(() => {
    if (chosen !== undefined && chosen >= 0) rows.scrollToIndex(chosen, { align: 'auto' });
  }, [chosen, rows]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = placeAfter(event.key, chosen ?? 0, blocks.length);
    if (next === undefined || event.target !== event.currentTarget) return;
    event.preventDefault();
    onChoose?.(next);
  };
  return (
    <div className="conv-timeline" ref={scroller} role="feed" aria-label="Timeline" tabIndex={0} onKeyDown={onKeyDown}>
      <div style={{ height: rows.getTotalSize(), position: 'relative' }}>
        {rows.getVirtualItems().map(({ index, key, start }) => {
          const block = blocks[index];
          return (
            block && (
              <div
                key={key}
                ref={rows.measureElement}
                data-index={index}
                data-future={index >= future || undefined}
                className="conv-row"
                style={{ transform: `translateY(${start}px)` }}
                onClick={() => onChoose?.(index)}
              >
                <BlockView
                  block={block}
                  place={{ position: index + 1, of: blocks.length }}
                  chosen={index === chosen}
                  {...(onDetails ? { onDetails } : {})}
                >
                  {footer?.(block)}
                </BlockView>
              </div>
            )
          );
        })}
      </div>
    </div>
  );
}

function placeAfter(key: string, place: number, count: number): number | undefined {
  if (count === 0) return undefined;
  if (key === 'ArrowDown' || key === 'j') return Math.min(count - 1, place + 1);
  if (key === 'ArrowUp' || key === 'k') return Math.max(0, place - 1);
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : undefined;
}
