import type { HookConfig } from '@conv/openhands/descriptions';
import type { SkillsRequest, SkillsResponse } from '@conv/openhands/rest';

/** What an application knows of the things that agents are made of. Clients ask for it when they put agents together. */
export interface Knowledge {
  /** Names of models by their provider, those that work well first. A model is asked for as `provider/model`. */
  readonly models: Readonly<Record<string, readonly string[]>>;
  /** Finds the skills that an agent would have. Default: there are none. */
  readonly skills?: (request: SkillsRequest) => Promise<SkillsResponse>;
  /** Reads the hooks that a project brings along; `undefined` when it has none. What it rejects with the client is told. */
  readonly hooks?: (projectDir: string) => Promise<HookConfig | undefined>;
}
