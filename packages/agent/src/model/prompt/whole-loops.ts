import type { LlmMessage } from '@conv/openhands/messages';
import type { ModelApi } from '../model.ts';
import { reasoningItemsOf, type ThoughtfulMessage } from './reasoning-items.ts';
import { defined } from '../../base/defined.ts';

/**
 * Returns messages in which the thinking of each tool loop is complete, as it was signed, or absent. A loop is all
 * messages between two messages of the user. A block loses its signature when a secret in it is masked, and the present
 * model cannot read the thinking of other models; providers refuse a loop of which a part is missing.
 */
export function wholeLoops(
  messages: readonly LlmMessage[],
  api: ModelApi,
  isUnreadable: (message: LlmMessage) => boolean = () => false,
): readonly LlmMessage[] {
  if (api !== 'messages' && api !== 'responses') return messages;
  const lacksPart = api === 'messages' ? lacksSignature : lacksContent;
  const isBroken = (message: LlmMessage): boolean => lacksPart(message) || isUnreadable(message);
  if (!messages.some(isBroken)) return messages;
  let loop = 0;
  const loops = messages.map(({ role }) => (role === 'user' ? (loop += 1) : loop));
  const broken = new Set(loops.filter((_, index) => messages[index] !== undefined && isBroken(messages[index])));
  return messages.map((message, index) => (broken.has(loops[index] ?? -1) ? withoutThinking(message) : message));
}

function lacksSignature({ thinking_blocks: blocks }: LlmMessage): boolean {
  return blocks.some((block) => !('data' in block) && !block.signature);
}

function lacksContent(message: LlmMessage): boolean {
  return reasoningItemsOf(message).some((item) => !item.id || !item.encrypted_content);
}

/** Returns a message without its thinking, and without the ids that tell a provider of thinking before the calls. */
function withoutThinking(message: ThoughtfulMessage): LlmMessage {
  const { responses_reasoning_item: _, laterReasoning: ___, tool_calls: calls, ...rest } = message;
  return {
    ...rest,
    thinking_blocks: [],
    ...defined({ tool_calls: calls?.map(({ responses_item_id: __, ...call }) => call) }),
  };
}
