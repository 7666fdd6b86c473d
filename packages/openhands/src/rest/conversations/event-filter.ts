import { z } from 'zod';
import type { EventKind } from '@conv/core/events';
import { documented, integer, localDateTime, named, orNull, OURS, request } from '../../schema/index.ts';

/** The modules of OpenHands that define events, by kind: a filter may name a kind by its dotted path. */
const MODULES: Readonly<Record<EventKind, string>> = {
  SystemPromptEvent: 'sdk.event.llm_convertible.system',
  MessageEvent: 'sdk.event.llm_convertible.message',
  ActionEvent: 'sdk.event.llm_convertible.action',
  ObservationEvent: 'sdk.event.llm_convertible.observation',
  UserRejectObservation: 'sdk.event.llm_convertible.observation',
  AgentErrorEvent: 'sdk.event.llm_convertible.observation',
  Condensation: 'sdk.event.condenser',
  CondensationRequest: 'sdk.event.condenser',
  CondensationSummaryEvent: 'sdk.event.condenser',
  ConversationStateUpdateEvent: 'sdk.event.conversation_state',
  ConversationErrorEvent: 'sdk.event.conversation_error',
  ServerErrorEvent: 'agent_server.models',
  PauseEvent: 'sdk.event.user_action',
  InterruptEvent: 'sdk.event.user_action',
  HookExecutionEvent: 'sdk.event.hook_execution',
  SecurityAnalysisEvent: 'sdk.event.security',
  LLMCompletionLogEvent: 'sdk.event.llm_completion_log',
  TokenEvent: 'sdk.event.token',
  StreamingDeltaEvent: 'sdk.event.streaming_delta',
  ACPToolCallEvent: 'sdk.event.acp_tool_call',
};

const kindOfPath: ReadonlyMap<string, string> = new Map(
  Object.entries(MODULES).map(([kind, module]) => [`openhands.${module}.${kind}`, kind]),
);

const filter = {
  /** The name of a kind. A client may also give the dotted path that OpenHands' server knows it by. */
  kind: orNull(z.string().transform((kind) => kindOfPath.get(kind) ?? kind)),
  source: orNull(z.string()),
  /** Text that a message contains, upper or lower case. */
  body: orNull(z.string()),
  /** Text that people or the model read of an event of any kind, upper or lower case. A page looks at 20,000 events at most. */
  text: documented(orNull(z.string()), OURS),
  /** Naive local time with six fraction digits, to be compared as a text; included. */
  timestamp__gte: orNull(localDateTime),
  /** As `timestamp__gte`, excluded. */
  timestamp__lt: orNull(localDateTime),
};

export const eventFilterSchema = request(filter);

/** Which events are meant; every part must be met. */
export type EventFilter = z.output<typeof eventFilterSchema>;

export const searchEventsQuerySchema = request({
  ...filter,
  /** The id of an event: the page begins with it. */
  page_id: orNull(z.string()),
  /** 1 to 100. */
  limit: integer({ above: 0, maximum: 100 }).default(100),
  /** The order of the log, or its reverse. */
  sort_order: named('EventSortOrder', z.enum(['TIMESTAMP', 'TIMESTAMP_DESC'])).default('TIMESTAMP'),
});

/** Which events to list. */
export type SearchEventsQuery = z.output<typeof searchEventsQuerySchema>;
