import { checks } from '@conv/core';
import { isJsonObject } from '@conv/core/platform';
import type { LanguageModelV4, SharedV4ProviderOptions } from '@ai-sdk/provider';
import type { JsonObject } from '@conv/core/events';
import { descriptionSecrets, LLM_SECRETS, readLlm, type StoredLlm } from '@conv/openhands/descriptions';
import { defined } from '../../base/defined.ts';
import { omit } from '../../base/json.ts';
import { isLlmError, LlmError } from '../llm-error.ts';
import type { Model } from '../model.ts';
import type { ModelPrice } from '../model-options.ts';
import { withFallbacks } from '../with-fallbacks.ts';
import { modelFromName } from './model-from-name.ts';
import type { OpenaiOptions } from './providers.ts';

/**
 * Makes the model of the wire's LLM object, also as OpenHands writes it. Throws {@link LlmError} `CONFIG` if the key is
 * missing: redacted, or encrypted with another key. An OpenAI-compatible server behind `base_url` may do without a key if the
 * object has none.
 * Unknown members are kept for the next description. The LLM objects in its `fallbacks` become its fallbacks; for a
 * `fallback_strategy` of OpenHands, which names profiles, see `ModelProfiles.load`.
 */
export function modelFromDescription(llm: JsonObject): Model {
  return madeBy(modelAlone, llm);
}

/**
 * Returns the model of a stored LLM object, with its `fallbacks`, also when it cannot be asked here: its key is missing or encrypted
 * with another key, or its provider is unknown and has no base URL. Each call of such a model rejects {@link LlmError} `CONFIG`, which
 * says what is missing; its description stays as it is. A conversation can so be opened and continued with another model.
 */
export function storedModel(llm: JsonObject): Model {
  return madeBy(storedModelAlone, llm);
}

function madeBy(make: (llm: StoredLlm) => Model, stored: JsonObject): Model {
  const llm = llmOf(stored);
  return withFallbacks(
    make(llm),
    llm.fallbacks.flatMap((fallback) => (fallback ? [madeBy(make, fallback)] : [])),
  );
}

/** Reads a stored LLM object. Throws {@link LlmError} `CONFIG` if there is none. */
export function llmOf(stored: JsonObject): StoredLlm {
  if (isJsonObject(stored)) return readLlm(stored);
  throw new LlmError('CONFIG', checks.wrongValue('model', 'the stored description of a model', stored));
}

/** Makes the model as {@link modelFromDescription} does, without fallbacks. */
export function modelAlone(llm: StoredLlm): Model {
  const { model: name, base_url: baseUrl = '', api_mode: api } = llm;
  if (name === undefined)
    throw new LlmError('CONFIG', 'the stored description of the model: expected a name, found none; name the model');
  const apiKey = descriptionSecrets.usableSecret(llm.api_key);
  // an endpoint would refuse a request without its key, and would not say that the key was lost here
  if (apiKey === undefined && (baseUrl === '' || isLost(llm))) {
    throw new LlmError(
      'CONFIG',
      `${name}: api_key is missing in the stored description (redacted, or of another cipher key); give the model with its key`,
    );
  }
  const model = modelFromName(name, { ...optionsOf(llm), ...defined({ apiKey, baseUrl: baseUrl || undefined, api }) });
  // Other protocols refuse a request that asks for an effort, and descriptions ask for one by default.
  const reasoning = llm.reasoning ?? (model.api === 'responses' ? llm.reasoning_effort : undefined);
  return {
    ...model,
    secrets: () => ({ ...awsSecretsOf(llm), ...model.secrets() }),
    settings: { ...model.settings, ...defined({ reasoning }) },
  };
}

