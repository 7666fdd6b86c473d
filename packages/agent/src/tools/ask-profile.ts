import type { Platform } from '@conv/core/platform';
import { type ToolContext, ToolError } from '@conv/core/tool';
import type { LlmMessage } from '@conv/openhands/messages';
import { maskTextOf } from '../base/mask-text.ts';
import { saidIn } from '../base/messages.ts';
import { complete } from '../model/completion/complete.ts';
import { forConversation } from '../model/for-conversation.ts';
import type { Model } from '../model/model.ts';

/** A question of a tool to a model. */
export interface ProfileQuestion {
  readonly model: Model;
  /** The name under which the cost is counted. */
  readonly usageId: string;
  readonly messages: readonly LlmMessage[];
  readonly platform: Platform;
}

/**
 * Asks a model for a tool, at the cost of its conversation. Resolves with the text of the answer. Rejects `LlmError`, {@link ToolError} where
 * tools cannot ask models, or `signal.reason` untouched.
 */
export async function askProfile(
  { model, usageId, messages, platform }: ProfileQuestion,
  call: ToolContext,
): Promise<string> {
  const { askModel, signal, conversationId } = call;
  if (askModel === undefined) throw new ToolError('UNSUPPORTED', 'Tools cannot ask models in this runtime.');
  const asked = forConversation(model, conversationId);
  const mask = maskTextOf(call);
  const { message } = await askModel(() => complete(asked, { platform, messages, usageId, mask, signal }), signal);
  return saidIn(message).trim();
}
