import type { Cipher, JsonObject } from '@conv/core';

/** How what clients keep is served. */
export interface KeepServing {
  readonly cipher?: Cipher | undefined;
  /** Asks a model a short question. Rejects with what is wrong with it. Default: its description is checked alone. */
  readonly checkModel?: ((llm: JsonObject) => Promise<void>) | undefined;
}
