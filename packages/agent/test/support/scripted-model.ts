import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4Content } from '@ai-sdk/provider';
import { createModel, type CreateModelOptions, type Model } from '../../src/index.ts';

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
const finishReason = { unified: 'stop' as const, raw: 'stop' };

/** A model at the level of the AI SDK's interface, for what no HTTP endpoint here can say. */
export function scriptedModel(
  moves: readonly (readonly LanguageModelV4Content[] | Error)[],
  options: Omit<CreateModelOptions, 'languageModel'> = {},
): Model & { readonly calls: LanguageModelV4CallOptions[] } {
  const calls: LanguageModelV4CallOptions[] = [];
  const next = (call: LanguageModelV4CallOptions): readonly LanguageModelV4Content[] => {
    const move = moves[calls.length];
    calls.push(call);
    if (move === undefined) throw new Error('the script is used up');
    if (move instanceof Error) throw move;
    return move;
  };
  const languageModel: LanguageModelV4 = {
    specificationVersion: 'v4',
    provider: 'scripted',
    modelId: 'model',
    supportedUrls: {},
    doGenerate: async (call) => ({
      content: [...next(call)],
      finishReason,
      usage,
      warnings: [],
      response: { id: `r${calls.length}` },
    }),
    doStream: async () => Promise.reject(new Error('not scripted')),
  };
  return { ...createModel({ languageModel, ...options }), calls };
}
