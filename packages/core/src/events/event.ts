import type { z } from 'zod';
import { type ACPToolCallEvent, acpToolCallEventSchema } from './acp-tool-call-event.ts';
import { type ActionEvent, actionEventSchema } from './action-event.ts';
import {
  type Condensation,
  type CondensationRequest,
  type CondensationSummaryEvent,
  condensationRequestSchema,
  condensationSchema,
  condensationSummaryEventSchema,
} from './condensation.ts';
import {
  type ConversationErrorEvent,
  conversationErrorEventSchema,
  type ServerErrorEvent,
  serverErrorEventSchema,
} from './conversation-error.ts';
import { type ConversationStateUpdateEvent, conversationStateUpdateEventSchema } from './conversation-state-update.ts';
import { type HookExecutionEvent, hookExecutionEventSchema } from './hook-execution-event.ts';
import { type MessageEvent, messageEventSchema } from './message-event.ts';
import {
  type LLMCompletionLogEvent,
  llmCompletionLogEventSchema,
  type StreamingDeltaEvent,
  streamingDeltaEventSchema,
  type TokenEvent,
  tokenEventSchema,
} from './model-call-events.ts';
import {
  type AgentErrorEvent,
  agentErrorEventSchema,
  type ObservationEvent,
  observationEventSchema,
  type UserRejectObservation,
  userRejectObservationSchema,
} from './observation-event.ts';
import { type InterruptEvent, interruptEventSchema, type PauseEvent, pauseEventSchema } from './stop-events.ts';
import { type SystemPromptEvent, systemPromptEventSchema } from './system-prompt-event.ts';

/** An event whose kind and fields are those of the protocol; `kind` tells its members apart. */
export type KnownEvent =
  | SystemPromptEvent
  | MessageEvent
  | ActionEvent
  | ObservationEvent
  | UserRejectObservation
  | AgentErrorEvent
  | Condensation
  | CondensationRequest
  | CondensationSummaryEvent
  | ConversationStateUpdateEvent
  | ConversationErrorEvent
  | ServerErrorEvent
  | PauseEvent
  | InterruptEvent
  | HookExecutionEvent
  | LLMCompletionLogEvent
  | TokenEvent
  | StreamingDeltaEvent
  | ACPToolCallEvent;

/** The name of a known kind of event. */
export type EventKind = KnownEvent['kind'];

/** The known event of one kind. */
export type EventOfKind<Kind extends EventKind> = Extract<KnownEvent, { readonly kind: Kind }>;

/**
 * An event of a kind that is not known here, or one of a known kind whose fields are not as they should be
 * ({@link unreadableReason}). It is kept and handed on as it is; of the latter only `id` and `kind` are certain.
 */
export interface UnknownEvent {
  readonly id: string;
  readonly timestamp: string;
  readonly source: string;
  readonly parent_id?: string | null;
  readonly kind: string;
  readonly [field: string]: unknown;
}

/**
 * An event of a conversation: frozen plain JSON, exactly as it was written. Because an unknown event may carry any `kind`,
 * narrow with {@link isEvent} or {@link isKnownEvent}, not by comparing `kind`.
 */
export type Event = KnownEvent | UnknownEvent;

/** The schema of every known kind. Reading keeps unknown fields but not their order: use `parseEvent` for that. */
export const eventSchemas: { readonly [Kind in EventKind]: z.ZodType<EventOfKind<Kind>> } = {
  SystemPromptEvent: systemPromptEventSchema,
  MessageEvent: messageEventSchema,
  ActionEvent: actionEventSchema,
  ObservationEvent: observationEventSchema,
  UserRejectObservation: userRejectObservationSchema,
  AgentErrorEvent: agentErrorEventSchema,
  Condensation: condensationSchema,
  CondensationRequest: condensationRequestSchema,
  CondensationSummaryEvent: condensationSummaryEventSchema,
  ConversationStateUpdateEvent: conversationStateUpdateEventSchema,
  ConversationErrorEvent: conversationErrorEventSchema,
  ServerErrorEvent: serverErrorEventSchema,
  PauseEvent: pauseEventSchema,
  InterruptEvent: interruptEventSchema,
  HookExecutionEvent: hookExecutionEventSchema,
  LLMCompletionLogEvent: llmCompletionLogEventSchema,
  TokenEvent: tokenEventSchema,
  StreamingDeltaEvent: streamingDeltaEventSchema,
  ACPToolCallEvent: acpToolCallEventSchema,
};

/** True if a kind is one of the protocol's. */
export function isEventKind(kind: string): kind is EventKind {
  return Object.hasOwn(eventSchemas, kind);
}
