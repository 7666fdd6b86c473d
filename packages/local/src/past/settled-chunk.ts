import { projections, viewOf, views } from '@conv/core';
import { isEvent, type Event } from '@conv/core/events';
import { toEventIndex, type JournalReader } from '@conv/core/store';
import { eventsToMessages } from '@conv/openhands/messages';

/**
 * Events of a long view that no later event but a condensation changes: their calls have results, and no message is made of some of
 * them and of others. They are known by their numbers, and are read from the log when a page or a condensation needs them.
 *
 *   view      prompt │ chunk │ chunk │ events in memory
 *   settled            ├─────────────┤
 */
export interface SettledChunk {
  readonly earlier: SettledChunk | undefined;
  /** The numbers of the events; a summary has the number of its condensation. */
  readonly numbers: Uint32Array;
  /** Positions in the chunk, and the run of reasoning of the event there. */
  readonly loops: readonly (readonly [position: number, loop: number])[];
  /** The number of settled messages before the chunk. */
  readonly first: number;
  readonly messages: number;
  /** The estimate of all settled messages up to the end of the chunk. */
  readonly tokens: number;
}

/** Returns the size of the messages that are made of these events. */
export type Measure = (events: readonly Event[]) => { readonly messages: number; readonly tokens: number };

/**
 * Returns the end of the events that can be settled, from `from` on, so that at least `kept` events stay; `undefined` if there is
 * none. The last request and its answer stay, because cache points are found by them.
 */
export function settledPart(
  events: readonly Event[],
  { from, kept }: { readonly from: number; readonly kept: number },
): number | undefined {
  const { events: shown, cuts } = viewOf(events);
  // from the first event that is not shown where it stands, the messages depend on events that are still to come
  const moved = shown.findIndex((event, place) => event !== events[place]);
  const last = Math.min(events.length - kept, moved === -1 ? shown.length : moved, requestIn(shown));
  const isBetweenMessages = (cut: number): boolean => eventsToMessages(shown.slice(cut - 1, cut + 1)).length === 2;
  return cuts.findLast((cut) => cut > from && cut <= last && isBetweenMessages(cut));
}

/** Returns the place of the last event before the newest answer that the model was asked with; -1 if there is none. */
function requestIn(events: readonly Event[]): number {
  const roleOf = (event: Event): string | undefined => eventsToMessages([event])[0]?.role;
  const newest = events.findLastIndex((event) => roleOf(event) === 'assistant');
  const answer = events[newest];
  const response = answer && isEvent(answer, 'ActionEvent') ? answer.llm_response_id : undefined;
  const first = events.findIndex(
    (event) => event === answer || (isEvent(event, 'ActionEvent') && event.llm_response_id === response),
  );
  return events.findLastIndex((event, place) => place < first && ['user', 'tool'].includes(roleOf(event) ?? ''));
}

/** Returns the chunks up to the newest one, oldest first. */
export function chunksUpTo(newest: SettledChunk | undefined): readonly SettledChunk[] {
  const chunks: SettledChunk[] = [];
  for (let chunk = newest; chunk; chunk = chunk.earlier) chunks.push(chunk);
  return chunks.reverse();
}

/** Returns the chunks with the messages `from` to `to`, oldest first. */
export function chunksWith(newest: SettledChunk, from: number, to: number): readonly SettledChunk[] {
  const chunks: SettledChunk[] = [];
  for (
    let chunk: SettledChunk | undefined = newest;
    chunk && chunk.first + chunk.messages > from;
    chunk = chunk.earlier
  )
    if (chunk.first < to) chunks.push(chunk);
  return chunks.reverse();
}

/** Resolves with the events of these numbers, in the order of the numbers; summaries in the place of condensations. */
export async function eventsOf(reader: JournalReader, numbers: Uint32Array): Promise<readonly Event[]> {
  const read = new Map<number, Event>();
  const ascending = [...numbers].toSorted((one, other) => one - other).map(toEventIndex);
  for await (const { event, index } of projections.eventsAt(reader, ascending)) read.set(index, event);
  return Array.from(numbers, (number) => {
    const event = read.get(number);
    const shown = event && isEvent(event, 'Condensation') ? views.summaryOf(event) : event;
    if (!shown)
      throw new Error(`expected event ${number} in the log, where it was before, found none; read the view again`);
    return shown;
  });
}

/** Joins numbers. */
export function joined(parts: readonly Uint32Array[]): Uint32Array {
  const whole = new Uint32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
