import type { ModelOptions } from './model-options.ts';
import { describeValue, type OptionNames } from '@conv/core';
import { checkModelOptions } from './check-model-options.ts';
import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { JsonObject } from '@conv/core/events';

/** The provider's protocol for a model. It decides how reasoning and images travel. */
export type ModelApi = 'chat' | 'responses' | 'messages' | 'gemini';

/** A language model and facts that an agent needs about it, from {@link createModel} or a provider's function. */
export interface Model extends ModelOptions {
  readonly languageModel: LanguageModelV4;
  /** `provider/model` as stored descriptions write it, such as `openai/gpt-4o` or `anthropic/claude-opus-4`. */
  readonly name: string;
  readonly api: ModelApi;
  /** Members of the wire's LLM object that do not follow from the other members of this model. Without secrets. */
  readonly description: JsonObject;
  /** Secret members of the LLM object. A function, so that printing a model shows no key. */
  readonly secrets: () => Readonly<Record<string, string>>;
  /** Models that are asked in this order when this one fails for now; see {@link withFallbacks}. */
  readonly fallbacks?: readonly Model[];
}

/** Options of {@link createModel}. */
export interface CreateModelOptions extends ModelOptions {
  /** Any model of an AI SDK provider package. */
  readonly languageModel: LanguageModelV4;
  /** The name as `provider/model`. Default: made from the model's provider and id. */
  readonly name?: string;
  /** The provider's protocol. Default: inferred from the provider. */
  readonly api?: ModelApi;
  readonly description?: JsonObject;
  /** Secret members of the LLM object, such as `{ api_key: '…' }`: stored encrypted, masked in error messages. */
  readonly secrets?: Readonly<Record<string, string>>;
}

const NAMES: OptionNames<Omit<CreateModelOptions, keyof ModelOptions>> = {
  languageModel: true,
  name: true,
  api: true,
  description: true,
  secrets: true,
};

/**
 * Creates a model from a model of any AI SDK provider. Throws `TypeError` for another version of the provider interface
 * than 4.
 *
 * @example
 * ```ts
 * import { createModel } from '@conv/agent';
 * import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
 *
 * const provider = createOpenAICompatible({ name: 'local', baseURL: 'http://127.0.0.1:8080/v1' });
 * export const model = createModel({ languageModel: provider('qwen3'), contextWindow: 32_768 });
 * ```
 */
export function createModel(options: CreateModelOptions): Model {
  checkModelOptions('createModel', options, NAMES);
  const { languageModel, name, api, description, secrets = {}, ...rest } = options;
  checkLanguageModel(languageModel);
  return {
    ...rest,
    languageModel,
    name: name ?? nameOf(languageModel),
    api: api ?? apiOf(languageModel.provider),
    description: description ?? {},
    secrets: () => secrets,
  };
}

function checkLanguageModel(model: LanguageModelV4 | null | undefined): void {
  if (model?.specificationVersion === 'v4') return;
  const version = (model as { readonly specificationVersion?: string } | null | undefined)?.specificationVersion;
  const found = version === undefined ? describeValue(model) : `one of its interface ${version}`;
  throw new TypeError(
    `model: expected a model such as modelFromEnvironment(), openai('gpt-5', { apiKey }) or one of an AI SDK provider package with the interface v4, found ${found}`,
  );
}

function isModel(value: unknown): value is Model {
  return typeof value === 'object' && value !== null && 'languageModel' in value && 'secrets' in value;
}

/** Returns `model` as a {@link Model}. Throws `TypeError` if it is no model of an AI SDK provider either. */
export function toModel(model: unknown): Model {
  if (!isModel(model)) return createModel({ languageModel: model as LanguageModelV4 });
  checkLanguageModel(model.languageModel);
  return model;
}

function nameOf({ provider, modelId }: LanguageModelV4): string {
  const vendor = provider.split('.')[0] ?? provider;
  return `${vendor === 'google' ? 'gemini' : vendor}/${modelId}`;
}

function apiOf(provider: string): ModelApi {
  if (/(?:^|\.)responses$/.test(provider)) return 'responses';
  if (/anthropic/.test(provider)) return 'messages';
  return /google|vertex/.test(provider) ? 'gemini' : 'chat';
}
