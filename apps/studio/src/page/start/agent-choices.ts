import type { AgentChoice } from './start-form.ts';

/** An agent that the server keeps under a name. */
export interface AgentProfileChoice {
  readonly id: string;
  readonly name: string;
  readonly about: string;
}

/** The agents that the server offers. */
export interface AgentChoices {
  readonly profiles: readonly AgentProfileChoice[];
  /** The choice before a person makes one. */
  readonly preferred: AgentChoice;
}

/** The tools of an agent whose settings name none. */
export const DEFAULT_TOOLS: ReadonlySet<string> = new Set(['terminal', 'file_editor', 'task_tracker']);

/** Answer of a server about its agent profiles. */
export interface SaidProfiles {
  readonly profiles?: readonly {
    readonly id: string;
    readonly name: string;
    readonly llm_profile_ref?: string | null;
  }[];
  readonly active_agent_profile_id?: string | null;
}

/** Answer of a server about its models. */
export interface SaidModels {
  readonly profiles?: readonly { readonly name: string; readonly model?: string | null }[];
}

/** Returns the agents that can start: agents whose model the server keeps. */
export function toChoices(
  { profiles = [], active_agent_profile_id: active }: SaidProfiles,
  known: SaidModels,
): AgentChoices {
  const models = new Map((known.profiles ?? []).map(({ name, model }) => [name, model ?? name]));
  const found = profiles.flatMap(({ id, name, llm_profile_ref: ref }) => {
    const model = ref === null || ref === undefined ? undefined : models.get(ref);
    return model === undefined ? [] : [{ id, name, about: model }];
  });
  const [first] = found;
  const preferred = found.find(({ id }) => id === active) ?? first;
  return { profiles: found, preferred: preferred ? { profile: preferred.id } : { own: true } };
}
