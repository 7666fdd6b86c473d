import type { Cipher, JsonObject } from '@conv/core';

/** Options of serving stored settings. */
export interface KeepServing {
  readonly cipher?: Cipher | undefined;
  /** Asks a model a short question. Rejects with what is wrong with it. Default: its description is checked alone. */
  readonly checkModel?: ((llm: JsonObject) => Promise<void>) | undefined;
}
