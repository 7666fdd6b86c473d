import type { CallRecord } from '@conv/core/store';

/** A call of a model. */
export const record: CallRecord = {
  kind: 'model_call',
  usageId: 'agent',
  model: 'anthropic/model',
  cost: 0.5,
  promptTokens: 10,
  completionTokens: 5,
  cacheReadTokens: 2,
  cacheWriteTokens: 1,
  reasoningTokens: 0,
  contextWindow: 0,
  latency: 2,
  responseId: 'response-1',
  timestamp: 1_000_000,
};
