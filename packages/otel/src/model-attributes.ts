import type { CallRecord } from '@conv/core/store';

import type { WorkingConversation } from './work/commit-observer.ts';

/** Returns the attributes that name the model of a call, such as `openai/gpt-5`. */
export function modelAttributes({ model }: Pick<CallRecord, 'model'>): Record<string, string> {
  const slash = model.indexOf('/');
  return {
    'gen_ai.provider.name': slash > 0 ? model.slice(0, slash) : 'unknown',
    'gen_ai.request.model': model.slice(slash + 1),
  };
}

/** Returns the attributes of a call of a model. */
export function chatAttributes({ id }: WorkingConversation, call: CallRecord): Record<string, string | number> {
  return {
    'gen_ai.operation.name': 'chat',
    ...modelAttributes(call),
    'gen_ai.conversation.id': id,
    'gen_ai.response.id': call.responseId,
    'gen_ai.usage.input_tokens': call.promptTokens,
    'gen_ai.usage.output_tokens': call.completionTokens,
    'gen_ai.usage.cache_read.input_tokens': call.cacheReadTokens,
    'gen_ai.usage.cache_creation.input_tokens': call.cacheWriteTokens,
    'gen_ai.usage.reasoning.output_tokens': call.reasoningTokens,
    'conv.usage.id': call.usageId,
    'conv.usage.cost_usd': call.cost,
  };
}
