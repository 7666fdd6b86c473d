import { BlockView } from '@conv/visualize/react';
import type { TimelineBlock } from '@conv/visualize/timeline';
import { useVirtualizer } from '@tanstack/react-virtual';
import {
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
  memo,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import type { EventWindow, WindowSnapshot } from '../window/event-window.ts';
import { lastEvent, placeOf } from './block-place.ts';
import { LiveAnswerView } from './live-answer-view.tsx';
import type { LiveAnswer } from './answer-delta.ts';
import { useStickToEnd } from './use-stick-to-end.ts';

/** Properties of {@link WindowTimeline}. */
export interface WindowTimelineProps {
  readonly window: EventWindow;
  readonly shown: WindowSnapshot;
  readonly answers: readonly LiveAnswer[];
  /** The number of the event that is looked at; `undefined` at the end of the log. Blocks after it are shown pale. */
  readonly point: number | undefined;
  /** The number of the event of the chosen block. */
  readonly chosen: number | undefined;
  readonly onChoose: (event: number | undefined) => void;
  /** Called when a person asks for the stored events of a block. */
  readonly onDetails: (block: TimelineBlock) => void;
  /** Returns what is shown at the end of a block, such as buttons. */
  readonly footer: (block: TimelineBlock) => ReactNode;
}

/** Height of a block before it was measured, in pixels. */
const USUAL_HEIGHT = 96;

/** Blocks from an end of the window from which its next page is read. */
const NEAR = 8;

/** Pixels from the end of the list that count as the end. */
const END = 48;

/**
 * Shows a window of a log as a list of which only the visible part is in the page. Pages come in above and below without a move of
 * what is read. At the end of the log the list follows it; elsewhere a button says how much is new. Arrow keys choose a block.
 */
export function WindowTimeline(props: WindowTimelineProps): ReactElement {
  const { window, shown, answers, point, chosen, onChoose, onDetails, footer } = props;
  const { blocks, first, end, total } = shown;
  const scroller = useRef<HTMLDivElement>(null);
  const atLogEnd = end >= total;
  const count = blocks.length + (atLogEnd ? answers.length : 0);
  // a new function would have the list measure all of its rows again
  const getItemKey = useCallback(
    (place: number) => blocks[place]?.id ?? answers[place - blocks.length]?.id ?? place,
    [blocks, answers],
  );
  const rows = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => USUAL_HEIGHT,
    getItemKey,
    overscan: 6,
    anchorTo: 'end',
    followOnAppend: atLogEnd && point === undefined,
    scrollEndThreshold: END,
    paddingStart: 8,
    paddingEnd: 16,
  });
  const isAtEnd = useAtEnd(scroller, rows, atLogEnd, count);
  const isNew = useNews(total, isAtEnd);
  useStickToEnd(rows, scroller, atLogEnd && point === undefined && chosen === undefined, isAtEnd);
  const readPages = usePages(window, shown, rows);
  const moves = useScrollTo(rows, blocks, point ?? chosen, readPages);
  const { startIndex, endIndex } = rows.range ?? { startIndex: -1, endIndex: -1 };
  useEffect(() => {
    if (!moves.current) readPages();
  }, [moves, readPages, startIndex, endIndex]);

  const toEnd = async (): Promise<void> => {
    onChoose(undefined);
    await window.toEnd();
    requestAnimationFrame(() => rows.scrollToEnd());
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.target !== event.currentTarget || event.altKey || event.ctrlKey || event.metaKey) return;
    const place = chosen === undefined ? blocks.length : placeOf(blocks, chosen);
    const next = event.key === 'ArrowDown' || event.key === 'j' ? place + 1 : place - 1;
    const block = blocks[Math.max(0, Math.min(next, blocks.length - 1))];
    if (['ArrowDown', 'ArrowUp', 'j', 'k'].includes(event.key) && block) onChoose(block.index);
    else if (event.key === 'Home') void window.moveTo(0).then(() => onChoose(0));
    else if (event.key === 'End') void toEnd();
    else if (event.key === 'Enter' && blocks[place]) onDetails(blocks[place]);
    else return;
    event.preventDefault();
  };

  return (
    <div className="cv-list">
      <div
        className="conv-timeline"
        ref={scroller}
        role="feed"
        aria-label="Timeline"
        aria-busy={shown.loading}
        tabIndex={0}
        onKeyDown={onKeyDown}
      >
        <div style={{ height: rows.getTotalSize(), position: 'relative' }}>
          {rows.getVirtualItems().map(({ index, key, start }) => {
            const block = blocks[index];
            const answer = answers[index - blocks.length];
            return (
              <div
                key={key}
                ref={rows.measureElement}
                data-index={index}
                data-future={(point !== undefined && block && block.index > point) || undefined}
                className="conv-row"
                style={{ transform: `translateY(${start}px)` }}
              >
                {block ? (
                  <Block
                    block={block}
                    total={total}
                    isChosen={chosen !== undefined && block.index <= chosen && chosen <= lastEvent(block)}
                    onDetails={onDetails}
                    footer={footer}
                  />
                ) : (
                  answer && <LiveAnswerView answer={answer} />
                )}
              </div>
            );
          })}
        </div>
      </div>
      {!isAtEnd && (
        <button type="button" className="button cv-news" data-size="small" onClick={() => void toEnd()}>
          {isNew > 0 ? `${isNew.toLocaleString('en-US')} new` : 'To the end'}
          <span aria-hidden="true"> ↓</span>
        </button>
      )}
      <p className="hidden" role="status">
        {first > 0 || end < total ? `Events ${first} to ${end - 1} of ${total}` : ''}
      </p>
    </div>
  );
}

