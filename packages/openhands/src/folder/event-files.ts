import { type Event } from '@conv/core/events';
import { toEventIndex, type EventIndex } from '@conv/core/store';

const NAME = /^event-(\d{5,})-([0-9a-fA-F-]{8,})\.json$/;
const RECOGNISED_ID = /^[0-9a-fA-F-]{8,}$/;

/** The name of an event's file. */
export function eventFileName(index: number, id: string): string {
  return `event-${String(index).padStart(5, '0')}-${id}.json`;
}

/** True if the reference recognises a file name with this id; any other name is a gap in the log that it sees. */
export function isFileId(id: string): boolean {
  return RECOGNISED_ID.test(id);
}

/** Returns the number and id in the name of an event's file; `undefined` for other names. */
export function parseEventFileName(name: string): { readonly index: EventIndex; readonly id: string } | undefined {
  const match = NAME.exec(name);
  return match ? { index: toEventIndex(Number(match[1])), id: match[2] as string } : undefined;
}

/** The HEAD that a reader takes when `base_state.json` names none; events in log order. */
export function fallbackHead(events: readonly Event[]): string | null {
  return events.findLast(isFallbackHead)?.id ?? null;
}

/** True if the fallback search for HEAD may stop at this event. */
export function isFallbackHead(event: Pick<Event, 'kind'>): boolean {
  return event.kind !== 'ConversationStateUpdateEvent' && event.kind !== 'ConversationErrorEvent';
}
