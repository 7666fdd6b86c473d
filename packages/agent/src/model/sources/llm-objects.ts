import type { JsonObject } from '@conv/core/events';

/** LLM objects by names, as they are stored: with encrypted keys. Each is read anew, so that several processes may use them. */
export interface LlmObjects {
  /** Resolves with the names of all objects, in any order. */
  names(): Promise<readonly string[]>;
  /** Resolves with an object; `undefined` if there is none. */
  get(name: string): Promise<JsonObject | undefined>;
  /** Stores an object in one step, in place of the one of this name. Resolves when it is durable. */
  save(name: string, llm: JsonObject): Promise<void>;
  /** Removes an object. Resolves with true if it existed. */
  delete(name: string): Promise<boolean>;
}
