import type { LlmMessage } from '@conv/openhands/messages';
import { plainMessage } from '../../base/messages.ts';

/** The user message at the end of a request when the model had the last word. */
const GO_ON = 'Please go on: answer what above has not been answered yet, or continue the work.';

/**
 * Returns messages that end with a turn of the user or a tool. The model has the last word in two cases: a fork of a finished
 * conversation runs; or the log is of an earlier version, which stored a message before the answer during which it came.
 * Providers take such a request for the beginning of the next answer, or refuse it.
 */
export function closedMessages(messages: readonly LlmMessage[]): readonly LlmMessage[] {
  const last = messages.at(-1);
  if (last?.role !== 'assistant' || (last.tool_calls?.length ?? 0) > 0) return messages;
  return [...messages, plainMessage('user', GO_ON)];
}
