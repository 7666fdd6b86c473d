import type { Conversation, ConversationView } from '@conv/core';
import { eventGuards, type Event, type ObservationLikeEvent } from '@conv/core/events';

import type { Decision } from './client-request.ts';
import { callAt, findCall } from './find-call.ts';

/** True if an event is a result that the model has not read: nothing came after it, and no run was begun or stopped since. */
export function isUntoldResult(
  { executionStatus, leafEventId }: ConversationView,
  event: Event | undefined,
): event is ObservationLikeEvent {
  return executionStatus === 'idle' && event?.id === leafEventId && eventGuards.isObservationLike(event);
}

/**
 * True if the model has not read the results of these decisions, because the process ended between a rejection and its run. Decisions on
 * calls of one response count together.
 */
export async function isUntold(
  { events, state }: Pick<Conversation, 'events' | 'state'>,
  decisions: readonly Decision[],
): Promise<boolean> {
  const index = state.leafEventId === null ? undefined : await events.indexOf(state.leafEventId);
  const leaf = index === undefined ? undefined : await events.at(index);
  if (index === undefined || !isUntoldResult(state, leaf)) return false;
  const newest = await findCall(events, leaf, index);
  for (const { actionId } of decisions) {
    const call = await callAt(events, actionId);
    if (newest && call?.event.llm_response_id === newest.event.llm_response_id) return true;
  }
  return false;
}
