import type { NumberedEvent } from '@conv/visualize/timeline';
import type { WindowSource } from './window-source.ts';

/** Resolves with the events `from` to `to` with their numbers. An event that damage took is left out, and its number stays free. */
export async function readPage(
  events: WindowSource['events'],
  from: number,
  to: number,
): Promise<readonly NumberedEvent[]> {
  const end = Math.min(to, events.length);
  if (end <= from) return [];
  const found = await events.slice(from, end);
  if (found.length === end - from) return found.map((event, offset) => ({ index: from + offset, event }));
  // some are missing, so a place in the answer says nothing about a number
  const page: NumberedEvent[] = [];
  for (let index = from; index < end; index++) {
    const event = await events.at(index);
    if (event) page.push({ index, event });
  }
  return page;
}
