import type { EventsList } from '@conv/core';
import { contentParts, eventBytes, isEvent, isText, type Event } from '@conv/core/events';
import { textOf } from '@conv/openhands/messages';
import type { EventFilter, Page, SearchEventsQuery } from '@conv/openhands/rest';

/** Number of events read at a time. */
const CHUNK = 128;

/** Bytes of JSON after which a page ends, however few events it has. */
const PAGE_BYTES = 8 * 1024 * 1024;

/** Maximum number of events that one page of a text search reads; the next page continues there. */
const LOOKED_AT = 20_000;

/**
 * Resolves with a page of the events of all branches, in log order or reversed. If no event begins the page, it is the first page, as with OpenHands'
 * server: clients compare the first id with the id that they asked for.
 */
export async function searchEvents(events: EventsList, query: SearchEventsQuery): Promise<Page<Event>> {
  const backwards = query.sort_order === 'TIMESTAMP_DESC';
  const start = await startOf(events, query.page_id, backwards);
  const items: Event[] = [];
  let bytes = 0;
  let looked = 0;
  for await (const event of walk(events, start, backwards)) {
    if (query.text !== null && looked++ === LOOKED_AT) return { items, next_page_id: event.id };
    if (!fits(event, query)) continue;
    if (items.length === query.limit || bytes > PAGE_BYTES) return { items, next_page_id: event.id };
    items.push(event);
    bytes += eventBytes(event);
  }
  return { items, next_page_id: null };
}

/** Returns how many events match the filter. */
export async function countEvents(events: EventsList, filter: EventFilter): Promise<number> {
  if (Object.values(filter).every((part) => part === null)) return events.length;
  let count = 0;
  for await (const event of events) if (fits(event, filter)) count++;
  return count;
}

async function startOf(events: EventsList, pageId: string | null, backwards: boolean): Promise<number> {
  const first = backwards ? events.length - 1 : 0;
  return pageId === null ? first : ((await events.indexOf(pageId)) ?? first);
}

async function* walk(events: EventsList, start: number, backwards: boolean): AsyncGenerator<Event> {
  const end = events.length;
  for (let at = start; backwards ? at >= 0 : at < end; at += backwards ? -CHUNK : CHUNK) {
    const chunk = backwards
      ? await events.slice(Math.max(0, at - CHUNK + 1), at + 1)
      : await events.slice(at, at + CHUNK);
    yield* backwards ? chunk.toReversed() : chunk;
  }
}

function fits(event: Event, filter: EventFilter): boolean {
  const { kind, source, body, text, timestamp__gte: from, timestamp__lt: before } = filter;
  if (kind !== null && event.kind !== kind) return false;
  if (source !== null && event.source !== source) return false;
  if (from !== null && event.timestamp < from) return false;
  if (before !== null && event.timestamp >= before) return false;
  if (text !== null && !readableText(event).toLowerCase().includes(text.toLowerCase())) return false;
  return body === null || messageText(event).toLowerCase().includes(body.toLowerCase());
}

/** Returns the readable text of an event; for a call also its tool, its arguments and the thought before it. */
function readableText(event: Event): string {
  if (!isEvent(event, 'ActionEvent')) return textOf(event);
  const { tool_name: tool, summary, thought, tool_call: made } = event;
  return [tool, summary ?? '', ...thought.map(({ text }) => text), unescaped(made.arguments)].join('\n');
}

/** Returns JSON text with its escapes resolved, so that line breaks and quotes match. */
function unescaped(json: string): string {
  return json.replaceAll('\\n', '\n').replaceAll('\\"', '"');
}

function messageText(event: Event): string {
  if (!isEvent(event, 'MessageEvent')) return '';
  const texts = contentParts(event.llm_message).filter(isText);
  return texts.map((part) => part.text).join('\n');
}
