import { checks, describeValue, type OptionNames } from '@conv/core';
import { fetchWithinOrigin } from '@conv/egress/within-origin';
import { checkModelOptions } from '../check-model-options.ts';
import type { JsonObject } from '@conv/core/events';
import { checkUrl } from '../check-url.ts';
import { LlmError } from '../llm-error.ts';
import { createModel, type Model } from '../model.ts';
import type { ModelOptions } from '../model-options.ts';
import { LazyLanguageModel } from './lazy-language-model.ts';
import { defined } from '../../base/defined.ts';

/** Options of a provider's function. */
export interface ProviderOptions extends ModelOptions {
  readonly apiKey?: string;
  /** The address of the API with its version: `https://host/v1`. Default: the provider's own. */
  readonly baseUrl?: string;
  /** Further members of the wire's LLM object, kept in descriptions. */
  readonly description?: JsonObject;
}

const NAMES: OptionNames<Omit<ProviderOptions, keyof ModelOptions>> = {
  apiKey: true,
  baseUrl: true,
  description: true,
};

/** Options of {@link openaiCompatible}. */
export interface OpenaiCompatibleOptions extends ProviderOptions {
  readonly baseUrl: string;
  /** Default `openai/<id>`, the usual name of a model behind a base URL. */
  readonly name?: string;
}

/** Makes a model behind any Chat Completions endpoint. The key is optional, because local servers need none. */
export function openaiCompatible(id: string, options: OpenaiCompatibleOptions): Model {
  checkProvider('openaiCompatible', id, options, { name: true });
  const { apiKey, baseUrl, name = `openai/${id}`, ...rest } = options;
  const settings = {
    name: 'openaiCompatible',
    baseURL: checkUrl(baseUrl),
    includeUsage: true,
    fetch: fetchWithinOrigin,
    ...defined({ apiKey }),
  };
  const languageModel = new LazyLanguageModel('openaiCompatible.chat', id, async () => {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    return createOpenAICompatible(settings)(id);
  });
  return createModel({ ...common(rest, options), name, languageModel, api: 'chat' });
}

/** Options of {@link openai}. */
export interface OpenaiOptions extends ProviderOptions {
  /** Default: `responses` for models that reason (`gpt-5…`, `codex-mini-latest`, `o1` and later), else `chat`. */
  readonly api?: 'chat' | 'responses';
}

/** Makes a model of OpenAI. Throws {@link LlmError} `CONFIG` without a key. */
export function openai(id: string, options: OpenaiOptions): Model {
  checkProvider('openai', id, options, { api: true });
  const { apiKey, baseUrl, api = usesResponses(id) ? 'responses' : 'chat', ...rest } = options;
  const settings = { apiKey: checkKey(`openai/${id}`, apiKey), ...base(baseUrl), fetch: fetchWithinOrigin };
  const languageModel = new LazyLanguageModel(`openai.${api}`, id, async () => {
    const { createOpenAI } = await import('@ai-sdk/openai');
    return createOpenAI(settings)[api](id);
  });
  return createModel({ ...common(rest, options), name: `openai/${id}`, languageModel, api });
}

/** Makes a model of Anthropic. Throws {@link LlmError} `CONFIG` without a key. */
export function anthropic(id: string, options: ProviderOptions): Model {
  checkProvider('anthropic', id, options);
  const { apiKey, baseUrl, ...rest } = options;
  const settings = { apiKey: checkKey(`anthropic/${id}`, apiKey), ...base(baseUrl), fetch: fetchWithinOrigin };
  const languageModel = new LazyLanguageModel('anthropic.messages', id, async () => {
    const { createAnthropic } = await import('@ai-sdk/anthropic');
    return createAnthropic(settings)(id);
  });
  return createModel({ ...common(rest, options), name: `anthropic/${id}`, languageModel, api: 'messages' });
}

/** Makes a model of Google's Gemini API. Throws {@link LlmError} `CONFIG` without a key. */
export function google(id: string, options: ProviderOptions): Model {
  checkProvider('google', id, options);
  const { apiKey, baseUrl, ...rest } = options;
  const settings = { apiKey: checkKey(`gemini/${id}`, apiKey), ...base(baseUrl), fetch: fetchWithinOrigin };
  const languageModel = new LazyLanguageModel('google.generative-ai', id, async () => {
    const { createGoogle } = await import('@ai-sdk/google');
    return createGoogle(settings)(id);
  });
  return createModel({ ...common(rest, options), name: `gemini/${id}`, languageModel, api: 'gemini' });
}

function checkProvider(
  place: string,
  id: string,
  options: ProviderOptions,
  more: Readonly<Record<string, true>> = {},
): void {
  if (typeof id !== 'string' || id === '')
    throw new TypeError(`${place}: expected the id of a model, such as 'gpt-5', found ${describeValue(id)}`);
  checkModelOptions(place, options, { ...NAMES, ...more });
}

function common(
  rest: ModelOptions & Pick<ProviderOptions, 'description'>,
  options: ProviderOptions,
): ModelOptions & {
  readonly description: JsonObject;
  readonly secrets: Readonly<Record<string, string>>;
} {
  const { apiKey, baseUrl } = options;
  return {
    ...rest,
    description: { ...rest.description, ...defined({ base_url: baseUrl }) },
    secrets: defined({ api_key: apiKey }),
  };
}

function base(baseUrl: string | undefined): { readonly baseURL?: string } {
  return baseUrl === undefined ? {} : { baseURL: checkUrl(baseUrl) };
}

function checkKey(name: string, apiKey: string | undefined): string {
  if (apiKey !== undefined && typeof apiKey !== 'string')
    throw new LlmError('CONFIG', checks.wrongValue(`apiKey of ${name}`, 'the key as a text', apiKey));
  if (apiKey !== undefined && apiKey.trim() !== '') return apiKey;
  throw new LlmError('CONFIG', `${name} needs an API key; give { apiKey }`);
}

// The names are those for which the reference uses this API, so that stored items fit; and o1 and later,
// which hand out their reasoning nowhere else.
function usesResponses(id: string): boolean {
  return /gpt-5|codex-mini-latest|^o[1-9]/.test(id.toLowerCase());
}
