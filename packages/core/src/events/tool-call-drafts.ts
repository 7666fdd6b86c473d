import type { TextContent } from './content.ts';
import type { ErrorClassification } from './common-fields.ts';
import type { ActionEvent, EventDraftOfKind } from './event.ts';

/**
 * Drafts a tool call of the agent. Without `action` it cannot be executed. Omitted fields are empty; an omitted risk is UNKNOWN.
 */
export function action(
  fields: Omit<EventDraftOfKind<'ActionEvent'>, 'thought' | 'source' | 'kind'> &
    Partial<Pick<EventDraftOfKind<'ActionEvent'>, 'thought'>>,
): EventDraftOfKind<'ActionEvent'> {
  return {
    source: 'agent',
    thought: [],
    thinking_blocks: [],
    security_risk: 'UNKNOWN',
    ...fields,
    kind: 'ActionEvent',
  };
}

/** The result of an executed call. */
export function observation(
  call: Pick<ActionEvent, 'id' | 'tool_name' | 'tool_call_id'>,
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
  call: Pick<ActionEvent, 'id' | 'tool_name' | 'tool_call_id'>,
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
  call: Pick<ActionEvent, 'tool_name' | 'tool_call_id'>,
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
