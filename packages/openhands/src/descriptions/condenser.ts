import { z } from 'zod';
import { absent } from '../schema/kept-member.ts';
import { oneOf } from '../schema/one-of.ts';
import { named } from '../schema/named.ts';
import { kept } from '../schema/objects.ts';
import { integer, number } from '../schema/scalars.ts';
import { type LlmDescription, llmDescriptionSchema } from './llm.ts';
import { type OtherKind, otherKindSchema } from './other-kind.ts';

/** Summarises the oldest events with a model. */
export interface LlmSummarizingCondenser {
  readonly hard_context_reset_context_scaling?: number;
  readonly hard_context_reset_max_retries?: number;
  readonly keep_first?: number;
  readonly kind: 'LLMSummarizingCondenser';
  readonly llm: LlmDescription;
  readonly max_size?: number;
  readonly max_tokens?: number | null;
  readonly minimum_progress?: number;
}

const llmSummarizingCondenserSchema: z.ZodType<LlmSummarizingCondenser> = named(
  'LLMSummarizingCondenser',
  kept({
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
export interface NoOpCondenser {
  readonly kind: 'NoOpCondenser';
}

const noOpCondenserSchema: z.ZodType<NoOpCondenser> = named(
  'NoOpCondenser',
  kept({
    kind: z.literal('NoOpCondenser'),
  }),
);

/** Several condensers one after the other. */
export interface PipelineCondenser {
  readonly condensers: readonly CondenserDescription[];
  readonly kind: 'PipelineCondenser';
}

const pipelineCondenserSchema: z.ZodType<PipelineCondenser> = named(
  'PipelineCondenser',
  kept({
    condensers: z.array(z.lazy(() => condenserDescriptionSchema)),
    kind: z.literal('PipelineCondenser'),
  }),
);

/** What shortens the history that the model sees. */
export type CondenserDescription = LlmSummarizingCondenser | NoOpCondenser | PipelineCondenser | OtherKind;

/** A condenser by its kind. */
export const condenserDescriptionSchema: z.ZodType<CondenserDescription> = named(
  'CondenserBase',
  oneOf<CondenserDescription>({
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
