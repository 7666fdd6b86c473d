import type { StoredHooks } from '@conv/core';
import type { SkillsRequest, SkillsResponse } from '@conv/openhands/rest';

/** Models, skills and hooks that an application offers. Clients ask for them when they configure agents. */
export interface Catalog {
  /** Names of models by provider, the recommended models first. A model is requested as `provider/model`. */
  readonly models: Readonly<Record<string, readonly string[]>>;
  /** Finds the skills that an agent would have. Default: none. */
  readonly skills?: (request: SkillsRequest) => Promise<SkillsResponse>;
  /** Reads the hooks of a project; `undefined` when it has none. A rejection is shown to the client. */
  readonly hooks?: (projectDir: string) => Promise<StoredHooks | undefined>;
}
