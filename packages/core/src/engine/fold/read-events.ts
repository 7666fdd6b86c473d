import type { Event } from '../../events/index.ts';
import { toEventIndex, type EventIndex } from '../../contract/state/log-position.ts';
import type { JournalReader } from '../../contract/store/conversation-store.ts';

/** An event and its number. */
export interface IndexedEvent {
  readonly event: Event;
  readonly index: EventIndex;
}

/** Returns the events from `from` to before `to`, in order; events that damage took are left out. */
export async function* readEvents(
  reader: JournalReader,
  from: number,
  to: number = reader.end.event,
): AsyncGenerator<{ readonly event: Event; readonly index: EventIndex }> {
  if (from >= to) return;
  for await (const commit of reader.commits({ fromEvent: toEventIndex(from), toEvent: toEventIndex(to) })) {
    for (let offset = 0; offset < commit.events.length; offset++) {
      const index = toEventIndex(commit.firstEvent + offset);
      const event = commit.events[offset];
      if (event !== undefined && index >= from && index < to) yield { event, index };
    }
  }
}
