import { checks, type Conversation } from '@conv/core';
import { isText, joinedText, type ContentPart } from '@conv/core/events';
import { isObject } from '@conv/core/platform';
import {
  argumentsOf,
  branchItems,
  isClientCall,
  isFinish,
  waitsForPerson,
  type CallItem,
  type TurnItem,
} from '@conv/turns';

import { dataOf, decisionOf, filesIn, type UiChunk as UiPart } from './ui-chunk.ts';

/** A message as `useChat` keeps it. */
export interface UiMessage {
  readonly id: string;
  readonly role: 'user' | 'assistant';
  readonly parts: readonly UiPart[];
}

/**
 * Resolves with the messages of the live branch, for `useChat({ messages })`: each message of the user, and one message of the assistant with
 * everything that answers it, under the id that its stream has.
 */
export async function toUIMessages(
  conversation: Pick<Conversation, 'events' | 'state'>,
): Promise<readonly UiMessage[]> {
  if (!isObject(conversation) || !isObject(conversation['events']))
    throw checks.invalid(checks.wrongValue('toUIMessages: conversation', 'a conversation', conversation));
  const { events, state } = conversation;
  const messages: { id: string; role: 'user' | 'assistant'; parts: UiPart[] }[] = [];
  let user = 'nothing';
  for (const item of await branchItems(events, Infinity, state)) {
    if (item.kind === 'message' && item.from === 'user') {
      user = item.id;
      messages.push({ id: item.id, role: 'user', parts: contentParts(item.content) });
      continue;
    }
    const id = `answer-${user}`;
    if (messages.at(-1)?.id !== id) messages.push({ id, role: 'assistant', parts: [] });
    messages.at(-1)?.parts.push(...partsOf(item, item.kind === 'call' && waitsForPerson(item, state)));
  }
  return messages.filter(({ parts }) => parts.length > 0);
}

function partsOf(item: TurnItem, isAsked: boolean): readonly UiPart[] {
  switch (item.kind) {
    case 'answer': {
      const reasoning =
        item.reasoning === ''
          ? []
          : [{ type: 'reasoning', id: `${item.id}:reasoning`, text: item.reasoning, state: 'done' }];
      const text = item.text === '' ? [] : [{ type: 'text', text: item.text, state: 'done' }];
      return [...reasoning, ...text, ...filesIn(item.content)];
    }
    case 'call':
      return [...callPart(item, isAsked), ...decisionOf(item)];
    case 'condensation':
    case 'message':
      return [dataOf(item)];
    case 'error':
      return [];
  }
}

function callPart(call: CallItem, isAsked: boolean): readonly UiPart[] {
  const { actionId: toolCallId, tool: toolName, result } = call;
  if (isFinish(call) && !isAsked) return [];
  const part = {
    type: 'dynamic-tool',
    toolCallId,
    toolName,
    input: argumentsOf(call),
    providerExecuted: !isClientCall(call),
  };
  const text = result ? joinedText(result.content) : '';
  if (!result && !isAsked) return [{ ...part, state: 'input-available' }];
  if (!result) return [{ ...part, state: 'approval-requested', approval: { id: toolCallId } }];
  if (result.outcome === 'output') {
    return [{ ...part, state: 'output-available', output: text }, ...filesIn(result.content)];
  }
  if (result.outcome !== 'rejected') return [{ ...part, state: 'output-error', errorText: text }];
  return [{ ...part, state: 'output-denied', approval: { id: toolCallId, approved: false, reason: text } }];
}

/** Returns text and images as parts, in their order. */
function contentParts(content: readonly ContentPart[]): UiPart[] {
  return content.flatMap((part) => (isText(part) ? [{ type: 'text', text: part.text }] : filesIn([part])));
}
