import { z } from 'zod';
import type { JsonObject } from '@conv/core/events';
import { absent } from '../schema/kept-member.ts';
import { oneOf } from '../schema/one-of.ts';
import { named } from '../schema/named.ts';
import { kept } from '../schema/objects.ts';
import { boolean, jsonObject } from '../schema/scalars.ts';

/** A variable in the text of a skill. */
export interface InputMetadata {
  readonly description: string;
  readonly name: string;
}

const inputMetadataSchema: z.ZodType<InputMetadata> = named(
  'InputMetadata',
  kept({
    description: z.string(),
    name: z.string(),
  }),
);

/** Words in a message. */
export interface KeywordTrigger {
  readonly keywords: readonly string[];
  readonly type?: 'keyword';
}

const keywordTriggerSchema: z.ZodType<KeywordTrigger> = named(
  'KeywordTrigger',
  kept({
    keywords: z.array(z.string()),
    type: absent(z.literal('keyword'), 'keyword'),
  }),
);

/** Files that are touched. */
export interface PathTrigger {
  readonly paths: readonly string[];
  readonly type?: 'path';
}

const pathTriggerSchema: z.ZodType<PathTrigger> = named(
  'PathTrigger',
  kept({
    paths: z.array(z.string()),
    type: absent(z.literal('path'), 'path'),
  }),
);

/** Words in a message, with inputs to ask for. */
export interface TaskTrigger {
  readonly triggers: readonly string[];
  readonly type?: 'task';
}

const taskTriggerSchema: z.ZodType<TaskTrigger> = named(
  'TaskTrigger',
  kept({
    triggers: z.array(z.string()),
    type: absent(z.literal('task'), 'task'),
  }),
);

/** When a skill's text is given to the model without being asked for. */
export type SkillTrigger = KeywordTrigger | TaskTrigger | PathTrigger;

const skillTriggerSchema: z.ZodType<SkillTrigger> = oneOf<SkillTrigger>({
  by: 'type',
  members: { keyword: keywordTriggerSchema, task: taskTriggerSchema, path: pathTriggerSchema },
  absent: (trigger) =>
    'keywords' in trigger ? 'keyword' : 'triggers' in trigger ? 'task' : 'paths' in trigger ? 'path' : undefined,
});

/** Files beside a skill. */
export interface SkillResources {
  readonly assets?: readonly string[];
  readonly references?: readonly string[];
  readonly scripts?: readonly string[];
  readonly skill_root: string;
}

const skillResourcesSchema: z.ZodType<SkillResources> = named(
  'SkillResources',
  kept({
    assets: absent(z.array(z.string())),
    references: absent(z.array(z.string())),
    scripts: absent(z.array(z.string())),
    skill_root: z.string(),
  }),
);

/** A skill. */
export interface SkillDescription {
  readonly allowed_tools?: readonly string[] | null;
  readonly compatibility?: string | null;
  readonly content: string;
  readonly description?: string | null;
  readonly disable_model_invocation?: boolean;
  readonly inputs?: readonly InputMetadata[];
  readonly is_agentskills_format?: boolean;
  readonly license?: string | null;
  readonly mcp_tools?: Readonly<Record<string, JsonObject>> | null;
  readonly metadata?: Readonly<Record<string, string>> | null;
  readonly name: string;
  readonly resources?: SkillResources | null;
  readonly source?: string | null;
  readonly trigger?: SkillTrigger | null;
  readonly version?: string;
}

/** The schema of {@link SkillDescription}. */
export const skillDescriptionSchema: z.ZodType<SkillDescription> = named(
  'Skill',
  kept({
    allowed_tools: absent(z.nullable(z.array(z.string()))),
    compatibility: absent(z.nullable(z.string())),
    content: z.string(),
    description: absent(z.nullable(z.string())),
    disable_model_invocation: absent(boolean(), false),
    inputs: absent(z.array(inputMetadataSchema)),
    is_agentskills_format: absent(boolean(), false),
    license: absent(z.nullable(z.string())),
    mcp_tools: absent(z.nullable(z.record(z.string(), jsonObject))),
    metadata: absent(z.nullable(z.record(z.string(), z.string()))),
    name: z.string(),
    resources: absent(z.nullable(skillResourcesSchema)),
    source: absent(z.nullable(z.string())),
    trigger: absent(z.nullable(skillTriggerSchema)),
    version: absent(z.string(), '1.0.0'),
  }),
);
