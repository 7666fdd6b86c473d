import { z } from 'zod';
import type { JsonObject } from '@conv/core/events';
import { absent, boolean, described, jsonObject, oneOf } from '../schema/index.ts';

/** A variable in the text of a skill. */
const inputMetadataSchema = described('InputMetadata', { description: z.string(), name: z.string() });

/** Words in a message. */
const keywordTriggerSchema = described('KeywordTrigger', {
  keywords: z.array(z.string()),
  type: absent(z.literal('keyword'), 'keyword'),
});

/** Files that are touched. */
const pathTriggerSchema = described('PathTrigger', {
  paths: z.array(z.string()),
  type: absent(z.literal('path'), 'path'),
});

/** Words in a message, with inputs to ask for. */
const taskTriggerSchema = described('TaskTrigger', {
  triggers: z.array(z.string()),
  type: absent(z.literal('task'), 'task'),
});

/** The condition under which the model gets a skill's text without requesting it. */
const skillTriggerSchema = oneOf<JsonObject>({
  by: 'type',
  members: { keyword: keywordTriggerSchema, task: taskTriggerSchema, path: pathTriggerSchema },
  absent: (trigger) =>
    'keywords' in trigger ? 'keyword' : 'triggers' in trigger ? 'task' : 'paths' in trigger ? 'path' : undefined,
});

/** Files beside a skill. */
const skillResourcesSchema = described('SkillResources', {
  assets: absent(z.array(z.string())),
  references: absent(z.array(z.string())),
  scripts: absent(z.array(z.string())),
  skill_root: z.string(),
});

export const skillDescriptionSchema = described('Skill', {
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
});
