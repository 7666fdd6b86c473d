import { type ConversationState, type StateFields, truncateMiddle } from '@conv/core';
import { drafts, type ActionEvent, type ErrorClassification, type EventDraft } from '@conv/core/events';
import { questions } from '@conv/openhands/client-tools';

import { handleOf } from './call-handles.ts';
import { childrenOfCall } from './children-at-work.ts';
import { withdrawnResult } from './questions.ts';
import { waitFor } from './resource-keys.ts';

const INTERNAL: ErrorClassification = { kind: 'internal', retryable: false, user_action: 'none' };
const TRY_AGAIN: ErrorClassification = { kind: 'internal', retryable: true, user_action: 'retry' };

/** Maximum characters of a resource's name that the model reads. */
const MAX_KEY = 500;

/** Result that the model reads for a call with an unknown outcome. */
const OUTCOME_UNKNOWN =
  'This tool call was interrupted before its result was recorded. Its outcome is unknown: it may have run in full, in part, or not at all. Check before repeating it.';

/** Result that the model reads for a call that was stopped before it began. */
const NOT_STARTED = 'This tool call was interrupted before it started. It had no effect.';

/**
 * Returns the result of a call that ended before its tool did. `mayHaveRun` is true if the tool may have begun. The result names
 * the child conversations of the call, which can be continued.
 */
export function interruptedResult(
  action: ActionEvent,
  mayHaveRun: boolean,
  fields: Pick<StateFields, 'id' | 'agentState' | 'clientTools'>,
): EventDraft {
  if (questions.isQuestion(fields, action)) return withdrawnResult(action);
  const hasBegun = mayHaveRun || handleOf(fields, action) !== undefined;
  return drafts.agentError(action, hasBegun ? OUTCOME_UNKNOWN + keptFor(action, fields) : NOT_STARTED, INTERNAL);
}

/** Returns the result with the ids of the call's children, if the call timed out or failed before they had ended. */
export function withChildren(
  result: EventDraft,
  action: ActionEvent,
  fields: Pick<StateFields, 'id' | 'agentState'>,
): EventDraft {
  return result.kind === 'AgentErrorEvent' ? { ...result, error: result.error + keptFor(action, fields) } : result;
}

function keptFor({ tool_call_id: call }: ActionEvent, fields: Pick<StateFields, 'id' | 'agentState'>): string {
  const children = childrenOfCall(fields, call).map((id) => JSON.stringify(id));
  return children.length > 0
    ? ` Its sub-conversations are kept and can be continued by id: ${children.join(', ')}.`
    : '';
}

/** Returns the result of a call that failed outside its tool. */
export function failedResult(action: ActionEvent, reason: string): EventDraft {
  return drafts.agentError(action, reason, INTERNAL);
}

/** Returns the result of a call that did not run because the call `holder` kept its resource. */
export function gaveUpResult(
  action: ActionEvent,
  key: string,
  holder: ActionEvent,
  { mask }: Pick<ConversationState, 'mask'>,
): EventDraft {
  // mask before the cut, because half a value is not recognised
  const name = truncateMiddle(mask.text(key), MAX_KEY);
  const reason = `This tool call did not run. It waited ${waitFor(key) / 1000} seconds for '${name}', which a call of '${holder.tool_name}' still uses. Try again when that call has ended.`;
  return drafts.agentError(action, reason, TRY_AGAIN);
}
