import type { JsonObject } from '@conv/core/events';
import { z } from 'zod';
import { absent, described, integer, named, number, oneOf } from '../schema/index.ts';
import { llmDescriptionSchema } from './llm.ts';
import { otherKindSchema } from './other-kind.ts';

/** Summarises the oldest events with a model. */
const llmSummarizingCondenserSchema = described('LLMSummarizingCondenser', {
  hard_context_reset_context_scaling: absent(number({ above: 0, below: 1 }), 0.8),
  hard_context_reset_max_retries: absent(integer({ above: 0 }), 5),
  keep_first: absent(integer({ minimum: 0 }), 2),
  kind: z.literal('LLMSummarizingCondenser'),
  llm: llmDescriptionSchema,
  max_size: absent(integer({ above: 0 }), 240),
  max_tokens: absent(z.nullable(integer())),
  minimum_progress: absent(number({ above: 0, below: 1 }), 0.1),
});

/** Leaves the history as it is. */
const noOpCondenserSchema = described('NoOpCondenser', { kind: z.literal('NoOpCondenser') });

/** Several condensers one after the other. */
const pipelineCondenserSchema = described('PipelineCondenser', {
  condensers: z.array(z.lazy(() => condenserDescriptionSchema)),
  kind: z.literal('PipelineCondenser'),
});

/** Description of the condenser that shortens the history for the model. */
export const condenserDescriptionSchema: z.ZodType<JsonObject> = named(
  'CondenserBase',
  oneOf<JsonObject>({
    by: 'kind',
    members: {
      LLMSummarizingCondenser: llmSummarizingCondenserSchema,
      NoOpCondenser: noOpCondenserSchema,
      PipelineCondenser: pipelineCondenserSchema,
    },
    other: otherKindSchema,
    tolerant: true,
  }),
);
