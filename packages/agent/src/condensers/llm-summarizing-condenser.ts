import { checkAgentOptions } from '../base/check-agent-options.ts';
import { type OptionNames } from '@conv/core';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { drafts, type JsonObject } from '@conv/core/events';
import { AgentError } from '../base/agent-error.ts';
import { describeModel } from '../model/sources/describe-model.ts';
import { forConversation } from '../model/for-conversation.ts';
import { keysOf } from '../model/keys-of.ts';
import { isLlmError } from '../model/llm-error.ts';
import { type Model, toModel } from '../model/model.ts';
import type { Condensed, CondenseOptions, Condenser } from './condenser.ts';
import { inputLimit } from './count-tokens.ts';
import { type CondensationPlan, type CondensingLimits, planCondensation } from './plan-condensation.ts';
import { CONDENSER_USAGE_ID, summarize, type Summary } from './summarize.ts';
import { defined } from '../base/defined.ts';

/** Options of {@link llmSummarizingCondenser}. */
export interface LlmSummarizingCondenserOptions {
  /** The model that writes the summaries. Default: the agent's own model, also after it was switched. */
  readonly model?: Model | LanguageModelV4;
  /**
   * The most events that the model may read: more are condensed to half as soon as there is a legal cut. Default 80.
   */
  readonly maxSize?: number;
  /** The most tokens that the model may read: more are condensed to half. Default, and at most: its context window. */
  readonly maxTokens?: number;
  /** Events at the beginning that are never condensed, except in a reset. Default 4. */
  readonly keepFirst?: number;
  /** The share of the events that a condensation must take away; of the tokens if it is demanded. Default 0.1. */
  readonly minimumProgress?: number;
  /** Tries for a summary while the events are too long for its model. Default 5. */
  readonly resetAttempts?: number;
  /** The share of the events' text that remains at each further try. Default 0.8. */
  readonly resetScaling?: number;
}

interface Settings extends CondensingLimits {
  readonly model: Model | undefined;
  readonly resetAttempts: number;
  readonly resetScaling: number;
}

const NAMES: OptionNames<LlmSummarizingCondenserOptions> = {
  model: true,
  maxSize: true,
  maxTokens: true,
  keepFirst: true,
  minimumProgress: true,
  resetAttempts: true,
  resetScaling: true,
};

/**
 * Replaces the older part of a history by a summary that a model writes: the wire's `LLMSummarizingCondenser`. Too many
 * events ask for a condensation; too many tokens, an overflow of the context and a request demand it. A demand that no
 * legal cut can meet takes the whole history. Throws {@link AgentError} `INVALID_OPTION`.
 *
 * @example
 * ```ts
 * import { createAgent, llmSummarizingCondenser, modelFromEnvironment } from '@conv/agent';
 *
 * const condenser = llmSummarizingCondenser({ maxSize: 200, maxTokens: 100_000 });
 * export const agent = createAgent({ model: modelFromEnvironment(), condenser });
 * ```
 */
export function llmSummarizingCondenser(options: LlmSummarizingCondenserOptions = {}): Condenser {
  checkAgentOptions('llmSummarizingCondenser', options, NAMES);
  const { model } = options;
  const settings: Settings = {
    model: model === undefined ? undefined : toModel(model),
    maxSize: options.maxSize ?? 80,
    maxTokens: options.maxTokens,
    keepFirst: options.keepFirst ?? 4,
    minimumProgress: options.minimumProgress ?? 0.1,
    resetAttempts: options.resetAttempts ?? 5,
    resetScaling: options.resetScaling ?? 0.8,
  };
  check(settings);
  return {
    handlesRequests: true,
    describe: (llm) => describe(settings, llm),
    secretValues: () => (settings.model ? keysOf(settings.model) : []),
    condense: (input) => condense(input, settings),
  };
}

