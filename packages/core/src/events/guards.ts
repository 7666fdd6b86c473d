import { type Event, type EventKind, type EventOfKind, isEventKind, type KnownEvent } from './event.ts';
import { unreadableReason } from './unreadable.ts';

const LLM_KINDS = [
  'SystemPromptEvent',
  'MessageEvent',
  'ActionEvent',
  'ObservationEvent',
  'UserRejectObservation',
  'AgentErrorEvent',
  'CondensationSummaryEvent',
] as const;

const LLM: ReadonlySet<string> = new Set(LLM_KINDS);

/** Kinds that exist on sockets or in views alone. */
const PASSING: ReadonlySet<string> = new Set<EventKind>([
  'CondensationSummaryEvent',
  'ServerErrorEvent',
  'StreamingDeltaEvent',
]);

/** Kinds that do not move HEAD. */
const BESIDE: ReadonlySet<string> = new Set<EventKind>([
  'ConversationStateUpdateEvent',
  'ServerErrorEvent',
  'StreamingDeltaEvent',
]);

/** An event that is turned into (part of) a message for the model. */
export type LlmConvertibleEvent = EventOfKind<(typeof LLM_KINDS)[number]>;

/** An event that answers a tool call. */
export type ObservationLikeEvent = EventOfKind<'ObservationEvent' | 'UserRejectObservation' | 'AgentErrorEvent'>;

/** Narrows an event to one known kind; false for an event of that kind with invalid fields. */
export function isEvent<Kind extends EventKind>(event: Event, kind: Kind): event is EventOfKind<Kind> {
  return event.kind === kind && unreadableReason(event) === undefined;
}

/** Narrows an event to the protocol's kinds, so that a `switch` on `kind` is checked for completeness. */
export function isKnownEvent(event: Event): event is KnownEvent {
  return isEventKind(event.kind) && unreadableReason(event) === undefined;
}

/** True if an event is turned into (part of) a message for the model. */
export function isLlmConvertible(event: Event): event is LlmConvertibleEvent {
  return LLM.has(event.kind) && unreadableReason(event) === undefined;
}

/** True if an event answers a tool call. */
export function isObservationLike(event: Event): event is ObservationLikeEvent {
  return (
    isEvent(event, 'ObservationEvent') || isEvent(event, 'UserRejectObservation') || isEvent(event, 'AgentErrorEvent')
  );
}

/** True if appending an event makes it the conversation's HEAD: all but state updates, unknown kinds included. */
export function movesHead(event: Event): boolean {
  return !BESIDE.has(event.kind);
}

/** True if an event belongs in a log. Events that exist on sockets or in views alone do not; unknown kinds do. */
export function isStoredEvent(event: Event): boolean {
  const isFullState = event.kind === 'ConversationStateUpdateEvent' && 'key' in event && event.key === 'full_state';
  return !PASSING.has(event.kind) && !isFullState;
}
