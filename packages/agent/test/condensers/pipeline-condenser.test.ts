import { drafts } from '@conv/core/events';
import { systemPlatform } from '@conv/core/platform';
import { expect, test } from 'vitest';
import {
  type CondenseOptions,
  type Condenser,
  llmSummarizingCondenser,
  noCondenser,
  pipelineCondenser,
} from '../../src/index.ts';
import { History } from '../support/history.ts';
import { scriptedModel } from '../support/scripted-model.ts';

const input: CondenseOptions = {
  view: new History().view,
  requested: true,
  reset: true,
  model: scriptedModel([]),
  conversationId: 'a-conversation',
  lastCall: undefined,
  mask: (text) => text,
  platform: systemPlatform,
  signal: new AbortController().signal,
};

function witness(name: string, condenses: boolean, handlesRequests: boolean, seen: string[]): Condenser {
  return {
    handlesRequests,
    describe: () => ({ kind: name }),
    condense: async ({ requested, reset }) => {
      seen.push(`${name} ${requested} ${reset}`);
      return condenses ? { draft: drafts.condensation({ llm_response_id: name }), records: [] } : undefined;
    },
  };
}

test('the first member that condenses ends the pipeline, and requests reach the members that take them', async () => {
  const seen: string[] = [];
  const pipeline = pipelineCondenser([
    noCondenser(),
    witness('A', false, false, seen),
    witness('B', true, true, seen),
    witness('C', true, true, seen),
  ]);
  expect(pipeline.handlesRequests).toBe(true);
  expect(await pipeline.condense(input)).toMatchObject({ draft: { llm_response_id: 'B' } });
  expect(seen).toEqual(['A false false', 'B true true']);
});

test('a pipeline whose members take no requests takes none', async () => {
  const pipeline = pipelineCondenser([noCondenser()]);
  expect([pipeline.handlesRequests, await pipeline.condense(input)]).toEqual([false, undefined]);
});

test('condensers describe themselves as the wire does', () => {
  const pipeline = pipelineCondenser([noCondenser(), llmSummarizingCondenser({ maxTokens: 9000 })]);
  expect(pipeline.describe({ model: 'openai/gpt-5', usage_id: 'default' })).toEqual({
    condensers: [
      { kind: 'NoOpCondenser' },
      {
        llm: { model: 'openai/gpt-5', usage_id: 'condenser' },
        max_size: 80,
        max_tokens: 9000,
        keep_first: 4,
        minimum_progress: 0.1,
        hard_context_reset_max_retries: 5,
        hard_context_reset_context_scaling: 0.8,
        kind: 'LLMSummarizingCondenser',
      },
    ],
    kind: 'PipelineCondenser',
  });
});
