import type { EventLog } from '@conv/core';
import { isEvent, ROOT_PARENT, type Event, type EventOfKind } from '@conv/core/events';

/** Yields the events of the branch that ends with `leaf`, newest first. Reads no further than the consumer. Skips damage. */
export async function* backwards(events: EventLog, leaf: string | null): AsyncGenerator<Event> {
  let index: number | undefined = leaf === null ? undefined : await events.indexOf(leaf);
  while (index !== undefined && index >= 0) {
    const event = await events.at(index);
    if (event) yield event;
    index = event ? await parentIndex(events, event, index) : index - 1;
  }
}

/** Returns the newest event of a branch that `test` accepts. */
export async function newest<Found extends Event>(
  events: EventLog,
  leaf: string | null,
  test: (event: Event) => event is Found,
): Promise<Found | undefined> {
  for await (const event of backwards(events, leaf)) if (test(event)) return event;
  return undefined;
}

export function isUserMessage(event: Event): event is EventOfKind<'MessageEvent'> {
  return isEvent(event, 'MessageEvent') && event.source === 'user';
}

async function parentIndex(events: EventLog, { parent_id: parent }: Event, index: number): Promise<number | undefined> {
  if (parent === ROOT_PARENT || index === 0) return undefined;
  if (parent === undefined || parent === null || (await events.idAt(index - 1)) === parent) return index - 1;
  const located = await events.indexOf(parent);
  return located !== undefined && located < index ? located : index - 1;
}
