import type { ConversationView } from '@conv/core';
import { joinedText } from '@conv/core/events';
import {
  isClientCall,
  isFinish,
  waitsForClient,
  waitsForPerson,
  type AnswerItem,
  type CallItem,
  type TurnItem,
} from '@conv/turns';

/** An item of a response's output. */
export type OutputItem = { readonly id: string; readonly type: string } & Readonly<Record<string, unknown>>;

/** The name of the conversation's own tools, which OpenAI's protocol knows as tools of a server. */
const SERVER_LABEL = 'conversation';

/** The state of calls. */
export type CallStates = Pick<ConversationView, 'calls' | 'pendingActions' | 'executionStatus'>;

/**
 * Returns the items of the output that a turn's item is; none for a call that is neither waiting nor done, and for a call of the turn
 * before that its client has answered: clients execute each call that they are told. `after` is the event that the turn comes after.
 */
export function outputItems(item: TurnItem, state: CallStates, after: number): readonly OutputItem[] {
  if (item.kind === 'call') return callItems(item, state, after);
  if (item.kind !== 'answer') return [];
  return [...(item.reasoning === '' ? [] : [reasoningItem(item)]), ...(item.text === '' ? [] : [messageItem(item)])];
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

function callItems(call: CallItem, state: CallStates, after: number): readonly OutputItem[] {
  const { actionId, tool: name, input, result } = call;
  const given = { name, arguments: input, server_label: SERVER_LABEL };
  if (waitsForPerson(call, state)) return [{ id: actionId, type: 'mcp_approval_request', ...given }];
  if (isClientCall(call) && (result ? call.index > after : waitsForClient(call, state.calls)))
    return [
      { id: `fc_${actionId}`, type: 'function_call', call_id: actionId, name, arguments: input, status: 'completed' },
    ];
  if (!result || isClientCall(call) || isFinish(call)) return [];
  const text = joinedText(result.content);
  const [output, error] = result.outcome === 'output' ? [text, null] : [null, text];
  return [{ id: `mcp_${actionId}`, type: 'mcp_call', ...given, output, error }];
}
