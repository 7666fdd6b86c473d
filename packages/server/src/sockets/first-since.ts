import type { EventsList } from '@conv/core';

/** Number of consecutive older events after which all earlier events are assumed to be older too. */
const PAGE = 256;

/**
 * Resolves with the number of the first event that can be of this time or later. Reads from the end: the newer events and one
 * more page. Logs are in order of time, except for neighbours in imported logs.
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
