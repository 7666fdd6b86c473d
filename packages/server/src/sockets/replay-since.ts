import type { EventsList } from '@conv/core';
import { localTimestamp } from '@conv/core/events';

/** How many events in a row have to be older before it is believed that all before them are. */
const PAGE = 256;

const TIME = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(?::(\d{2})(?:[.,](\d{1,6})\d*)?)?)?(Z|[+-]\d{2}:?\d{2})?$/i;

/**
 * A time of a client as events have it, so that they sort together; `undefined` for what is none. One with a zone becomes the local
 * time of this server, one without is taken for it.
 */
export function toEventTime(text: string): string | undefined {
  // an unencoded plus sign is a blank when it arrives
  const match = TIME.exec(
    text.replace(/ (\d{2}:?\d{2})$/, (zone, digits: string) => (text.includes('T') ? `+${digits}` : zone)),
  );
  if (!match) return undefined;
  const [, day, minutes = '00:00', seconds = '00', fraction = '', zone = ''] = match;
  const micros = fraction.padEnd(6, '0');
  const local = `${day}T${minutes}:${seconds}`;
  const time = Date.parse(local + zone.toUpperCase());
  if (Number.isNaN(time)) return undefined;
  return zone === '' ? `${local}.${micros}` : `${localTimestamp(time).slice(0, 19)}.${micros}`;
}

/**
 * The number of the first event that can be of this time or later. Looks from the end on and reads what is newer and a page more:
 * logs are in order of time but for neighbours that imported ones have in disorder.
 */
export async function firstSince(events: EventsList, time: string): Promise<number> {
  let first = events.length;
  for (let to = events.length; to > 0; to -= PAGE) {
    const from = Math.max(0, to - PAGE);
    const page = await events.slice(from, to);
    const newer = page.findIndex(({ timestamp }) => timestamp >= time);
    if (newer === -1) break;
    first = from + (page.length === to - from ? newer : 0);
  }
  return first;
}
