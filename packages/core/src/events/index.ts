/**
 * The events of a conversation: what they look like, how bytes become events, and how new ones are made.
 *
 * An event is deeply frozen plain JSON with the field names of the wire. {@link parseEvent} checks a decoded value once;
 * {@link readEvent} does so for stored history, where no odd event may stand in the way of the others. Kinds and fields
 * that are not known here are kept and handed on. New events are drafts first ({@link userMessage} and so on), and become
 * events when a log gives them id, time and parent ({@link stampEvent}).
 *
 * @packageDocumentation
 */
import '../platform/needs-node.ts';

export { type Action, type ActionOfKind, isAction } from './action.ts';
export { byKind, narrowEvent } from './by-kind.ts';
export { createClock, localTimestamp } from './clock.ts';
export type { ErrorClassification } from './common-fields.ts';
export {
  type ContentPart,
  contentParts,
  contentPartSchema,
  imageContent,
  isText,
  joinedText,
  textContent,
} from './content.ts';
export {
  condensation,
  condensationRequest,
  conversationError,
  hookExecution,
  interrupt,
  pause,
  systemPrompt,
} from './conversation-drafts.ts';
export type { ActionEvent, Event, EventDraft, EventDraftOfKind, EventKind, EventOfKind } from './event.ts';
export { eventSchemas, type KnownEvent, type MessageEvent, type ObservationEvent } from './event.ts';
export { ROOT_PARENT } from './event-base.ts';
export { isEventError } from './event-error.ts';
export { eventBytes, eventToJson, MAX_EVENT_BYTES } from './event-json.ts';
export { type FinishCall, isFinishCall, isFinishResult } from './finish.ts';
export { type GoalStatus, goalStatusSchema, type GoalVerdict } from './goal-status.ts';
export { isEvent, isKnownEvent, isLlmConvertible, isObservationLike, isStoredEvent, movesHead } from './guards.ts';
export type { LlmConvertibleEvent, ObservationLikeEvent } from './guards.ts';
export type { JsonObject, Json } from '../platform/json.ts';
export type { MessageToolCall } from './message.ts';
export { agentMessage, environmentMessage, userMessage } from './message-drafts.ts';
export { schemaChoiceOf } from './model.ts';
export { isObservation, type Observation } from './observation.ts';
export { parseEvent, readEvent } from './parse-event.ts';
export type { ReasoningItem, ThinkingBlock } from './reasoning.ts';
export { stampEvent } from './stamp-event.ts';
export type { SecurityRisk } from './tool-call-events.ts';
export { action, agentError, observation, userReject } from './tool-call-drafts.ts';
export type { ToolDefinition } from './tool-definition.ts';
export { unreadableReason } from './unreadable.ts';
export type { ActionKind } from './action.ts';
export type { EventHandlers, NarrowedEvent, UnreadEvent } from './by-kind.ts';
export type { Clock, ClockOptions } from './clock.ts';
export type { ImageContent, TextContent } from './content.ts';
export type { EventError } from './event-error.ts';
export type { UnknownEvent } from './event.ts';
export type { AgentReply, MessageContent, MessageExtras } from './message-drafts.ts';
export type { SchemaChoice } from './model.ts';
export type { ObservationKind, ObservationOfKind } from './observation.ts';
export type { EventStamp } from './stamp-event.ts';
export type { ActionFields, AnsweredCall } from './tool-call-drafts.ts';
