import { checkAgentOptions } from '../base/check-agent-options.ts';
import { type OptionNames } from '@conv/core';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { drafts } from '@conv/core/events';
import { z } from 'zod';
import { AgentError } from '../base/agent-error.ts';
import { describeModel } from '../model/sources/describe-model.ts';
import { forConversation } from '../model/for-conversation.ts';
import { keysOf } from '../model/keys-of.ts';
import { isLlmError } from '../model/llm-error.ts';
import { type Model, toModel } from '../model/model.ts';
import type { Condensed, CondenseOptions, Condenser } from './condenser.ts';
import { inputLimit } from './count-tokens.ts';
import { type CondensationPlan, planCondensation } from './plan-condensation.ts';
import { CONDENSER_USAGE_ID, summarize, type Summary } from './summarize.ts';
import { sayable } from '../base/json.ts';

/** Options of {@link llmSummarizingCondenser}. */
export interface LlmSummarizingCondenserOptions {
  /** The model that writes the summaries. Default: the agent's own model, also after it was switched. */
  readonly model?: Model | LanguageModelV4;
  /** Maximum number of events that the model reads; more are condensed to half as soon as there is a legal cut. Default 80. */
  readonly maxSize?: number;
  /** Maximum number of tokens that the model reads; more are condensed to half. Default, and at most, its context window. */
  readonly maxTokens?: number;
  /** Events at the beginning that are never condensed, except in a reset. Default 4. */
  readonly keepFirst?: number;
  /** The share of the events that a condensation must remove, or of the tokens if it is demanded. Default 0.1. */
  readonly minimumProgress?: number;
  /** Attempts at a summary while the events are too long for its model. Default 5. */
  readonly resetAttempts?: number;
  /** The share of the events' text that remains at each further attempt. Default 0.8. */
  readonly resetScaling?: number;
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
 * Creates a condenser that replaces the older part of a history with a summary written by a model: the wire's
 * `LLMSummarizingCondenser`. Too many events ask for a condensation; too many tokens, an overflow of the context and a request
 * demand it. A demand that no legal cut can meet takes the whole history. Throws {@link AgentError} `INVALID_OPTION`.
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
  const wrong = (option: string, problem: string): AgentError =>
    new AgentError('INVALID_OPTION', `${option} of the condenser ${problem}`);
  return summarizingCondenser(model === undefined ? undefined : toModel(model), limitsOf({ ...options }, {}, wrong));
}

/** The names of the limits on the wire. */
export const MEMBERS = {
  maxSize: 'max_size',
  maxTokens: 'max_tokens',
  keepFirst: 'keep_first',
  minimumProgress: 'minimum_progress',
  resetAttempts: 'hard_context_reset_max_retries',
  resetScaling: 'hard_context_reset_context_scaling',
} as const satisfies Record<keyof Limits, string>;

const DEFAULTS = { maxSize: 80, keepFirst: 4, minimumProgress: 0.1, resetAttempts: 5, resetScaling: 0.8 };

const whole = (least: number): z.ZodType<number> =>
  z.custom<number>((value) => Number.isSafeInteger(value) && Number(value) >= least, {
    error: ({ input }) => `must be a whole number from ${least}, got ${String(input)}`,
  });
const share: z.ZodType<number> = z.custom<number>((value) => typeof value === 'number' && value > 0 && value < 1, {
  error: ({ input }) => `must be between 0 and 1, got ${String(input)}`,
});

const limitsSchema = z
  .object({
    maxSize: whole(4),
    maxTokens: whole(1).optional(),
    keepFirst: whole(0),
    resetAttempts: whole(1),
    minimumProgress: share,
    resetScaling: share,
  })
  .superRefine(({ maxSize, keepFirst }, context) => {
    const room = Math.floor(maxSize / 2) - 1;
    const message = `must be less than ${room} where at most ${maxSize} events stay, got ${keepFirst}`;
    if (keepFirst >= room) context.addIssue({ code: 'custom', path: ['keepFirst'], message });
  });

type Limits = z.output<typeof limitsSchema>;

/** Returns the limits that were given, with defaults. Throws what `wrong` makes of an option out of its range. */
export function limitsOf(
  given: Readonly<Record<string, unknown>>,
  defaults: Partial<Limits>,
  wrong: (option: keyof Limits, problem: string) => Error,
): Limits {
  const others = Object.entries({ ...DEFAULTS, ...defaults }).map(([name, value]) => [name, given[name] ?? value]);
  const read = limitsSchema.safeParse({ ...given, ...Object.fromEntries(others) });
  if (read.success) return read.data;
  const [{ path, message } = { path: [], message: '' }] = read.error.issues;
  throw wrong(path[0] as keyof Limits, message);
}

/** Creates the condenser. `model` writes the summaries; `undefined`: the agent's own. */
export function summarizingCondenser(model: Model | undefined, limits: Limits): Condenser {
  return {
    handlesRequests: true,
    describe: (llm) => ({
      llm: model ? describeModel(model, CONDENSER_USAGE_ID) : { ...llm, usage_id: CONDENSER_USAGE_ID },
      ...sayable(Object.fromEntries(Object.entries(MEMBERS).map(([name, on]) => [on, limits[name as keyof Limits]]))),
      kind: 'LLMSummarizingCondenser',
    }),
    secretValues: () => (model ? keysOf(model) : []),
    condense: (input) => condense(input, { ...limits, model }),
  };
}

interface Settings extends Limits {
  readonly model: Model | undefined;
}

async function condense(input: CondenseOptions, settings: Settings): Promise<Condensed | undefined> {
  const window = await inputLimit(input.model);
  const maxTokens = window === undefined ? settings.maxTokens : Math.min(settings.maxTokens ?? Infinity, window);
  const plan = planCondensation(input, { ...settings, maxTokens });
  if (!plan) return undefined;
  try {
    return await executePlan(plan, input, settings);
  } catch (error) {
    // A condensation that may wait is retried at the next step; the agent continues meanwhile.
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
