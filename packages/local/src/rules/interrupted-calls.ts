import type { ConversationState, StateFields } from '@conv/core';
import { agentError, type ActionEvent, type ErrorClassification, type EventDraft } from '@conv/core/events';
import { truncateMiddle } from '@conv/core/messages';

import { childrenOfCall } from './children-at-work.ts';
import { waitFor } from './resource-keys.ts';

const INTERNAL: ErrorClassification = { kind: 'internal', retryable: false, user_action: 'none' };
const TRY_AGAIN: ErrorClassification = { kind: 'internal', retryable: true, user_action: 'retry' };

/** Characters of a resource's name that a model reads. */
const MAX_KEY = 500;

/** What the model reads as the result of a call whose end nobody saw. */
const OUTCOME_UNKNOWN =
  'This tool call was interrupted before its result was recorded. Its outcome is unknown: it may have run in full, in part, or not at all. Check before repeating it.';

/** What the model reads as the result of a call that was stopped before it began. */
const NOT_STARTED = 'This tool call was interrupted before it started. It had no effect.';

/**
 * The result of a call that ended before its tool did: `mayHaveRun` says whether the tool may have begun. It names the
 * conversations that worked for the call, which go on from where they were.
 */
export function interruptedResult(
  action: ActionEvent,
  mayHaveRun: boolean,
  fields: Pick<StateFields, 'id' | 'agentState'>,
): EventDraft {
  return agentError(action, mayHaveRun ? OUTCOME_UNKNOWN + keptFor(action, fields) : NOT_STARTED, INTERNAL);
}

/** The result of a call that took too long, or failed before what worked for it had ended: with the ids of that. */
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
    ? ` What worked for it is kept and can be taken up again by id: ${children.join(', ')}.`
    : '';
}

/** The result of a call that failed around its tool. */
export function failedResult(action: ActionEvent, reason: string): EventDraft {
  return agentError(action, reason, INTERNAL);
}

/** The result of a call that did not run because `holder` kept what it needs for itself. */
export function gaveUpResult(
  action: ActionEvent,
  key: string,
  holder: ActionEvent,
  { mask }: Pick<ConversationState, 'mask'>,
): EventDraft {
  // half a value is not recognised: it is masked before it is cut
  const name = truncateMiddle(mask.text(key), MAX_KEY);
  const reason = `This tool call did not run. It waited ${waitFor(key) / 1000} seconds for '${name}', which a call of '${holder.tool_name}' still uses. Try again when that has ended.`;
  return agentError(action, reason, TRY_AGAIN);
}
