import type { SharedV4ProviderOptions } from '@ai-sdk/provider';
import { readLlm } from '@conv/openhands/descriptions';
import type { Model } from './model.ts';
import type { CallSettings } from './model-options.ts';
import { defined } from '../base/defined.ts';

/**
 * Returns the model for the calls of one conversation, fallbacks included. OpenAI caches prompts by a key, which is the
 * conversation's id unless the model's settings name another key. Other providers need no key.
 */
export function forConversation(model: Model, conversationId: string): Model {
  const { fallbacks, settings } = model;
  const providerOptions = withCacheKey(model, conversationId);
  const pinned: CallSettings = { ...settings, ...defined({ providerOptions }) };
  return {
    ...model,
    settings: pinned,
    ...defined({ fallbacks: fallbacks?.map((fallback) => forConversation(fallback, conversationId)) }),
  };
}

function withCacheKey(model: Model, key: string): SharedV4ProviderOptions | undefined {
  const given = model.settings?.providerOptions;
  const { provider } = model.languageModel;
  if (/^(?:openai|azure)(?:\.|$)/.test(provider))
    return { ...given, openai: { promptCacheKey: key, ...given?.['openai'] } };
  if (isAtOpenai(model))
    return { ...given, openaiCompatible: { prompt_cache_key: key, ...given?.['openaiCompatible'] } };
  // Other servers refuse members that they do not know.
  return given;
}

function isAtOpenai({ description, languageModel: { provider } }: Model): boolean {
  const { base_url: url = '' } = readLlm(description);
  return provider.startsWith('openaiCompatible') && URL.canParse(url) && new URL(url).hostname === 'api.openai.com';
}
