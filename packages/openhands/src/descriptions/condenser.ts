import type { JsonObject } from '@conv/core/events';
import { z } from 'zod';
import { absent } from '../schema/kept-member.ts';
import { oneOf } from '../schema/one-of.ts';
import { named } from '../schema/named.ts';
import { described } from '../schema/objects.ts';
import { integer, number } from '../schema/scalars.ts';
import { llmDescriptionSchema } from './llm.ts';
import { otherKindSchema } from './other-kind.ts';

/** Summarises the oldest events with a model. */
const llmSummarizingCondenserSchema = named(
  'LLMSummarizingCondenser',
  described({
    hard_context_reset_context_scaling: absent(number({ above: 0, below: 1 }), 0.8),
    hard_context_reset_max_retries: absent(integer({ above: 0 }), 5),
    keep_first: absent(integer({ minimum: 0 }), 2),
    kind: z.literal('LLMSummarizingCondenser'),
    llm: llmDescriptionSchema,
    max_size: absent(integer({ above: 0 }), 240),
    max_tokens: absent(z.nullable(integer())),
    minimum_progress: absent(number({ above: 0, below: 1 }), 0.1),
  }),
);

/** Leaves the history as it is. */
const noOpCondenserSchema = named(
  'NoOpCondenser',
  described({
    kind: z.literal('NoOpCondenser'),
  }),
);

/** Several condensers one after the other. */
const pipelineCondenserSchema = named(
  'PipelineCondenser',
  described({
    condensers: z.array(z.lazy(() => condenserDescriptionSchema)),
    kind: z.literal('PipelineCondenser'),
  }),
);

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