function check(settings: Settings): void {
  const whole = (name: 'maxSize' | 'maxTokens' | 'keepFirst' | 'resetAttempts', least: number): void => {
    const value = settings[name];
    if (!Number.isSafeInteger(value) || Number(value) < least)
      throw invalid(name, `a whole number from ${least}`, value);
  };
  const share = (name: 'minimumProgress' | 'resetScaling'): void => {
    const value = settings[name];
    if (!(typeof value === 'number' && value > 0 && value < 1)) throw invalid(name, 'between 0 and 1', value);
  };
  whole('maxSize', 4);
  if (settings.maxTokens !== undefined) whole('maxTokens', 1);
  whole('keepFirst', 0);
  whole('resetAttempts', 1);
  share('minimumProgress');
  share('resetScaling');
  const room = Math.floor(settings.maxSize / 2) - 1;
  if (settings.keepFirst >= room)
    throw invalid('keepFirst', `less than ${room} where at most ${settings.maxSize} events stay`, settings.keepFirst);
}

/** An option of the condenser that is out of its range. */
export class WrongCondenserOption extends AgentError {
  readonly option: string;
  /** The range, and the value. */
  readonly problem: string;

  constructor(option: string, problem: string) {
    super('INVALID_OPTION', `${option} of the condenser ${problem}`);
    this.option = option;
    this.problem = problem;
  }
}

function invalid(name: string, wanted: string, value: unknown): AgentError {
  return new WrongCondenserOption(name, `must be ${wanted}, got ${String(value)}`);
}

function describe(settings: Settings, llm: JsonObject): JsonObject {
  const { model, maxTokens } = settings;
  return {
    llm: model ? describeModel(model, CONDENSER_USAGE_ID) : { ...llm, usage_id: CONDENSER_USAGE_ID },
    max_size: settings.maxSize,
    ...defined({ max_tokens: maxTokens }),
    keep_first: settings.keepFirst,
    minimum_progress: settings.minimumProgress,
    hard_context_reset_max_retries: settings.resetAttempts,
    hard_context_reset_context_scaling: settings.resetScaling,
    kind: 'LLMSummarizingCondenser',
  };
}

async function condense(input: CondenseOptions, settings: Settings): Promise<Condensed | undefined> {
  const window = await inputLimit(input.model);
  const maxTokens = window === undefined ? settings.maxTokens : Math.min(settings.maxTokens ?? Infinity, window);
  const plan = planCondensation(input, { ...settings, maxTokens });
  if (!plan) return undefined;
  try {
    return await executePlan(plan, input, settings);
  } catch (error) {
    // A condensation that may wait is tried again at the next step; the agent goes on meanwhile.
    if (plan.hard || !isLlmError(error)) throw error;
    return undefined;
  }
}

async function executePlan(plan: CondensationPlan, input: CondenseOptions, settings: Settings): Promise<Condensed> {
  const { text, completion } = await summaryOf(plan, input, settings);
  const draft = drafts.condensation({
    forgotten_event_ids: plan.forgotten.map(({ id }) => id),
    summary: text,
    summary_offset: plan.offset,
    llm_response_id: completion.responseId,
  });
  return { draft, records: [completion.record] };
}

/** Writes the summary. If the condensation is demanded and the own model fails, the agent's model stands in for it. */
async function summaryOf(plan: CondensationPlan, input: CondenseOptions, settings: Settings): Promise<Summary> {
  const { platform, mask, signal, conversationId } = input;
  const ask = (model: Model): Promise<Summary> =>
    summarize(plan.forgotten, {
      platform,
      model: plan.hard ? model : { ...model, retry: { ...model.retry, attempts: 1 } },
      mask,
      signal,
      attempts: plan.hard ? settings.resetAttempts : 1,
      scaling: settings.resetScaling,
    });
  // the agent's own model is bound to the conversation already
  if (!settings.model) return ask(input.model);
  try {
    return await ask(forConversation(settings.model, conversationId));
  } catch (error) {
    if (!plan.hard || !isLlmError(error)) throw error;
    // if both models fail, the error of the model that was chosen says more
    return ask(input.model).catch((other: unknown) => {
      throw isLlmError(other) ? error : other;
    });
  }
}
