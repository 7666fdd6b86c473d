import { toEventIndex } from '@conv/core/store';
import type { ViewEvent } from './compatible-view.ts';
import type { FsReader } from './reader.ts';

/** The events of a log, as they go into their files. */
export async function* eventsFromLog(
  reader: FsReader,
  from: number,
  to: number,
): AsyncGenerator<ViewEvent, void, undefined> {
  for await (const { firstEvent, events } of reader.commits({
    fromEvent: toEventIndex(from),
    toEvent: toEventIndex(to),
  })) {
    for (const [ordinal, event] of events.entries()) {
      const index = firstEvent + ordinal;
      if (index >= from && index < to) yield { index, id: event.id, kind: event.kind, text: JSON.stringify(event) };
    }
  }
}
