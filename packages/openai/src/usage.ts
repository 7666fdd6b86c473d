import type { TokenCounts } from '@conv/turns';

/** Returns tokens as the usage of a response. */
export function responseUsage({ input, output, cached, reasoning }: TokenCounts): object {
  const [ofInput, ofOutput] = [{ cached_tokens: cached }, { reasoning_tokens: reasoning }];
  const details = { input_tokens_details: ofInput, output_tokens_details: ofOutput };
  return { input_tokens: input, output_tokens: output, total_tokens: input + output, ...details };
}

/** Returns tokens as the usage of a chat completion. */
export function chatUsage({ input: prompt_tokens, output: completion_tokens }: TokenCounts): object {
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}
