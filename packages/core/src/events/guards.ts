import type { AgentErrorEvent, ObservationEvent, UserRejectObservation } from './observation-event.ts';
import { type Event, type EventKind, type EventOfKind, isEventKind, type KnownEvent } from './event.ts';
import { EVENT_KINDS } from './event-kinds.ts';
import { unreadableReason } from './unreadable.ts';

/** An event that is turned into (part of) a message for the model. */
export type LlmConvertibleEvent = EventOfKind<
  | 'SystemPromptEvent'
  | 'MessageEvent'
  | 'ActionEvent'
  | 'ObservationEvent'
  | 'UserRejectObservation'
  | 'AgentErrorEvent'
  | 'CondensationSummaryEvent'
>;

/** An event that answers a tool call. */
export type ObservationLikeEvent = ObservationEvent | UserRejectObservation | AgentErrorEvent;

/** Narrows an event to one known kind; false for an event of that kind whose fields are not as they should be. */
export function isEvent<Kind extends EventKind>(event: Event, kind: Kind): event is EventOfKind<Kind> {
  return event.kind === kind && unreadableReason(event) === undefined;
}

/** Narrows an event to the protocol's kinds, so that a `switch` on `kind` is checked for completeness. */
export function isKnownEvent(event: Event): event is KnownEvent {
  return isEventKind(event.kind) && unreadableReason(event) === undefined;
}

/** True if an event is turned into (part of) a message for the model. */
export function isLlmConvertible(event: Event): event is LlmConvertibleEvent {
  return isKnownEvent(event) && EVENT_KINDS[event.kind].llm;
}

/** True if an event answers a tool call. */
export function isObservationLike(event: Event): event is ObservationLikeEvent {
  return (
    isEvent(event, 'ObservationEvent') || isEvent(event, 'UserRejectObservation') || isEvent(event, 'AgentErrorEvent')
  );
}

/** True if appending an event makes it the conversation's HEAD: all but state updates, unknown kinds included. */
export function movesHead(event: Event): boolean {
  return isEventKind(event.kind) ? EVENT_KINDS[event.kind].head : true;
}

/** True if an event belongs in a log. Events that exist on sockets or in views alone do not; unknown kinds do. */
export function isStoredEvent(event: Event): boolean {
  if (!isEventKind(event.kind)) return true;
  return EVENT_KINDS[event.kind].disk && !(event.kind === 'ConversationStateUpdateEvent' && isFullState(event));
}

function isFullState(event: Event): boolean {
  return 'key' in event && event.key === 'full_state';
}
