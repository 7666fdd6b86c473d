import type { JsonObject } from '@conv/core/events';
import { isJsonObject, isSameJson } from '@conv/core/platform';
import { orAbsent, readLlm, type StoredLlm } from '@conv/openhands/descriptions';
import { z } from 'zod';
import { AgentError } from '../base/agent-error.ts';
import { omit } from '../base/json.ts';
import type { Model } from '../model/model.ts';
import type { Condenser } from './condenser.ts';
import { keptCondenser, noCondenser } from './kept-condenser.ts';
import { llmSummarizingCondenser, WrongCondenserOption } from './llm-summarizing-condenser.ts';
import { pipelineCondenser } from './pipeline-condenser.ts';
import { defined } from '../base/defined.ts';

/** The sources from which a stored condenser is built. */
export interface CondenserSources {
  readonly llm: StoredLlm;
  /** Makes the model of another LLM object. */
  readonly modelOf: (llm: StoredLlm) => Promise<Model>;
}

/**
 * Builds the condenser of a stored description, with the wire's defaults. A condenser whose LLM differs from the
 * agent's only in the usage id follows the agent's model. A condenser of an unknown kind is kept and does nothing.
 * Rejects {@link AgentError} `INVALID_DESCRIPTION`, with the path to the wrong member as `place`, and as `modelOf` does.
 */
export async function reviveCondenser(
  stored: JsonObject,
  sources: CondenserSources,
  place: string = 'condenser',
): Promise<Condenser> {
  const { kind, condensers } = stored;
  if (kind === 'NoOpCondenser') return noCondenser();
  if (kind === 'LLMSummarizingCondenser') return reviveSummarizing(stored, sources, place);
  if (kind !== 'PipelineCondenser') return keptCondenser(stored);
  const members = Array.isArray(condensers) ? condensers.filter(isJsonObject) : [];
  return pipelineCondenser(
    await Promise.all(members.map((member, index) => reviveCondenser(member, sources, `${place}.condensers.${index}`))),
  );
}

/** A limit with the wire's default. Its range is checked as that of an option, so that the error names it. */
const limit = (otherwise: number): z.ZodType<number> => z.preprocess((value) => value ?? otherwise, z.custom<number>());

const summarizingSchema = z.object({
  llm: orAbsent(z.custom<JsonObject>(isJsonObject).transform(readLlm)),
  max_size: limit(240),
  max_tokens: orAbsent(z.number()),
  keep_first: limit(2),
  minimum_progress: limit(0.1),
  hard_context_reset_max_retries: limit(5),
  hard_context_reset_context_scaling: limit(0.8),
});

/** Members of a stored condenser by the options that they are. */
const MEMBERS: Readonly<Record<string, keyof z.output<typeof summarizingSchema>>> = {
  maxSize: 'max_size',
  maxTokens: 'max_tokens',
  keepFirst: 'keep_first',
  minimumProgress: 'minimum_progress',
  resetAttempts: 'hard_context_reset_max_retries',
  resetScaling: 'hard_context_reset_context_scaling',
};

async function reviveSummarizing(
  stored: JsonObject,
  { llm, modelOf }: CondenserSources,
  place: string,
): Promise<Condenser> {
  const { llm: own, ...limits } = summarizingSchema.parse(stored);
  const isOwn = own !== undefined && !isSameJson(omit(own.stored, 'usage_id'), omit(llm.stored, 'usage_id'));
  const model = isOwn ? await modelOf(own) : undefined;
  try {
    return llmSummarizingCondenser({
      ...defined({ model, maxTokens: limits.max_tokens }),
      maxSize: limits.max_size,
      keepFirst: limits.keep_first,
      minimumProgress: limits.minimum_progress,
      resetAttempts: limits.hard_context_reset_max_retries,
      resetScaling: limits.hard_context_reset_context_scaling,
    });
  } catch (cause) {
    if (!(cause instanceof WrongCondenserOption)) throw cause;
    const member = `${place}.${MEMBERS[cause.option] ?? cause.option}`;
    const text = `the stored agent: ${member} ${cause.problem}`;
    throw Object.assign(new AgentError('INVALID_DESCRIPTION', text, { cause }), { place: member });
  }
}