/** A block is drawn again only when it changes, so that a step of the scrubber draws two of them. */
const Block = memo(function Block({
  block,
  total,
  isChosen,
  onDetails,
  footer,
}: {
  readonly block: TimelineBlock;
  readonly total: number;
  readonly isChosen: boolean;
  readonly onDetails: (block: TimelineBlock) => void;
  readonly footer: (block: TimelineBlock) => ReactNode;
}): ReactElement {
  return (
    <BlockView block={block} chosen={isChosen} place={{ position: block.index + 1, of: total }} onDetails={onDetails}>
      {footer(block)}
    </BlockView>
  );
});

type Rows = ReturnType<typeof useVirtualizer<HTMLDivElement, Element>>;

/** Returns true while the list stands at the end of the log. */
function useAtEnd(
  scroller: React.RefObject<HTMLDivElement | null>,
  rows: Rows,
  atLogEnd: boolean,
  count: number,
): boolean {
  const [isAtEnd, setAtEnd] = useState(true);
  // by the numbers of the list: a question to the page would have it laid out once more in each frame
  const look = useCallback(() => {
    const { scrollOffset, scrollRect } = rows;
    if (scrollRect) setAtEnd((scrollOffset ?? 0) + scrollRect.height >= rows.getTotalSize() - END);
  }, [rows]);
  useEffect(() => {
    const element = scroller.current;
    element?.addEventListener('scroll', look, { passive: true });
    return () => element?.removeEventListener('scroll', look);
  }, [scroller, look]);
  const [size, height] = [rows.getTotalSize(), rows.scrollRect?.height];
  useEffect(() => {
    const frame = requestAnimationFrame(look);
    return () => cancelAnimationFrame(frame);
  }, [look, count, size, height]);
  return isAtEnd && atLogEnd;
}

/** Returns the number of events that came since the list stood at the end. */
function useNews(total: number, isAtEnd: boolean): number {
  const seen = useRef(total);
  if (isAtEnd) seen.current = total;
  return total - seen.current;
}

/** Returns the function that reads the next page if a person is near an end of the window. */
function usePages(window: EventWindow, { first, end, total, blocks }: WindowSnapshot, rows: Rows): () => void {
  return useCallback(() => {
    const { range } = rows;
    if (range === null) return;
    const middle = blocks[Math.floor((range.startIndex + range.endIndex) / 2)];
    if (middle) window.look(middle.index);
    // a side without room is read once another place is looked at
    if (first > 0 && range.startIndex < NEAR && blocks.length > 0) void window.extend('above');
    if (end < total && range.endIndex >= blocks.length - NEAR) void window.extend('below');
  }, [window, rows, first, end, total, blocks]);
}

/**
 * Scrolls to the block of an event when another event is looked at, and to the end when none is. The reference is true until the list
 * is there, and `onThere` is called then: before, a page that comes in above would lead the list to the place that the block had, and
 * a look at the first block would drop what was just read. A block in view needs no way, and so no further drawing.
 */
function useScrollTo(
  rows: Rows,
  blocks: readonly TimelineBlock[],
  event: number | undefined,
  onThere: () => void,
): { readonly current: boolean } {
  const moves = useRef(true);
  const reached = useRef<number | 'end'>(undefined);
  const tell = useRef(onThere);
  tell.current = onThere;
  const goal = event ?? 'end';
  const place = event === undefined ? blocks.length - 1 : placeOf(blocks, event);
  const last = useMemo(() => lastEventOf(blocks), [blocks]);
  const isHeld = place >= 0 && (event === undefined || event <= last);
  useEffect(() => {
    if (reached.current === goal) return undefined;
    const isSeen = (): boolean => rows.range !== null && rows.range.startIndex <= place && place <= rows.range.endIndex;
    if (!moves.current && event !== undefined && isHeld && isWhole(rows, place)) {
      reached.current = goal;
      return undefined;
    }
    moves.current = true;
    if (!isHeld) return undefined;
    let frame = 0;
    let before: string | undefined;
    const look = (): void => {
      const seen = isSeen();
      // an answer that grows moves the end in each frame
      const now = event === undefined ? 'end' : `${rows.scrollOffset} ${rows.getTotalSize()}`;
      if (seen && now === before) {
        moves.current = false;
        reached.current = goal;
        tell.current();
        return;
      }
      if (event !== undefined && !isWhole(rows, place)) rows.scrollToIndex(place, { align: 'auto' });
      else if (event === undefined && !seen) rows.scrollToEnd();
      // the list measures blocks that it has not shown yet and moves again, so it is there when a frame moved nothing
      before = seen ? now : undefined;
      frame = requestAnimationFrame(look);
    };
    look();
    return () => cancelAnimationFrame(frame);
  }, [rows, event, goal, isHeld, place]);
  return moves;
}

/** True if all of a block is in view, or a part of a block that is higher than the list. */
function isWhole({ measurementsCache, scrollOffset, scrollRect }: Rows, place: number): boolean {
  const block = measurementsCache[place];
  if (!block || !scrollRect) return false;
  const top = scrollOffset ?? 0;
  const bottom = top + scrollRect.height;
  if (block.size > scrollRect.height) return block.start < bottom && block.end > top;
  // browsers round the place of a list
  return block.start >= top - 1 && block.end <= bottom + 1;
}

function lastEventOf(blocks: readonly TimelineBlock[]): number {
  return blocks.reduce((last, block) => Math.max(last, lastEvent(block)), -1);
}
