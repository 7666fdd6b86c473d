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
export type { ActionEvent } from './action-event.ts';
export type { ACPToolCallEvent } from './acp-tool-call-event.ts';
export { byKind, type EventHandlers, narrowEvent, type NarrowedEvent, type UnreadEvent } from './by-kind.ts';
export { classifyError } from './classify-error.ts';
export { type Clock, type ClockOptions, createClock, localTimestamp } from './clock.ts';
export type { Condensation, CondensationRequest, CondensationSummaryEvent } from './condensation.ts';
export {
  type ContentPart,
  contentParts,
  contentPartSchema,
  imageContent,
  type ImageContent,
  isText,
  textContent,
  type TextContent,
} from './content.ts';
export {
  condensation,
  condensationRequest,
  conversationError,
  hookExecution,
  interrupt,
  pause,
  stateUpdate,
  systemPrompt,
} from './conversation-drafts.ts';
export type { ConversationErrorEvent, ServerErrorEvent } from './conversation-error.ts';
export type { ConversationStateUpdateEvent } from './conversation-state-update.ts';
export type { CriticResult } from './critic-result.ts';
export type { ErrorClassification } from './error-classification.ts';
export {
  type Event,
  type EventKind,
  type EventOfKind,
  eventSchemas,
  isEventKind,
  type KnownEvent,
  type UnknownEvent,
} from './event.ts';
export { type EventSource, ROOT_PARENT } from './event-base.ts';
export type { EventDraft, EventDraftOfKind } from './event-draft.ts';
export { EventError, type EventErrorOptions, isEventError } from './event-error.ts';
export { eventBytes, eventToJson, MAX_EVENT_BYTES } from './event-json.ts';
export { EVENT_KINDS, type EventKindTraits } from './event-kinds.ts';
export { type GoalStatus, goalStatusSchema, type GoalVerdict } from './goal-status.ts';
export {
  isEvent,
  isKnownEvent,
  isLlmConvertible,
  isObservationLike,
  isStoredEvent,
  type LlmConvertibleEvent,
  movesHead,
  type ObservationLikeEvent,
} from './guards.ts';
export type { FinishAction } from './built-in-tools.ts';
export { type FinishCall, isFinishCall, isFinishResult } from './finish.ts';
export type { HookExecutionEvent } from './hook-execution-event.ts';
export type { JsonObject, Json } from '../platform/json.ts';
export { type Message, messageSchema, type MessageToolCall } from './message.ts';
export {
  agentMessage,
  type AgentReply,
  environmentMessage,
  type MessageContent,
  type MessageExtras,
  userMessage,
} from './message-drafts.ts';
export type { MessageEvent } from './message-event.ts';
export { type SchemaChoice, schemaChoiceOf } from './model.ts';
export type { LLMCompletionLogEvent, StreamingDeltaEvent, TokenEvent } from './model-call-events.ts';
export { isObservation, type Observation, type ObservationOfKind } from './observation.ts';
export type { AgentErrorEvent, ObservationEvent, UserRejectObservation } from './observation-event.ts';
export { parseEvent, readEvent } from './parse-event.ts';
export type { PlainThinkingBlock, ReasoningItem, RedactedThinkingBlock, ThinkingBlock } from './reasoning.ts';
export type { SecurityRisk } from './security-risk.ts';
export { type EventStamp, stampEvent } from './stamp-event.ts';
export type { InterruptEvent, PauseEvent } from './stop-events.ts';
export type { SystemPromptEvent } from './system-prompt-event.ts';
export type { TaskItem } from './task-tracker-tool.ts';
export {
  action,
  type ActionFields,
  agentError,
  type AnsweredCall,
  observation,
  userReject,
} from './tool-call-drafts.ts';
export type { ToolDefinition } from './tool-definition.ts';
export { unreadableReason } from './unreadable.ts';
