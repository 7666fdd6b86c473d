import { isFallbackHead } from '@conv/openhands/folder';
import { toEventIndex, type JournalReader } from '@conv/core/store';

/** Resolves with the HEAD that OpenHands takes when none is named: the last event that may be HEAD. */
export async function fallbackOf(reader: JournalReader): Promise<string | null> {
  for (let to: number = reader.end.event, step = 16; to > 0; step *= 4) {
    const from = Math.max(0, to - step);
    let found: string | null = null;
    for await (const { firstEvent, events } of reader.commits({
      fromEvent: toEventIndex(from),
      toEvent: toEventIndex(to),
    })) {
      events.forEach((event, ordinal) => {
        if (firstEvent + ordinal < to && isFallbackHead(event)) found = event.id;
      });
    }
    if (found !== null) return found;
    to = from;
  }
  return null;
}
