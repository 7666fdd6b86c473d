import type { TextContent } from './content.ts';
import type { ErrorClassification } from './common-fields.ts';
import type { EventDraftOfKind } from './event.ts';

type Optional<Fields, Key extends keyof Fields> = Omit<Fields, Key | 'source' | 'kind'> & Partial<Pick<Fields, Key>>;

/** Fields of a tool call; what is left out is empty or, for the risk, UNKNOWN. */
export type ActionFields = Optional<EventDraftOfKind<'ActionEvent'>, 'thought'>;

/** Drafts a tool call of the agent. Without `action` it cannot be executed. */
export function action(fields: ActionFields): EventDraftOfKind<'ActionEvent'> {
  return {
    source: 'agent',
    thought: [],
    thinking_blocks: [],
    security_risk: 'UNKNOWN',
    ...fields,
    kind: 'ActionEvent',
  };
}

/** The call that an answer belongs to: an action event, or what is known of one. */
export interface AnsweredCall {
  /** Id of the action event. */
  readonly id: string;
  readonly tool_name: string;
  readonly tool_call_id: string;
}

/** The result of an executed call. */
export function observation(
  call: AnsweredCall,
  result: EventDraftOfKind<'ObservationEvent'>['observation'],
  extendedContent: readonly TextContent[] = [],
): EventDraftOfKind<'ObservationEvent'> {
  return {
    source: 'environment',
    tool_name: call.tool_name,
    tool_call_id: call.tool_call_id,
    observation: { content: [], is_error: false, ...result },
    action_id: call.id,
    extended_content: extendedContent,
    kind: 'ObservationEvent',
  };
}

/** The result of a call that was not allowed to run. */
export function userReject(
  call: AnsweredCall,
  reason = 'User rejected the action',
  source: 'user' | 'hook' = 'user',
): EventDraftOfKind<'UserRejectObservation'> {
  return {
    source: 'environment',
    tool_name: call.tool_name,
    tool_call_id: call.tool_call_id,
    rejection_reason: reason,
    rejection_source: source,
    action_id: call.id,
    kind: 'UserRejectObservation',
  };
}

/** The result of a call that failed outside its tool. Default classification: unknown, not retryable. */
export function agentError(
  call: Omit<AnsweredCall, 'id'>,
  error: string,
  classification: ErrorClassification = { kind: 'unknown', retryable: false, user_action: 'none' },
): EventDraftOfKind<'AgentErrorEvent'> {
  return {
    source: 'agent',
    tool_name: call.tool_name,
    tool_call_id: call.tool_call_id,
    error,
    classification,
    kind: 'AgentErrorEvent',
  };
}