/** Returns the model as {@link storedModel} does, without fallbacks. */
export function storedModelAlone(llm: StoredLlm): Model {
  try {
    return modelAlone(llm);
  } catch (error) {
    if (!isLlmError(error, 'CONFIG')) throw error;
    const { model: name = '', base_url, api_mode: api = 'messages' } = llm;
    const { description, ...options } = optionsOf(llm);
    return {
      ...options,
      name,
      api,
      description: { ...description, ...defined({ base_url }) },
      secrets: () => ({ ...awsSecretsOf(llm), ...defined({ api_key: descriptionSecrets.usableSecret(llm.api_key) }) }),
      languageModel: refusing(error, name),
    };
  }
}

function refusing(error: LlmError, modelId: string): LanguageModelV4 {
  const refuse = (): never => {
    throw error;
  };
  return {
    specificationVersion: 'v4',
    provider: 'unusable',
    modelId,
    supportedUrls: {},
    doGenerate: async () => refuse(),
    doStream: async () => refuse(),
  };
}

/** Members of an LLM object that are made from the model's own fields. */
const OWN_MEMBERS = [
  'model usage_id is_subscription base_url extra_headers provider_options reasoning fallbacks',
  'timeout stream_idle_timeout num_retries temperature top_p top_k seed max_input_tokens max_output_tokens input_cost_per_token',
  'output_cost_per_token cache_read_input_token_cost cache_creation_input_token_cost',
].flatMap((names) => names.split(' '));

/** True if there is a key that cannot be used here. */
function isLost({ api_key: key = '' }: StoredLlm): boolean {
  return key.trim() !== '' && descriptionSecrets.usableSecret(key) === undefined;
}

/** Returns the secrets for AWS, which no model here uses. */
function awsSecretsOf(llm: StoredLlm): Readonly<Record<string, string>> {
  const { aws_access_key_id, aws_secret_access_key, aws_session_token } = llm;
  return defined({ aws_access_key_id, aws_secret_access_key, aws_session_token });
}

function optionsOf(llm: StoredLlm): Omit<OpenaiOptions, 'apiKey' | 'baseUrl' | 'api'> & Pick<Model, 'description'> {
  const { usage_id: usageId, timeout = 0, stream_idle_timeout: idle = 0, num_retries: attempts = 0, stored } = llm;
  const headers = Object.entries(llm.extra_headers).flatMap(([name, value]) => {
    const usable = descriptionSecrets.usableSecret(value);
    return usable === undefined ? [] : [[name, usable]];
  });
  return {
    settings: defined({
      temperature: llm.temperature,
      topP: llm.top_p,
      topK: llm.top_k,
      seed: llm.seed,
      maxOutputTokens: llm.max_output_tokens,
      providerOptions: llm.provider_options as SharedV4ProviderOptions | undefined,
      headers: headers.length === 0 ? undefined : Object.fromEntries(headers),
    }),
    // members that are kept for the next description, also a key that only works elsewhere
    description: {
      ...omit(stored, ...OWN_MEMBERS, ...LLM_SECRETS),
      ...(isLost(llm) ? defined({ api_key: llm.api_key }) : {}),
    },
    ...defined({
      // `default` is left out, because every description of OpenHands has it.
      usageId: usageId === 'default' ? undefined : usageId,
      timeout: timeout > 0 ? timeout * 1000 : undefined,
      idleTimeout: idle > 0 ? idle * 1000 : undefined,
      retry: attempts < 1 ? undefined : { attempts },
      contextWindow: llm.max_input_tokens,
      price: priceOf(llm),
      vision: llm.disable_vision === true ? false : undefined,
      textCalls: llm.native_tool_calling === false ? true : undefined,
    }),
  };
}

function priceOf(llm: StoredLlm): ModelPrice | undefined {
  const perMillion = (dollars: number | undefined): number | undefined =>
    dollars === undefined ? undefined : dollars * 1_000_000;
  const [input, output] = [perMillion(llm.input_cost_per_token), perMillion(llm.output_cost_per_token)];
  if (input === undefined || output === undefined) return undefined;
  const cacheRead = perMillion(llm.cache_read_input_token_cost);
  const cacheWrite = perMillion(llm.cache_creation_input_token_cost);
  return { input, output, ...defined({ cacheRead, cacheWrite }) };
}
