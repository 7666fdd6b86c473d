import { checks } from '@conv/core';
import { checkModelOptions } from '../check-model-options.ts';
import { LlmError } from '../llm-error.ts';
import { isRoute, modelFromName } from './model-from-name.ts';
import { checkUrl } from '../check-url.ts';
import type { Model } from '../model.ts';
import type { ModelOptions, ModelPrice } from '../model-options.ts';
import { redact } from '../redact.ts';
import { defined } from '../../base/defined.ts';

/** Variables by name, such as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Makes the model that the environment names.
 *
 * | variable | meaning |
 * | --- | --- |
 * | `LLM_MODEL` | `openai/…`, `anthropic/…`, `gemini/…` or `google/…`; needed |
 * | `LLM_API_KEY` | needed without a base URL |
 * | `LLM_BASE_URL` | an endpoint that speaks Chat Completions; a leading `openai/` of the model is then not sent |
 * | `LLM_PRICE_INPUT`, `LLM_PRICE_OUTPUT`, `LLM_PRICE_CACHE_READ`, `LLM_PRICE_CACHE_WRITE` | US dollars per million tokens; default: public prices |
 * | `LLM_CONTEXT_WINDOW` | tokens; default: as public tables say |
 *
 * Throws {@link LlmError} `CONFIG` that names the variable that is missing or wrong. Empty means not set.
 */
export function modelFromEnvironment(environment: Environment = process.env, options: ModelOptions = {}): Model {
  checkModelOptions('modelFromEnvironment', options);
  if (typeof environment !== 'object' || environment === null)
    throw new LlmError('CONFIG', checks.wrongValue('modelFromEnvironment: environment', 'process.env', environment));
  const variable = (name: string): string | undefined => environment[name]?.trim() || undefined;
  const name = variable('LLM_MODEL');
  if (name === undefined) throw new LlmError('CONFIG', 'LLM_MODEL is not set: name a model, such as openai/gpt-5');
  const apiKey = variable('LLM_API_KEY');
  const baseUrl = variable('LLM_BASE_URL');
  if (apiKey === undefined && baseUrl === undefined) {
    throw new LlmError(
      'CONFIG',
      `LLM_API_KEY is not set: ${name} needs a key, or LLM_BASE_URL an endpoint without one`,
    );
  }
  if (baseUrl !== undefined) checkUrl(baseUrl, 'LLM_BASE_URL');
  const price = priceFrom(variable);
  const contextWindow = numberFrom(variable, 'LLM_CONTEXT_WINDOW', 1);
  return modelFromName(baseUrl === undefined ? name : routedName(name, baseUrl), {
    ...defined({ apiKey, baseUrl, price, contextWindow }),
    ...options,
  });
}

/** Returns the name of a model behind a base URL: even `anthropic/…` is then only the endpoint's name for the model. */
function routedName(name: string, baseUrl: string): string {
  return isRoute(name.split('/', 1)[0] ?? '', baseUrl) ? name : `openai/${name}`;
}

type Variable = (name: string) => string | undefined;

function priceFrom(variable: Variable): ModelPrice | undefined {
  const input = numberFrom(variable, 'LLM_PRICE_INPUT');
  const output = numberFrom(variable, 'LLM_PRICE_OUTPUT');
  const cacheRead = numberFrom(variable, 'LLM_PRICE_CACHE_READ');
  const cacheWrite = numberFrom(variable, 'LLM_PRICE_CACHE_WRITE');
  if (input === undefined && output === undefined) {
    if (cacheRead === undefined && cacheWrite === undefined) return undefined;
    throw new LlmError('CONFIG', 'LLM_PRICE_INPUT is not set: prices of a cache need those of tokens beside them');
  }
  return { input: input ?? 0, output: output ?? 0, ...defined({ cacheRead, cacheWrite }) };
}

function numberFrom(variable: Variable, name: string, least = 0): number | undefined {
  const value = variable(name);
  if (value === undefined) return undefined;
  const number = Number(value);
  if (Number.isFinite(number) && number >= least) return number;
  throw new LlmError(
    'CONFIG',
    `${name} expected a number of at least ${least}, found ${JSON.stringify(redact(value))}`,
  );
}
