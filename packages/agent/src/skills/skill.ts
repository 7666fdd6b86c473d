/** What calls for a skill: words in what the user says, or files that are touched. */
export type SkillTrigger =
  | { readonly type: 'keyword'; readonly keywords: readonly string[] }
  | { readonly type: 'task'; readonly triggers: readonly string[] }
  | { readonly type: 'path'; readonly paths: readonly string[] };

/** Something that a task needs to be told. */
export interface SkillInput {
  readonly name: string;
  readonly description: string;
}

/**
 * Knowledge or instructions that an agent works by. Without a trigger it always stands in the prompt, unless it is `listed`:
 * then the prompt has its name, its description and where it is.
 */
export interface Skill {
  /** Unique among the skills of an agent. */
  readonly name: string;
  /** The text that the model reads, as Markdown. */
  readonly content: string;
  /** The purpose of the skill, in a sentence. By it the model chooses a listed skill. */
  readonly description?: string;
  readonly trigger?: SkillTrigger;
  /** The inputs that a task needs. */
  readonly inputs?: readonly SkillInput[];
  /** A skill of the Agent Skills format (`SKILL.md` in a folder of its own): the model is told of it and decides. Default false. */
  readonly listed?: boolean;
  /** The file that it was read from. */
  readonly source?: string;
  /** Default `1.0.0`. */
  readonly version?: string;
  readonly license?: string;
}
