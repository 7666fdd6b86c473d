import type { JsonObject } from '@conv/core/events';
import { isObject } from '../json.ts';
import { usableSecret } from '../agent/description-secrets.ts';
import { LlmError } from './llm-error.ts';
import { modelFromName } from './model-from-name.ts';
import type { CallSettings, Model } from './model.ts';
import type { OpenaiOptions } from './providers.ts';

/**
 * The model of the wire's LLM object, as OpenHands writes it too. Throws {@link LlmError} `CONFIG` when the
 * key is missing: redacted, or encrypted with another key. An OpenAI-compatible server behind `base_url` may do without one.
 */
export function modelFromDescription(llm: JsonObject): Model {
  const { model: name, base_url: baseUrl, api_mode: apiMode } = llm;
  if (typeof name !== 'string' || name === '')
    throw new LlmError('CONFIG', 'the stored description of the model has no name');
  const apiKey = usableSecret(llm['api_key']);
  const hasUrl = typeof baseUrl === 'string' && baseUrl !== '';
  if (apiKey === undefined && !hasUrl) {
    throw new LlmError(
      'CONFIG',
      `${name}: api_key is missing in the stored description (redacted, or of another cipher key)`,
    );
  }
  const model = modelFromName(name, {
    ...optionsOf(llm),
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(hasUrl ? { baseUrl } : {}),
    ...(apiMode === 'chat' || apiMode === 'responses' ? { api: apiMode } : {}),
  });
  // Others refuse a request that asks for an effort, and descriptions ask for one by default.
  const reasoning =
    model.api === 'responses' ? EFFORTS.find((effort) => effort === llm['reasoning_effort']) : undefined;
  return reasoning === undefined ? model : { ...model, settings: { ...model.settings, reasoning } };
}

const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;

function optionsOf(llm: JsonObject): Omit<OpenaiOptions, 'apiKey' | 'baseUrl' | 'api'> {
  const number = (key: string): number | undefined => (typeof llm[key] === 'number' ? llm[key] : undefined);
  const [timeout, attempts, contextWindow] = [number('timeout'), number('num_retries'), number('max_input_tokens')];
  const [input, output] = [number('input_cost_per_token'), number('output_cost_per_token')];
  return {
    settings: settingsOf(llm, number),
    ...(timeout === undefined || timeout <= 0 ? {} : { timeout: timeout * 1000 }),
    ...(attempts === undefined || attempts < 1 ? {} : { retry: { attempts } }),
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(input === undefined || output === undefined
      ? {}
      : { price: { input: input * 1_000_000, output: output * 1_000_000 } }),
    ...(llm['disable_vision'] === true ? { vision: false } : {}),
  };
}

function settingsOf(llm: JsonObject, number: (key: string) => number | undefined): CallSettings {
  const settings = {
    temperature: number('temperature'),
    topP: number('top_p'),
    topK: number('top_k'),
    seed: number('seed'),
    maxOutputTokens: number('max_output_tokens'),
  };
  const headers = isObject(llm['extra_headers']) ? Object.entries(llm['extra_headers']) : [];
  const sendable = headers.filter((header): header is [string, string] => usableSecret(header[1]) !== undefined);
  return {
    ...Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)),
    ...(sendable.length === 0 ? {} : { headers: Object.fromEntries(sendable) }),
  };
}
