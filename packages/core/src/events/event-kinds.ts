import type { EventKind } from './event.ts';
import type { EventSource } from './event-base.ts';

/** The traits of one kind of event, as the protocol names them. */
export interface EventKindTraits {
  /** The source of such an event unless said otherwise; null when there is no default. */
  readonly source: EventSource | null;
  /** True if it becomes (part of) a message for the model. */
  readonly llm: boolean;
  /** True if it is appended to the log; a state update with key `full_state` is not. */
  readonly disk: boolean;
  /** True if appending it moves HEAD. */
  readonly head: boolean;
  /** The name by which the `kind` filter of the REST interface calls it. */
  readonly dottedPath: string;
}

const EVENT_MODULE = 'openhands.sdk.event';
const LLM = { llm: true, disk: true, head: true } as const;
const LOG = { llm: false, disk: true, head: true } as const;
const SOCKET = { llm: false, disk: false, head: false } as const;

/** Every kind of event and its traits. */
export const EVENT_KINDS: { readonly [Kind in EventKind]: EventKindTraits } = {
  SystemPromptEvent: {
    source: 'agent',
    ...LLM,
    dottedPath: `${EVENT_MODULE}.llm_convertible.system.SystemPromptEvent`,
  },
  MessageEvent: { source: null, ...LLM, dottedPath: `${EVENT_MODULE}.llm_convertible.message.MessageEvent` },
  ActionEvent: { source: 'agent', ...LLM, dottedPath: `${EVENT_MODULE}.llm_convertible.action.ActionEvent` },
  ObservationEvent: {
    source: 'environment',
    ...LLM,
    dottedPath: `${EVENT_MODULE}.llm_convertible.observation.ObservationEvent`,
  },
  UserRejectObservation: {
    source: 'environment',
    ...LLM,
    dottedPath: `${EVENT_MODULE}.llm_convertible.observation.UserRejectObservation`,
  },
  AgentErrorEvent: {
    source: 'agent',
    ...LLM,
    dottedPath: `${EVENT_MODULE}.llm_convertible.observation.AgentErrorEvent`,
  },
  Condensation: { source: 'environment', ...LOG, dottedPath: `${EVENT_MODULE}.condenser.Condensation` },
  CondensationRequest: { source: 'environment', ...LOG, dottedPath: `${EVENT_MODULE}.condenser.CondensationRequest` },
  CondensationSummaryEvent: {
    source: 'environment',
    ...LLM,
    disk: false,
    dottedPath: `${EVENT_MODULE}.condenser.CondensationSummaryEvent`,
  },
  ConversationStateUpdateEvent: {
    source: 'environment',
    ...LOG,
    head: false,
    dottedPath: `${EVENT_MODULE}.conversation_state.ConversationStateUpdateEvent`,
  },
  ConversationErrorEvent: {
    source: null,
    ...LOG,
    dottedPath: `${EVENT_MODULE}.conversation_error.ConversationErrorEvent`,
  },
  ServerErrorEvent: { source: null, ...SOCKET, dottedPath: 'openhands.agent_server.models.ServerErrorEvent' },
  PauseEvent: { source: 'user', ...LOG, dottedPath: `${EVENT_MODULE}.user_action.PauseEvent` },
  InterruptEvent: { source: 'user', ...LOG, dottedPath: `${EVENT_MODULE}.user_action.InterruptEvent` },
  HookExecutionEvent: { source: 'hook', ...LOG, dottedPath: `${EVENT_MODULE}.hook_execution.HookExecutionEvent` },
  LLMCompletionLogEvent: {
    source: 'environment',
    ...LOG,
    dottedPath: `${EVENT_MODULE}.llm_completion_log.LLMCompletionLogEvent`,
  },
  TokenEvent: { source: null, ...LOG, dottedPath: `${EVENT_MODULE}.token.TokenEvent` },
  StreamingDeltaEvent: {
    source: 'agent',
    ...SOCKET,
    dottedPath: `${EVENT_MODULE}.streaming_delta.StreamingDeltaEvent`,
  },
  ACPToolCallEvent: { source: 'agent', ...LOG, dottedPath: `${EVENT_MODULE}.acp_tool_call.ACPToolCallEvent` },
};
