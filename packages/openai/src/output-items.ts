import type { ConversationView } from '@conv/core';
import { joinedText } from '@conv/core/events';
import type { AnswerItem, CallItem, TurnItem } from '@conv/turns';

/** An item of a response's output. */
export type OutputItem = { readonly id: string; readonly type: string } & Readonly<Record<string, unknown>>;

/** The name of the conversation's own tools, which OpenAI's protocol knows as tools of a server. */
const SERVER_LABEL = 'conversation';

/** The state of calls. */
export type CallStates = Pick<ConversationView, 'calls' | 'pendingActions' | 'executionStatus'>;

/** Returns the items of the output that a turn's item is; none for a call that is neither waiting nor done. */
export function outputItems(item: TurnItem, state: CallStates): readonly OutputItem[] {
  if (item.kind === 'call') return callItems(item, state);
  if (item.kind !== 'answer') return [];
  return [...(item.reasoning === '' ? [] : [reasoningItem(item)]), ...(item.text === '' ? [] : [messageItem(item)])];
}

/** True if a person has to decide on a call. */
export function isAsked(
  { actionId, result, phase }: CallItem,
  { calls, pendingActions, executionStatus }: CallStates,
): boolean {
  if (result || executionStatus !== 'waiting_for_confirmation') return false;
  return phase === 'waiting' || (calls[actionId] === undefined && pendingActions.some(({ id }) => id === actionId));
}

/** True if a call is one of a function of the caller, which has begun and has no output yet. */
export function waitsForCaller(call: CallItem, state?: CallStates): boolean {
  const hasBegun = call.phase === 'started' || state?.calls[call.actionId] === 'started';
  return isFunctionCall(call) && !call.result && hasBegun;
}

/** True if a call is one of a function of the caller. */
export function isFunctionCall({
  action,
}: {
  readonly action?: { readonly kind: string } | null | undefined;
}): boolean {
  return action?.kind.startsWith('ClientAction_') === true;
}

/** Returns the text of an answer as a message. */
export function messageItem({ id, text }: Pick<AnswerItem, 'id' | 'text'>): OutputItem {
  const content = [{ type: 'output_text', text, annotations: [] }];
  return { id: `msg_${id}`, type: 'message', role: 'assistant', status: 'completed', content };
}

/** Returns the reasoning of an answer. */
export function reasoningItem({ id, reasoning }: Pick<AnswerItem, 'id' | 'reasoning'>): OutputItem {
  return { id: `rs_${id}`, type: 'reasoning', summary: [{ type: 'summary_text', text: reasoning }] };
}

function callItems(call: CallItem, state: CallStates): readonly OutputItem[] {
  const { actionId, tool: name, input, result } = call;
  const asked = isAsked(call, state);
  const given = { name, arguments: input, server_label: SERVER_LABEL };
  if (asked) return [{ id: actionId, type: 'mcp_approval_request', ...given }];
  if (isFunctionCall(call) && (result || waitsForCaller(call, state)))
    return [
      { id: `fc_${actionId}`, type: 'function_call', call_id: actionId, name, arguments: input, status: 'completed' },
    ];
  // a finish call is told as the answer that it gives
  if (!result || (call.action?.kind === 'FinishAction' && result.outcome === 'output')) return [];
  const text = joinedText(result.content);
  const [output, error] = result.outcome === 'output' ? [text, null] : [null, text];
  return [{ id: `mcp_${actionId}`, type: 'mcp_call', ...given, output, error }];
}
