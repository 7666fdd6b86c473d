import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { RetryOptions } from './retry.ts';

/** US dollars per million tokens. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  /** Prompt tokens read from the provider's cache. Default: as `input`. */
  readonly cacheRead?: number;
  /** Prompt tokens written to the provider's cache. Default: as `input`. */
  readonly cacheWrite?: number;
}

/** Settings that are sent with every call, if the provider supports them. */
export type CallSettings = Pick<
  LanguageModelV4CallOptions,
  'maxOutputTokens' | 'temperature' | 'topP' | 'topK' | 'seed' | 'reasoning' | 'headers' | 'providerOptions'
>;

/** Options of every model. */
export interface ModelOptions {
  /**
   * The context window in tokens. Default: from a table of public models; for a model that it lacks, metrics show 0.
   */
  readonly contextWindow?: number;
  /** The price. Default: from a table of public prices; calls of a model that it lacks are recorded with cost 0. */
  readonly price?: ModelPrice;
  /** The name under which the calls of the model are counted. Default: the usage id of the agent. */
  readonly usageId?: string;
  /** `false` replaces images by a note. Default `true`. */
  readonly vision?: boolean;
  /**
   * `true` for a model that knows no calls of tools: the system prompt describes the tools, and the model writes its calls as text. In the LLM object it
   * is `native_tool_calling: false`. Default `false`.
   */
  readonly textCalls?: boolean;
  readonly settings?: CallSettings;
  /**
   * Milliseconds without a byte after which an attempt fails with `TIMEOUT`: for the whole answer, or between two pieces of a
   * streamed answer. Default 300000.
   */
  readonly timeout?: number;
  /** Milliseconds without a byte between two pieces of a streamed answer. Default: `timeout`. */
  readonly idleTimeout?: number;
  readonly retry?: RetryOptions;
}
