import { initialFields, type ConversationView, type UsageMetrics } from '@conv/core';
import type { Event } from '@conv/core/events';
import { type CallRecord, toCommitSeq, toEventIndex } from '@conv/core/store';
import type { HtmlSource } from '../src/index.ts';

const usage: UsageMetrics = {
  modelName: 'claude-sonnet-4-5',
  cost: 0.0312,
  calls: 7,
  promptTokens: 41_234,
  completionTokens: 1_234,
  cacheReadTokens: 30_000,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  contextWindow: 200_000,
  perTurnTokens: 0,
  lastResponseId: '',
};

const record: CallRecord = {
  kind: 'model_call',
  usageId: 'agent',
  model: 'claude-sonnet-4-5',
  cost: 0.01,
  promptTokens: 900,
  completionTokens: 100,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  contextWindow: 200_000,
  latency: 1.5,
  responseId: '',
  timestamp: 0,
};

/** A conversation of these events, as an export reads it; each event of the agent has cost one cent. */
export function pageSource(events: readonly Event[], fields: Partial<ConversationView> = {}): HtmlSource {
  const id = '2b0c2c0e-6f5b-4c0a-9a57-0d9d5a3f8a11';
  const state = {
    ...initialFields,
    id,
    title: 'Make the greeting friendlier',
    createdAt: '2026-11-20T09:00:00.000Z',
    executionStatus: 'finished',
    workspace: { kind: 'LocalWorkspace', workingDir: '/home/ada/greeter' },
    stats: { agent: usage },
    leafEventId: events.at(-1)?.id ?? null,
    ...fields,
  } as ConversationView;
  return {
    id,
    state,
    events: { slice: () => Promise.resolve(events) },
    history: {
      async *commits() {
        for (const [index, event] of events.entries())
          yield {
            id: event.id,
            seq: toCommitSeq(index),
            epoch: 1,
            firstEvent: toEventIndex(index),
            events: [event],
            ...(event.source === 'agent' ? { records: [record] } : {}),
          };
      },
    },
  };
}
