import { checkOptionNames, type OptionNames } from '@conv/core';
import type { CallSettings, ModelOptions, ModelPrice } from './model-options.ts';
import type { RetryOptions } from './retry.ts';

const MODEL: OptionNames<ModelOptions> = {
  contextWindow: true,
  price: true,
  usageId: true,
  vision: true,
  textCalls: true,
  settings: true,
  timeout: true,
  idleTimeout: true,
  retry: true,
};

const PRICE: OptionNames<ModelPrice> = { input: true, output: true, cacheRead: true, cacheWrite: true };

const RETRY: OptionNames<RetryOptions> = {
  attempts: true,
  minDelay: true,
  maxDelay: true,
  random: true,
  onRetry: true,
  sleep: true,
};

const SETTINGS: OptionNames<CallSettings> = {
  maxOutputTokens: true,
  temperature: true,
  topP: true,
  topK: true,
  seed: true,
  reasoning: true,
  headers: true,
  providerOptions: true,
};

/** Checks the names in the options of a model, `more` beside those of every model. Throws `TypeError` with the nearest known name. */
export function checkModelOptions(
  place: string,
  options: ModelOptions,
  more: Readonly<Record<string, true>> = {},
): void {
  checkOptionNames(place, options, { ...more, ...MODEL });
  const { price, retry, settings } = options;
  if (price !== undefined) checkOptionNames(`${place}: price`, price, PRICE);
  if (retry !== undefined) checkOptionNames(`${place}: retry`, retry, RETRY);
  if (settings !== undefined) checkOptionNames(`${place}: settings`, settings, SETTINGS);
}
