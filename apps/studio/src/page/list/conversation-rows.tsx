import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactElement, type Ref, useEffect, useImperativeHandle, useRef } from 'react';
import { useStudio } from '../app/studio.ts';
import type { Row } from '../data/row.ts';
import { ConversationRow } from './conversation-row.tsx';
import type { Shown } from './filters.ts';

/** Moves the focus among the rows. */
export interface RowsHandle {
  move(by: 1 | -1): void;
}

/** Properties of {@link ConversationRows}. */
export interface ConversationRowsProps {
  readonly shown: Shown;
  readonly ref: Ref<RowsHandle>;
}

type Item = { readonly heading: string } | { readonly row: Row; readonly place: number };

/** The rows of the list, of which only those in sight are in the page. */
export function ConversationRows({ shown, ref }: ConversationRowsProps): ReactElement {
  const { list } = useStudio();
  const place = useRef<HTMLDivElement>(null);
  const items = itemsOf(shown);
  const of = shown.waiting.length + shown.others.length;
  const virtualizer = useVirtualizer({
    count: items.length,
    getScrollElement: () => place.current,
    estimateSize: (index) => ('heading' in (items[index] as Item) ? 34 : 62),
    getItemKey: (index) => keyOf(items[index] as Item),
    overscan: 8,
  });
  const inSight = virtualizer.getVirtualItems().flatMap(({ index }) => idOf(items[index] as Item));
  useEffect(() => list.watch(inSight));
  const focus = (index: number): void => {
    virtualizer.scrollToIndex(index);
    requestAnimationFrame(() => place.current?.querySelector<HTMLElement>(`[data-index="${index}"] a`)?.focus());
  };
  useImperativeHandle(ref, () => ({
    move: (by) => {
      const next = nextPlace(items, focusedIndex(), by);
      if (next !== undefined) focus(next);
    },
  }));
  useEffect(() => {
    const back = items.findIndex((item) => idOf(item)[0] === list.lastOpened);
    if (list.lastOpened !== undefined && back >= 0) focus(back);
    list.lastOpened = undefined;
  }, []);
  return (
    <div className="rows" ref={place} tabIndex={-1}>
      <div
        className="rows-inside"
        role="list"
        aria-label="Conversations"
        style={{ height: virtualizer.getTotalSize() }}
      >
        {virtualizer.getVirtualItems().map(({ index, key, start }) => (
          <div
            key={key}
            ref={virtualizer.measureElement}
            data-index={index}
            className="rows-place"
            style={{ transform: `translateY(${start}px)` }}
            {...listItem(items[index] as Item, of)}
          >
            <ItemView item={items[index] as Item} />
          </div>
        ))}
      </div>
    </div>
  );
}

/** A heading is no item of the list; an item tells its place among all, because most are not in the page. */
function listItem(item: Item, of: number): Record<string, string | number> {
  if ('heading' in item) return { role: 'none' };
  return { role: 'listitem', 'aria-posinset': item.place, 'aria-setsize': of };
}

function ItemView({ item }: { readonly item: Item }): ReactElement {
  return 'heading' in item ? <p className="rows-heading">{item.heading}</p> : <ConversationRow row={item.row} />;
}

function itemsOf({ waiting, others }: Shown): readonly Item[] {
  const rows = (list: readonly Row[], from: number): readonly Item[] =>
    list.map((row, index) => ({ row, place: from + index + 1 }));
  if (waiting.length === 0) return rows(others, 0);
  return [
    { heading: 'Waiting for you' },
    ...rows(waiting, 0),
    ...(others.length > 0 ? [{ heading: 'All others' }] : []),
    ...rows(others, waiting.length),
  ];
}

function keyOf(item: Item): string {
  return 'heading' in item ? item.heading : item.row.id;
}

function idOf(item: Item): readonly string[] {
  return 'heading' in item ? [] : [item.row.id];
}

function focusedIndex(): number {
  const place = document.activeElement?.closest<HTMLElement>('[data-index]');
  return place ? Number(place.dataset['index']) : -1;
}

/** Returns the index of the next row in a direction; headings are stepped over. */
function nextPlace(items: readonly Item[], from: number, by: 1 | -1): number | undefined {
  for (let index = from === -1 ? (by === 1 ? 0 : items.length - 1) : from + by; index in items; index += by)
    if (!('heading' in (items[index] as Item))) return index;
  return undefined;
}
