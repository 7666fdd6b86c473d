import type { SharedV4ProviderOptions } from '@ai-sdk/provider';
import type { Json, JsonObject } from '@conv/core/events';
import { isObject } from '@conv/core/platform';
import { omit } from '../../base/json.ts';
import { usableSecret } from './description-secrets.ts';
import { LlmError } from '../llm-error.ts';
import { modelFromName } from './model-from-name.ts';
import type { Model } from '../model.ts';
import type { CallSettings, ModelPrice } from '../model-options.ts';
import type { OpenaiOptions } from './providers.ts';
import { withFallbacks } from '../with-fallbacks.ts';
import { defined } from '../../base/defined.ts';

/**
 * Makes the model of the wire's LLM object, also as OpenHands writes it. Throws {@link LlmError} `CONFIG` if the key is
 * missing: redacted, or encrypted with another key. An OpenAI-compatible server behind `base_url` may do without a key if the
 * object has none.
 * Unknown members are kept for the next description. The LLM objects in its `fallbacks` become its fallbacks; for a
 * `fallback_strategy` of OpenHands, which names profiles, see `ModelProfiles.load`.
 */
export function modelFromDescription(llm: JsonObject): Model {
  return withFallbacks(modelAlone(llm), storedFallbacks(llm).map(modelFromDescription));
}

/** Returns the LLM objects of a model's fallbacks. */
export function storedFallbacks({ fallbacks }: JsonObject): readonly JsonObject[] {
  return Array.isArray(fallbacks) ? (fallbacks.filter(isObject) as readonly JsonObject[]) : [];
}

/** Makes the model as {@link modelFromDescription} does, without fallbacks. */
export function modelAlone(llm: JsonObject): Model {
  const { model: name, base_url: baseUrl, api_mode: apiMode } = llm;
  if (typeof name !== 'string' || name === '')
    throw new LlmError('CONFIG', 'the stored description of the model has no name');
  const apiKey = usableSecret(llm['api_key']);
  const hasUrl = typeof baseUrl === 'string' && baseUrl !== '';
  // an endpoint would refuse a request without its key, and would not say that the key was lost here
  if (apiKey === undefined && (!hasUrl || isLost(llm['api_key']))) {
    throw new LlmError(
      'CONFIG',
      `${name}: api_key is missing in the stored description (redacted, or of another cipher key)`,
    );
  }
  const model = modelFromName(name, {
    ...optionsOf(llm),
    ...defined({ apiKey, baseUrl: hasUrl ? baseUrl : undefined, api: MODES.find((known) => known === apiMode) }),
  });
  // Other protocols refuse a request that asks for an effort, and descriptions ask for one by default.
  const effort = llm['reasoning'] ?? (model.api === 'responses' ? llm['reasoning_effort'] : undefined);
  const reasoning = EFFORTS.find((known) => known === effort);
  const aws = awsSecretsOf(llm);
  return {
    ...model,
    secrets: () => ({ ...aws, ...model.secrets() }),
    ...(reasoning === undefined ? {} : { settings: { ...model.settings, reasoning } }),
  };
}

/** Members of an LLM object that are made from the model's own fields. */
const OWN_MEMBERS = [
  'model usage_id is_subscription api_key base_url extra_headers provider_options reasoning fallbacks',
  'timeout num_retries temperature top_p top_k seed max_input_tokens max_output_tokens input_cost_per_token',
  'output_cost_per_token cache_read_input_token_cost cache_creation_input_token_cost',
].flatMap((names) => names.split(' '));

