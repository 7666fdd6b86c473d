import type { HookConfig } from '@conv/openhands/descriptions';
import type { SkillsRequest, SkillsResponse } from '@conv/openhands/rest';

/** Models, skills and hooks that an application offers. Clients ask for them when they configure agents. */
export interface Knowledge {
  /** Names of models by provider, the recommended models first. A model is requested as `provider/model`. */
  readonly models: Readonly<Record<string, readonly string[]>>;
  /** Finds the skills that an agent would have. Default: there are none. */
  readonly skills?: (request: SkillsRequest) => Promise<SkillsResponse>;
  /** Reads the hooks that a project brings along; `undefined` when it has none. What it rejects with the client is told. */
  readonly hooks?: (projectDir: string) => Promise<HookConfig | undefined>;
}
