import type { ConversationView, MessagePart } from '@conv/core';
import { joinedText } from '@conv/core/events';

import { isQuestion } from './call-facts.ts';
import type { Decision } from './client-request.ts';
import type { TurnItem } from './turn-item.ts';

/**
 * Returns words as the answer to the newest question to the user in a turn (`ask_user`) that waits, or that the same words have answered: a
 * repetition is no other answer. `undefined` if there is none, and for content that is not text alone.
 */
export function answerToQuestion(
  items: readonly TurnItem[],
  state: Pick<ConversationView, 'clientTools'>,
  content: readonly MessagePart[],
): Decision | undefined {
  const texts = content.flatMap((part) => (typeof part === 'object' && 'text' in part ? [part.text] : []));
  if (texts.length === 0 || texts.length < content.length) return undefined;
  const output = texts.join('\n');
  const questions = items.flatMap((item) =>
    item.kind === 'call' && isQuestion(state, { tool_name: item.tool }) ? [item] : [],
  );
  const asked = questions.findLast(({ result }) => !result || joinedText(result.content) === output);
  return asked && { actionId: asked.actionId, output };
}
