import { z } from 'zod';
import { absent, jsonObject, kept, keptAs, named, orNull } from '../schema/index.ts';

/** The place of the conversation in a prompt of one's own. */
const CONVERSATION = /\{\{\s*instance_text\s*\}\}/;

const metaProfileClassSchema = keptAs('MetaProfileClass', {
  /** The kind of tasks, in words, for the model that classifies. */
  description: z.string(),
  /** The name of the model profile for these tasks. */
  model: z.string(),
});

/**
 * Rules that choose among model profiles: a model names the class of a task, or, with a prompt of one's own, the profile itself. A stored
 * object may have neither classes nor a prompt.
 */
export const metaProfileSchema = named(
  'MetaProfile',
  kept({
    /** The name of the model profile that classifies. */
    classifier_model: z.string(),
    classes: z.array(metaProfileClassSchema).default([]),
    /** With `{{ instance_text }}`, where the conversation stands, and `{{ model_table }}`. */
    prompt_template: orNull(z.string()),
    model_table: orNull(z.string()),
  }).superRefine(({ classes, prompt_template: prompt }, context) => {
    const refuse = (message: string): void => context.addIssue({ code: 'custom', path: ['prompt_template'], message });
    if (prompt === null) return;
    if (!CONVERSATION.test(prompt)) refuse('expected {{ instance_text }} in the prompt, where the conversation stands');
    else if (classes.length > 0) refuse('expected a prompt or classes, found both');
  }),
);

/** Parameters of the tool that applies such rules, as stored agents have them. */
export const routeTaskParamsSchema = kept({
  /** The name of stored rules. */
  active_meta_profile: absent(z.nullable(z.string())),
  /** Rules for a place that does not have the stored ones. */
  meta_profile: absent(z.nullable(metaProfileSchema)),
  /** LLM objects by the names of profiles, for a place that does not have the profiles. */
  meta_profile_llms: absent(z.nullable(z.record(z.string(), jsonObject))),
});
