import { textContent } from '@conv/core/events';
import type { LlmMessage } from '@conv/core/messages';

/** What stands at the end of a request when the model had the last word, as a user would say it. */
const GO_ON = 'Please go on: answer what above has not been answered yet, or continue the work.';

/**
 * Messages that end with somebody else's turn. The model has the last word when a message came while it was answering, which
 * is stored before that answer, and when a fork of a finished conversation runs; providers take such a request for the
 * beginning of the next answer, or refuse it.
 */
export function closedMessages(messages: readonly LlmMessage[]): readonly LlmMessage[] {
  const last = messages.at(-1);
  if (last?.role !== 'assistant' || (last.tool_calls?.length ?? 0) > 0) return messages;
  return [...messages, { role: 'user', content: [textContent(GO_ON)], thinking_blocks: [] }];
}
