import { LlmError } from './llm-error.ts';
import type { Model } from './model.ts';
import { anthropic, google, openai, openaiCompatible, type OpenaiOptions } from './providers.ts';

/**
 * The model of a name in the form `provider/model`. With a base URL every provider but `anthropic`, `gemini` and `google` is
 * spoken to in Chat Completions; the first part of the name then only says so and is not sent, if it is one of the known.
 * Throws {@link LlmError} `CONFIG` for a provider that is not known and has no base URL, and without a needed key.
 */
export function modelFromName(name: string, options: OpenaiOptions): Model {
  const slash = name.indexOf('/');
  const vendor = slash === -1 ? '' : name.slice(0, slash);
  const id = name.slice(slash + 1);
  const { baseUrl, api, ...rest } = options;
  if (baseUrl !== undefined)
    return behindUrl(name, { vendor, id }, { ...rest, baseUrl, ...(api === undefined ? {} : { api }) });
  switch (vendor) {
    case '':
    case 'openai':
      return openai(id, { ...rest, ...(api === undefined ? {} : { api }) });
    case 'anthropic':
      return anthropic(id, rest);
    case 'gemini':
    case 'google':
      return google(id, rest);
    case 'openrouter':
      return openaiCompatible(id, { ...rest, name, baseUrl: 'https://openrouter.ai/api/v1' });
    default:
      throw new LlmError('CONFIG', `${name}: provider ${JSON.stringify(vendor)} is not known; a base URL is needed`);
  }
}

/** Prefixes that name a way to a model and are no part of the id behind it. */
const ROUTES = new Set(['openai', 'litellm_proxy', 'openrouter', 'hosted_vllm', 'ollama', 'lm_studio', 'openai_like']);

function behindUrl(
  name: string,
  { vendor, id }: { readonly vendor: string; readonly id: string },
  options: OpenaiOptions & { readonly baseUrl: string },
): Model {
  const { api, ...rest } = options;
  if (api === 'responses' && rest.apiKey !== undefined) return openai(ROUTES.has(vendor) ? id : name, { ...rest, api });
  const sent = ROUTES.has(vendor) ? id : name;
  return openaiCompatible(sent, { ...rest, name: vendor === '' ? `openai/${name}` : name });
}