/** Returns the known facts of a model that cannot be called. Its description has all that its other fields lack. */
export function describedAs(llm: JsonObject): Omit<Model, 'languageModel'> {
  const { model: name, base_url: baseUrl, api_mode: apiMode } = llm;
  const apiKey = usableSecret(llm['api_key']);
  const secrets = { ...awsSecretsOf(llm), ...defined({ api_key: apiKey }) };
  const { description = {}, ...options } = optionsOf(llm);
  return {
    ...options,
    name: typeof name === 'string' ? name : '',
    api: apiMode === 'responses' ? 'responses' : apiMode === 'chat' ? 'chat' : 'messages',
    description: { ...description, ...(typeof baseUrl === 'string' ? { base_url: baseUrl } : {}) },
    secrets: () => secrets,
  };
}

/** Returns the members that are kept for the next description, also a key that only works elsewhere. */
function othersOf(llm: JsonObject): JsonObject {
  const key = llm['api_key'];
  return { ...omit(llm, ...OWN_MEMBERS, ...AWS_SECRETS), ...(isLost(key) ? { api_key: key } : {}) };
}

/** True if there is a key that cannot be used here. */
function isLost(key: Json | undefined): key is string {
  return typeof key === 'string' && key.trim() !== '' && usableSecret(key) === undefined;
}

/** Returns the secrets for AWS, which no model here uses. */
function awsSecretsOf(llm: JsonObject): Readonly<Record<string, string>> {
  const texts = AWS_SECRETS.map((name) => [name, llm[name]] as const);
  return Object.fromEntries(
    texts.filter((entry): entry is [(typeof entry)[0], string] => typeof entry[1] === 'string'),
  );
}

const AWS_SECRETS = ['aws_access_key_id', 'aws_secret_access_key', 'aws_session_token'] as const;

const MODES = ['chat', 'responses'] as const;

const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;

function optionsOf(llm: JsonObject): Omit<OpenaiOptions, 'apiKey' | 'baseUrl' | 'api'> {
  const number = (key: string): number | undefined => (typeof llm[key] === 'number' ? llm[key] : undefined);
  const [timeout, attempts, contextWindow] = [number('timeout'), number('num_retries'), number('max_input_tokens')];
  const usageId = llm['usage_id'];
  return {
    settings: settingsOf(llm, number),
    description: othersOf(llm),
    // `default` is left out, because every description of OpenHands has it.
    ...(typeof usageId === 'string' && usageId !== '' && usageId !== 'default' ? { usageId } : {}),
    ...(timeout === undefined || timeout <= 0 ? {} : { timeout: timeout * 1000 }),
    ...(attempts === undefined || attempts < 1 ? {} : { retry: { attempts } }),
    ...defined({ contextWindow, price: priceOf(number) }),
    ...(llm['disable_vision'] === true ? { vision: false } : {}),
  };
}

function priceOf(number: (key: string) => number | undefined): ModelPrice | undefined {
  const perMillion = (key: string): number | undefined => {
    const dollars = number(key);
    return dollars === undefined ? undefined : dollars * 1_000_000;
  };
  const [input, output] = [perMillion('input_cost_per_token'), perMillion('output_cost_per_token')];
  if (input === undefined || output === undefined) return undefined;
  const cacheRead = perMillion('cache_read_input_token_cost');
  const cacheWrite = perMillion('cache_creation_input_token_cost');
  return { input, output, ...defined({ cacheRead, cacheWrite }) };
}

function settingsOf(llm: JsonObject, number: (key: string) => number | undefined): CallSettings {
  const headers = isObject(llm['extra_headers']) ? Object.entries(llm['extra_headers']) : [];
  const providerOptions = llm['provider_options'];
  const sendable = headers.filter((header): header is [string, string] => usableSecret(header[1]) !== undefined);
  return {
    ...defined({
      temperature: number('temperature'),
      topP: number('top_p'),
      topK: number('top_k'),
      seed: number('seed'),
      maxOutputTokens: number('max_output_tokens'),
    }),
    ...(isObject(providerOptions) ? { providerOptions: providerOptions as SharedV4ProviderOptions } : {}),
    ...(sendable.length === 0 ? {} : { headers: Object.fromEntries(sendable) }),
  };
}
