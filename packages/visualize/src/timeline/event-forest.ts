import { checks } from '@conv/core';
import { eventGuards, type Event, isEvent, ROOT_PARENT } from '@conv/core/events';

/** An event in its tree. */
export interface ForestNode {
  /** Its number in the log. */
  readonly index: number;
  readonly event: Event;
  readonly parent: ForestNode | undefined;
  readonly children: ForestNode[];
}

/**
 * Returns the trees that events form by their parents. A parent that is missing or not older is replaced by the nearest older
 * event. State updates are left out, because they do not move HEAD.
 */
export function eventForest(events: readonly Event[]): readonly ForestNode[] {
  const byId = new Map<string, ForestNode>();
  const nodes: ForestNode[] = [];
  let previous: ForestNode | undefined;
  for (const [index, event] of events.entries()) {
    const parent = parentOf(event, byId, previous);
    if (!eventGuards.movesHead(event)) {
      // An event whose parent is a state update continues from the parent of the state update.
      if (parent !== undefined) byId.set(event.id, parent);
      continue;
    }
    const node: ForestNode = { index, event, parent, children: [] };
    parent?.children.push(node);
    byId.set(event.id, node);
    nodes.push(node);
    previous = node;
  }
  return nodes;
}

/**
 * Returns the id of HEAD for a log that does not name it: the last event that is neither a state update nor a conversation error.
 */
export function lastHead(events: readonly Event[]): string | null {
  return (
    events.findLast((event) => eventGuards.movesHead(event) && !isEvent(event, 'ConversationErrorEvent'))?.id ?? null
  );
}

/** Throws `TypeError` if `events` is no list of events. */
export function checkEvents(place: string, events: unknown): void {
  if (typeof events === 'object' && events !== null && Symbol.iterator in events) return;
  throw new TypeError(
    checks.wrongValue(`${place}: events`, 'a list such as await conversation.events.slice()', events),
  );
}

function parentOf(
  event: Event,
  byId: ReadonlyMap<string, ForestNode>,
  previous: ForestNode | undefined,
): ForestNode | undefined {
  const { parent_id: parentId } = event;
  if (parentId === ROOT_PARENT) return undefined;
  if (typeof parentId !== 'string') return previous;
  return byId.get(parentId) ?? previous;
}
