import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { RetryOptions } from './retry.ts';

/** US dollars for a million tokens. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  /** Prompt tokens read from the provider's cache. Default: as `input`. */
  readonly cacheRead?: number;
  /** Prompt tokens written to the provider's cache. Default: as `input`. */
  readonly cacheWrite?: number;
}

/** What is sent along with every call, where the provider knows it. */
export type CallSettings = Pick<
  LanguageModelV4CallOptions,
  'maxOutputTokens' | 'temperature' | 'topP' | 'topK' | 'seed' | 'reasoning' | 'headers' | 'providerOptions'
>;

/** Options of every model. */
export interface ModelOptions {
  /** Tokens. Default: as a table of public models says; not known there, metrics show 0. */
  readonly contextWindow?: number;
  /** Default: as a table of public prices says; calls of a model that it does not know are recorded with cost 0. */
  readonly price?: ModelPrice;
  /** Under which name its calls are counted. Default: that of the agent. */
  readonly usageId?: string;
  /** `false` replaces images by a note. Default `true`. */
  readonly vision?: boolean;
  readonly settings?: CallSettings;
  /**
   * Milliseconds without a byte after which a try fails with `TIMEOUT`: of the whole answer, or between two pieces of a
   * streamed one. Default 300000.
   */
  readonly timeout?: number;
  readonly retry?: RetryOptions;
}
