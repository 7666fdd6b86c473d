import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { JsonObject } from '@conv/core/events';
import { isLlmError, type LlmError } from '../llm-error.ts';
import { describedAs, modelAlone, storedFallbacks } from './model-from-description.ts';
import type { Model } from '../model.ts';
import { withFallbacks } from '../with-fallbacks.ts';

/**
 * Returns the model of a stored LLM object, with its `fallbacks`, also when it cannot be asked here: its key is missing or encrypted
 * with another key, or its provider is unknown and has no base URL. Each call of such a model rejects {@link LlmError} `CONFIG`, which
 * says what is missing; its description stays as it is. A conversation can so be opened and continued with another model.
 */
export function storedModel(llm: JsonObject): Model {
  return withFallbacks(storedModelAlone(llm), storedFallbacks(llm).map(storedModel));
}

/** Returns the model as {@link storedModel} does, without fallbacks. */
export function storedModelAlone(llm: JsonObject): Model {
  try {
    return modelAlone(llm);
  } catch (error) {
    if (!isLlmError(error, 'CONFIG')) throw error;
    return { ...describedAs(llm), languageModel: refusing(error, llm) };
  }
}

function refusing(error: LlmError, { model }: JsonObject): LanguageModelV4 {
  const refuse = (): never => {
    throw error;
  };
  return {
    specificationVersion: 'v4',
    provider: 'unusable',
    modelId: typeof model === 'string' ? model : '',
    supportedUrls: {},
    doGenerate: async () => refuse(),
    doStream: async () => refuse(),
  };
}
