import type { NumberedEvent } from '@conv/visualize/timeline';
import { bytesOf, type HeldSpan } from './held-span.ts';
import type { WindowSource } from './window-source.ts';

/** Events of a single read, so that a part with large events is not read as a whole. */
const PIECE = 50;

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

/** Reads from `from` on and stops before `to` when it has `bytes`. Resolves with what was read, which ends where the log does. */
export async function readUp(
  events: WindowSource['events'],
  from: number,
  to: number,
  bytes: number,
): Promise<HeldSpan> {
  const read: NumberedEvent[] = [];
  const end = Math.min(to, events.length);
  let at = from;
  for (let left = bytes; at < end && left > 0;) {
    const next = Math.min(end, at + PIECE);
    const piece = await readPage(events, at, next);
    read.push(...piece);
    left -= total(piece);
    at = next;
  }
  return { first: from, end: Math.max(from, at), events: read };
}

/** Reads from before `to` back, and stops after `from` when it has `bytes`. Resolves with what was read. */
export async function readDown(
  events: WindowSource['events'],
  from: number,
  to: number,
  bytes: number,
): Promise<HeldSpan> {
  let read: readonly NumberedEvent[] = [];
  const end = Math.min(to, events.length);
  let at = end;
  for (let left = bytes; at > from && left > 0;) {
    const next = Math.max(from, at - PIECE);
    const piece = await readPage(events, next, at);
    read = [...piece, ...read];
    left -= total(piece);
    at = next;
  }
  return { first: at, end, events: read };
}

function total(piece: readonly NumberedEvent[]): number {
  return piece.reduce((sum, entry) => sum + bytesOf(entry), 0);
}
