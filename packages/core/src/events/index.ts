/**
 * The events of a conversation: their schemas, reading them from JSON, and making new ones.
 *
 * An event is deeply frozen plain JSON with the field names of the wire. {@link parseEvent} checks a decoded value once;
 * {@link readEvent} does so for stored history, where one invalid event must not make the others unreadable. Unknown kinds and fields
 * are kept and passed on. New events are drafts first ({@link userMessage} and so on), and become events when a log gives them
 * id, time and parent ({@link stampEvent}).
 *
 * @packageDocumentation
 */
import '../platform/needs-node.ts';

export { type Action, isAction } from './action.ts';
export { createClock, localTimestamp } from './timestamp.ts';
export type { ErrorClassification } from './common-fields.ts';
export {
  type ContentPart,
  contentParts,
  imageContent,
  isText,
  joinedText,
  textContent,
  type TextContent,
} from './content.ts';
export {
  type ActionEvent,
  type Event,
  type EventDraft,
  type EventDraftOfKind,
  type EventKind,
  type EventOfKind,
  eventSchemas,
  type KnownEvent,
  type MessageEvent,
  type ObservationEvent,
  type UnknownEvent,
} from './event.ts';
export { ROOT_PARENT } from './event-base.ts';
export { eventBytes, eventToJson, MAX_EVENT_BYTES } from './event-json.ts';
export type { GoalStatus, GoalVerdict } from './goal-status.ts';
export { isEvent, type LlmConvertibleEvent, type ObservationLikeEvent } from './guards.ts';
export type { JsonObject, Json } from '../platform/json.ts';
export type { MessageToolCall } from './message.ts';
export { agentMessage, userMessage } from './message-drafts.ts';
export { narrowEvent, type UnreadEvent } from './narrow-event.ts';
export { isObservation, type Observation } from './observation.ts';
export { parseEvent, readEvent } from './parse-event.ts';
export type { ReasoningItem, ThinkingBlock } from './reasoning.ts';
export { stampEvent } from './stamp-event.ts';
export type { SecurityRisk } from './tool-call-events.ts';
export type { ToolDefinition } from './tool-definition.ts';
export type { EventError } from './event-error.ts';
export * as drafts from './drafts.ts';
export * as eventGuards from './event-guards.ts';
export * as partSchemas from './part-schemas.ts';
export type { FinishCall } from './finish.ts';
