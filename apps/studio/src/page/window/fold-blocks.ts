import { eventGuards } from '@conv/core/events';
import { type NumberedEvent, timeline, type TimelineBlock } from '@conv/visualize/timeline';

/** The events that a window holds, and what is known beyond its end. */
export interface HeldEvents {
  /** The number of the first event that the window covers. */
  readonly first: number;
  readonly events: readonly NumberedEvent[];
  /** Results of calls in the window that stand after its end. */
  readonly answers: readonly NumberedEvent[];
}

/**
 * Returns the blocks that begin in a window, the same that the complete log gives for it: a result belongs to the block of its
 * call. So a result whose call stands before the window is left out, and a call has its result from beyond the end.
 * A block of `before` whose events are the same is returned as it is, so that nothing draws it again.
 */
export function foldBlocks(held: HeldEvents, before: readonly TimelineBlock[] = []): readonly TimelineBlock[] {
  const calls = callIds(held.events);
  const events = held.first === 0 ? held.events : held.events.filter(({ event }) => !isAnswerOfEarlier(event, calls));
  // a window that follows the log may have dropped a call whose result it has read
  const answers = held.answers.filter(({ event }) => !isAnswerOfEarlier(event, calls));
  const known = new Map(before.map((block) => [block.id, block]));
  return timeline([...events, ...answers]).map((block) => {
    const old = known.get(block.id);
    return old && isSame(old, block) ? old : block;
  });
}

/** Returns the ids of the calls without a result among these events, in their order. */
export function openCalls(events: readonly NumberedEvent[]): Set<string> {
  const open = new Set<string>();
  for (const { event } of events) {
    if (!eventGuards.isKnownEvent(event)) continue;
    if (event.kind === 'ActionEvent') open.add(event.tool_call_id);
    else if (eventGuards.isObservationLike(event)) open.delete(event.tool_call_id);
  }
  return open;
}

/** Returns the id of the call that an event answers, if it is a result. */
export function answeredCall({ event }: NumberedEvent): string | undefined {
  return eventGuards.isKnownEvent(event) && eventGuards.isObservationLike(event) ? event.tool_call_id : undefined;
}

function callIds(events: readonly NumberedEvent[]): Set<string> {
  const ids = new Set<string>();
  for (const { event } of events)
    if (eventGuards.isKnownEvent(event) && event.kind === 'ActionEvent') ids.add(event.tool_call_id);
  return ids;
}

function isAnswerOfEarlier(event: NumberedEvent['event'], calls: ReadonlySet<string>): boolean {
  return eventGuards.isKnownEvent(event) && eventGuards.isObservationLike(event) && !calls.has(event.tool_call_id);
}

function isSame(one: TimelineBlock, other: TimelineBlock): boolean {
  return (
    one.events.length === other.events.length &&
    one.events.every(({ event }, place) => event === other.events[place]?.event)
  );
}
