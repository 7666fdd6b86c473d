import type { Event } from '@conv/core/events';

import type { EventChunk } from './event-chunks.ts';
import type { EventPage, EventPages } from './event-pages.ts';

/**
 * Reads the last page of a log, with the number of its first event. Exact even while the log grows: a count and a page from
 * different moments do not match, so the page is numbered by older events, which no longer change.
 */
export async function readEnd(pages: EventPages): Promise<EventChunk> {
  const before = await pages.count();
  const { events, next, bytes } = await pages.page({ descending: true });
  const page = events.toReversed();
  // a page without a next page is the whole log
  if (next === undefined) return { from: 0, events: page, bytes };
  const quiet = (await pages.count()) === before;
  const from = quiet ? before - page.length : ((await numberByTime(pages, page)) ?? (await numberByWalk(pages, page)));
  return { from, events: page, bytes };
}

/**
 * Numbers a page of a log by the time of one of its events. The count of older events is that event's number if two things hold: it is the
 * first event that is not older, and its predecessor is the last older one. Resolves with `undefined` if one does not hold, as
 * after a clock was set back or on a server that does not filter.
 */
export async function numberByTime(pages: EventPages, page: readonly Event[]): Promise<number | undefined> {
  const at = page.findLastIndex((event, index) => index > 0 && timeOf(page, index - 1) < event.timestamp);
  if (at < 0) return undefined;
  const time = timeOf(page, at);
  const older = await pages.count({ before: time });
  const [first] = (await pages.page({ since: time, limit: 1 })).events;
  const [last] = (await pages.page({ before: time, descending: true, limit: 1 })).events;
  const proven = first?.id === page[at]?.id && last?.id === page[at - 1]?.id;
  return proven ? older - at : undefined;
}

/** Numbers a page by counting all events before it. */
async function numberByWalk(pages: EventPages, page: readonly Event[]): Promise<number> {
  const [wanted] = page;
  let passed = 0;
  let at: EventPage | undefined = await pages.page();
  while (at && at.events.length > 0) {
    const { events, next }: EventPage = at;
    const found = events.findIndex(({ id }) => id === wanted?.id);
    if (found >= 0) return passed + found;
    passed += events.length;
    at = next === undefined ? undefined : await pages.from(next);
  }
  throw pages.shorter(`the server no longer has event ${wanted?.id}`);
}

function timeOf(page: readonly Event[], index: number): string {
  return page[index]?.timestamp ?? '';
}
