import type { Event } from '@conv/core/events';
import { checkEvents, eventForest, type ForestNode } from './event-forest.ts';

/** A line of events in the tree: each event but the last is followed by one event. */
export interface Branch {
  /** The number of its first event. */
  readonly first: number;
  /** The number of its last event. */
  readonly last: number;
  /** The number of its events. */
  readonly count: number;
  /** The number of forks in front of it. */
  readonly depth: number;
  /** True if it is a part of the live branch. */
  readonly live: boolean;
}

/** Returns the parts of the tree that events form, each after the part that it continues, and the numbers of the live branch. */
export function branches(
  events: readonly Event[],
  head: string | null,
): { readonly parts: readonly Branch[]; readonly live: ReadonlySet<number> } {
  checkEvents('branches', events);
  const nodes = eventForest(events);
  const live = new Set<number>();
  for (let node = nodes.findLast(({ event }) => event.id === head); node; node = node.parent) live.add(node.index);
  const parts: Branch[] = [];
  const waiting = nodes
    .filter(({ parent }) => !parent)
    .map((first) => ({ first, depth: 0 }))
    .toReversed();
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { first, depth } = next;
    let [last, count] = [first, 1];
    for (let only = onlyChild(last); only; only = onlyChild(last)) [last, count] = [only, count + 1];
    parts.push({ first: first.index, last: last.index, count, depth, live: live.has(first.index) });
    for (const child of last.children.toReversed()) waiting.push({ first: child, depth: depth + 1 });
  }
  return { parts, live };
}

function onlyChild({ children }: ForestNode): ForestNode | undefined {
  return children.length === 1 ? children[0] : undefined;
}
