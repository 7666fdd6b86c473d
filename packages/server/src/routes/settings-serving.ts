import type { Cipher, JsonObject } from '@conv/core';

/** Options of serving stored settings. */
export interface SettingsServing {
  readonly cipher?: Cipher | undefined;
  /** Asks a model a short question. Rejects with the model's error. Default: only the model's description is checked. */
  readonly checkModel?: ((llm: JsonObject) => Promise<void>) | undefined;
}
