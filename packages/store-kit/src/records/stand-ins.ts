import { isEvent, type Event } from '@conv/core/events';
import type { JournalReader } from '@conv/core/store';

/** The code of the events that stand in for lost ones. */
const LOST = 'EventLost';

/** True for an event that stands in for a lost one. */
export function isStandIn(event: Event): boolean {
  return isEvent(event, 'ConversationErrorEvent') && event.code === LOST && event.source === 'environment';
}

/**
 * Returns a stand-in with the required members alone. Only the first event keeps a parent id; the parent of any other is the
 * event before it.
 */
export function shortStandIn(event: Event, at: number): Event {
  const { kind, id, timestamp, source, parent_id: parent } = event;
  return {
    kind,
    id,
    timestamp,
    source,
    ...(at === 0 && parent ? { parent_id: parent } : {}),
    code: LOST,
    detail: '',
  } as Event;
}

/** The log in which events are lost, and how the events that stand in for them look. */
export interface StandInSource {
  readonly reader: Pick<JournalReader, 'end' | 'commits'>;
  /** Returns the id of a stand-in that no later event names as its parent. */
  readonly idOf: (number: number) => string;
  /** Returns the text that a stand-in shows to a person. */
  readonly detailOf: (number: number) => string;
  /** True if the event of this number is known to have had this id. */
  readonly carries?: (number: number, id: string) => boolean;
}

/**
 * Makes events in place of lost ones, by number. A reader that knows of no damage stops at a missing number, and refuses
 * a branch with an unknown parent. Each stand-in is an error event that no model reads, with the id that later events
 * name as their parent. Reads the whole log.
 */
export async function standIns(source: StandInSource): Promise<ReadonlyMap<number, Event>> {
  const { reader } = source;
  const lost: Lost[] = [];
  const seen = new Set<string>();
  let expected = 0;
  let before: Event | undefined;
  for await (const { firstEvent, events } of reader.commits()) {
    for (const [ordinal, event] of events.entries()) {
      const index = firstEvent + ordinal;
      for (; expected < index; expected++) lost.push({ number: expected, before, after: event, id: undefined });
      expected = index + 1;
      const { parent_id: parent } = event;
      if (lost.length > 0 && typeof parent === 'string' && parent !== '__root__' && !seen.has(parent))
        claim(source, lost, parent);
      seen.add(event.id);
      before = event;
    }
  }
  for (; expected < reader.end.event; expected++) lost.push({ number: expected, before, after: before, id: undefined });
  return chained(source, lost);
}

interface Lost {
  readonly number: number;
  /** The last event in front of it, and the first event after it, that are not lost. */
  readonly before: Event | undefined;
  readonly after: Event | undefined;
  id: string | undefined;
}

/** Gives an unknown parent's id to the lost event that is known to carry it, else to the newest one without an id. */
function claim({ carries }: StandInSource, lost: readonly Lost[], id: string): void {
  if (lost.some((one) => one.id === id)) return;
  const free = lost.filter((one) => one.id === undefined);
  const found = free.find(({ number }) => carries?.(number, id)) ?? free.at(-1);
  if (found) found.id = id;
}

function chained({ idOf, detailOf }: StandInSource, lost: readonly Lost[]): ReadonlyMap<number, Event> {
  const made = new Map<number, Event>();
  for (const { number, before, after, id } of lost) {
    const previous = made.get(number - 1)?.id ?? before?.id;
    made.set(number, {
      kind: 'ConversationErrorEvent',
      id: id ?? idOf(number),
      timestamp: (before ?? after)?.timestamp ?? '1970-01-01T00:00:00',
      source: 'environment',
      ...(previous === undefined ? {} : { parent_id: previous }),
      code: LOST,
      detail: detailOf(number),
    } as Event);
  }
  return made;
}
