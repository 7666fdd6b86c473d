import { createHash } from 'node:crypto';
import { type Event } from '@conv/core/events';
import { LOST } from './is-stand-in.ts';
import type { FsReader } from './reader.ts';

/**
 * Makes the events that the event files hold in place of lost ones, by number (decision 54). OpenHands reads no further
 * than to the first missing number, and refuses a branch with an unknown parent. Each stand-in is an error event that
 * no model reads, with the id that later events name as their parent. Reads the whole log.
 */
export async function standIns(reader: FsReader): Promise<ReadonlyMap<number, Event>> {
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
        claim(reader, lost, parent);
      seen.add(event.id);
      before = event;
    }
  }
  for (; expected < reader.end.event; expected++) lost.push({ number: expected, before, after: before, id: undefined });
  return chained(reader.id, lost);
}

interface Lost {
  readonly number: number;
  /** The last event in front of it, and the first event behind it, that are not lost. */
  readonly before: Event | undefined;
  readonly after: Event | undefined;
  id: string | undefined;
}

/** Gives an unknown parent's id to the lost event whose index entry carries it, else to the newest one without an id. */
function claim(reader: FsReader, lost: readonly Lost[], id: string): void {
  if (lost.some((one) => one.id === id)) return;
  const free = lost.filter((one) => one.id === undefined);
  const found = free.find(({ number }) => reader.carries(number, id)) ?? free.at(-1);
  if (found) found.id = id;
}

function chained(conversation: string, lost: readonly Lost[]): ReadonlyMap<number, Event> {
  const made = new Map<number, Event>();
  for (const { number, before, after, id } of lost) {
    const previous = made.get(number - 1)?.id ?? before?.id;
    const hash = createHash('sha256').update(`${conversation} ${number}`).digest('hex');
    made.set(number, {
      kind: 'ConversationErrorEvent',
      id: id ?? hash.slice(0, 32),
      timestamp: (before ?? after)?.timestamp ?? '1970-01-01T00:00:00',
      source: 'environment',
      ...(previous === undefined ? {} : { parent_id: previous }),
      code: LOST,
      detail: `Event ${number} was lost to damage of the disk. This file stands in for it.`,
    } as Event);
  }
  return made;
}
