import type { JsonObject } from '@conv/core/events';
import { isObject } from '@conv/core/platform';
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
  readonly llm: JsonObject;
  /** Makes the model of another LLM object. */
  readonly modelOf: (llm: JsonObject) => Promise<Model>;
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
  const members = Array.isArray(condensers) ? condensers.filter(isObject) : [];
  return pipelineCondenser(
    await Promise.all(
      members.map((member, index) => reviveCondenser(member as JsonObject, sources, `${place}.condensers.${index}`)),
    ),
  );
}

/** Members of a stored condenser by the options that they are. */
const MEMBERS: Readonly<Record<string, string>> = {
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
  const own = stored['llm'];
  const model = isObject(own) && !isSame(own as JsonObject, llm) ? await modelOf(own as JsonObject) : undefined;
  const number = (name: string, otherwise: number): number => (stored[name] ?? otherwise) as number;
  try {
    return llmSummarizingCondenser({
      ...defined({ model, maxTokens: typeof stored['max_tokens'] === 'number' ? stored['max_tokens'] : undefined }),
      maxSize: number('max_size', 240),
      keepFirst: number('keep_first', 2),
      minimumProgress: number('minimum_progress', 0.1),
      resetAttempts: number('hard_context_reset_max_retries', 5),
      resetScaling: number('hard_context_reset_context_scaling', 0.8),
    });
  } catch (cause) {
    if (!(cause instanceof WrongCondenserOption)) throw cause;
    const member = `${place}.${MEMBERS[cause.option] ?? cause.option}`;
    const text = `the stored agent: ${member} ${cause.problem}`;
    throw Object.assign(new AgentError('INVALID_DESCRIPTION', text, { cause }), { place: member });
  }
}

function isSame(one: JsonObject, other: JsonObject): boolean {
  const text = (llm: JsonObject): string =>
    JSON.stringify(Object.entries(omit(llm, 'usage_id')).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return text(one) === text(other);
}
