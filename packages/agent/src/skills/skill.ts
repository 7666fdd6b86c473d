/** The trigger of a skill: words in a message of the user, or files that a tool touches. */
export type SkillTrigger =
  | { readonly type: 'keyword'; readonly keywords: readonly string[] }
  | { readonly type: 'task'; readonly triggers: readonly string[] }
  | { readonly type: 'path'; readonly paths: readonly string[] };

/** An input that a task needs from the user. */
export interface SkillInput {
  readonly name: string;
  readonly description: string;
}

/**
 * Knowledge or instructions for an agent. A skill without a trigger always stands in the prompt, unless it is `listed`:
 * then the prompt has its name, its description and its location.
 */
export interface Skill {
  /** The name, unique among the skills of an agent. */
  readonly name: string;
  /** The text that the model reads, as Markdown. */
  readonly content: string;
  /** The purpose of the skill, in a sentence. By it the model chooses a listed skill. */
  readonly description?: string;
  readonly trigger?: SkillTrigger;
  /** The inputs that a task needs. */
  readonly inputs?: readonly SkillInput[];
  /** True for a `SKILL.md` in a folder of its own: the model is told of it and may read it. Default false. */
  readonly listed?: boolean;
  /** The file that the skill was read from. */
  readonly source?: string;
  /** The version. Default `1.0.0`. */
  readonly version?: string;
  readonly license?: string;
}

/** True if the model is told of the skill and may ask for it. */
export function isInvocable({ listed, trigger }: Skill): boolean {
  return listed === true && trigger?.type !== 'path';
}
