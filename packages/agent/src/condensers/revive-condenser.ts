import type { JsonObject } from '@conv/core/events';
import { isJsonObject, isSameJson } from '@conv/core/platform';
import { readLlm, type StoredLlm } from '@conv/openhands/descriptions';
import { AgentError } from '../base/agent-error.ts';
import { omit } from '../base/json.ts';
import type { Model } from '../model/model.ts';
import type { Condenser } from './condenser.ts';
import { keptCondenser, noCondenser } from './kept-condenser.ts';
import { limitsOf, MEMBERS, summarizingCondenser } from './llm-summarizing-condenser.ts';
import { pipelineCondenser } from './pipeline-condenser.ts';

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

async function reviveSummarizing(
  stored: JsonObject,
  { llm, modelOf }: CondenserSources,
  place: string,
): Promise<Condenser> {
  const own = isJsonObject(stored['llm']) ? readLlm(stored['llm']) : llm;
  const isOwn = !isSameJson(omit(own.stored, 'usage_id'), omit(llm.stored, 'usage_id'));
  const model = isOwn ? await modelOf(own) : undefined;
  const members = Object.entries(MEMBERS).map(([option, member]) => [option, stored[member] ?? undefined] as const);
  // a limit of tokens that is no number counts as none
  const given = members.filter(([option, value]) => option !== 'maxTokens' || typeof value === 'number');
  const limits = limitsOf(Object.fromEntries(given), { maxSize: 240, keepFirst: 2 }, (option, problem) => {
    const member = `${place}.${MEMBERS[option]}`;
    const text = `the stored agent: ${member} ${problem}`;
    return Object.assign(new AgentError('INVALID_DESCRIPTION', text), { place: member });
  });
  return summarizingCondenser(model, limits);
}
