import { omit } from '../../base/json.ts';
import { LlmError } from '../llm-error.ts';
import type { Model } from '../model.ts';
import { anthropic, google, openai, openaiCompatible, type OpenaiOptions, type ProviderOptions } from './providers.ts';

/**
 * Makes the model of a name in the form `provider/model`, as stored descriptions write it. `anthropic`, `gemini` and `google` use
 * their own protocols, at the base URL if there is one. Every other provider with a base URL uses Chat Completions, and a first
 * part that is only a route is not sent. Throws {@link LlmError} `CONFIG` for a provider that is not known and has no base URL, and
 * without a needed key.
 */
export function modelFromName(name: string, options: OpenaiOptions): Model {
  const slash = name.indexOf('/');
  const vendor = slash === -1 ? '' : name.slice(0, slash);
  const id = name.slice(slash + 1);
  const { baseUrl } = options;
  if (vendor === 'anthropic') return anthropic(id, options);
  if (vendor === 'gemini' || vendor === 'google') return google(id, options);
  if (baseUrl !== undefined) return behindUrl(name, { vendor, id }, { ...options, baseUrl });
  return vendor === '' || vendor === 'openai' ? openai(id, options) : atEndpoint(name, { vendor, id }, options);
}

/** Base URLs of the providers that speak Chat Completions. */
const ENDPOINTS: Readonly<Record<string, string>> = {
  deepseek: 'https://api.deepseek.com/v1',
  groq: 'https://api.groq.com/openai/v1',
  mistral: 'https://api.mistral.ai/v1',
  moonshot: 'https://api.moonshot.ai/v1',
  openhands: 'https://llm-proxy.app.all-hands.dev/v1',
  openrouter: 'https://openrouter.ai/api/v1',
  together_ai: 'https://api.together.xyz/v1',
  xai: 'https://api.x.ai/v1',
};

interface NameParts {
  readonly vendor: string;
  readonly id: string;
}

function atEndpoint(name: string, { vendor, id }: NameParts, options: ProviderOptions): Model {
  const baseUrl = Object.hasOwn(ENDPOINTS, vendor) ? ENDPOINTS[vendor] : undefined;
  if (baseUrl === undefined) {
    throw new LlmError('CONFIG', `${name}: provider ${JSON.stringify(vendor)} is not known; a base URL is needed`);
  }
  if (options.apiKey === undefined) throw new LlmError('CONFIG', `${name} needs an API key; give { apiKey }`);
  return withoutUrl(openaiCompatible(id, { ...options, name, baseUrl }));
}

/** Removes the URL from the description, because it follows from the name. */
function withoutUrl(model: Model): Model {
  return { ...model, description: omit(model.description, 'base_url') };
}

/** First parts of names that say how to get to a model and are no part of the id behind it. */
const ROUTES: ReadonlySet<string> = new Set(['openai', 'litellm_proxy', 'openrouter', 'hosted_vllm']);

function behindUrl(name: string, parts: NameParts, options: OpenaiOptions & { readonly baseUrl: string }): Model {
  const { api, ...rest } = options;
  const isRouted = isRoute(parts.vendor, rest.baseUrl);
  const id = isRouted ? parts.id : name;
  if (api === 'responses' && rest.apiKey !== undefined) return openai(id, { ...rest, api });
  return openaiCompatible(id, { ...rest, name: isRouted ? name : `openai/${name}` });
}

/** True if the first part of a name is only a route to the model behind this URL. */
export function isRoute(vendor: string, baseUrl: string): boolean {
  const own = Object.hasOwn(ENDPOINTS, vendor) ? ENDPOINTS[vendor] : undefined;
  const isOwn = own !== undefined && URL.canParse(baseUrl) && new URL(own).host === new URL(baseUrl).host;
  return isOwn || ROUTES.has(vendor);
}
