import { basename } from 'node:path';
import { keptJson, type JsonObject } from '@conv/core';
import { isJsonObject, isObject } from '@conv/core/platform';
import { z } from 'zod';
import { AgentError } from '../base/agent-error.ts';
import { defined } from '../base/defined.ts';
import { firstProblem } from '../base/first-problem.ts';
import { readFrontMatter } from '../skills/front-matter.ts';
import type { InvalidFile } from '../skills/markdown-folder.ts';
import type { AgentDefinition } from './agent-definition.ts';

// Names stand in tags and in texts that models read.
const name = z
  .string()
  .trim()
  .min(1)
  .max(128)
  .regex(/^[^\p{Cc}<>]+$/u, 'must be one line without < and >');
const word = z.string().trim().min(1).max(256);
/** A list of words, or one text with commas between them. */
const words = z.union([
  z.array(word).max(100),
  z.string().transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  ),
]);
const servers = z.record(
  z.string(),
  z.custom<object>((value) => isObject(value), 'must be an object'),
);
const permissionMode = z.enum(['always_confirm', 'confirm_risky', 'never_confirm']);

/** The front matter of a sub-agent's file. Unknown members are ignored, and `null` counts as left out. */
const definitionSchema = z.preprocess(
  (matter) =>
    isObject(matter) ? Object.fromEntries(Object.entries(matter).filter(([, value]) => value !== null)) : matter,
  z.object({
    name: name.optional(),
    description: z.string().trim().min(1).max(4_000).optional(),
    tools: words.optional(),
    skills: words.optional(),
    model: word.optional(),
    permission_mode: permissionMode.optional(),
    max_iteration_per_run: z.number().int().min(1).optional(),
    max_budget_per_run: z.number().positive().optional(),
    hooks: z
      .custom<JsonObject>(isJsonObject, 'must be an object')
      .transform(keptJson<'hooks'>)
      .optional(),
    mcp_servers: servers.optional(),
    mcp_config: servers.optional(),
    condenser: z.union([z.string(), z.boolean(), z.custom<JsonObject>(isJsonObject, 'must be an object')]).optional(),
    color: z.coerce.string().optional(),
    profile_store_dir: z.string().optional(),
  }),
);

/** Members of front matter that a definition has. Others are metadata. */
const KNOWN: ReadonlySet<string> = new Set([
  'name',
  'description',
  'tools',
  'skills',
  'model',
  'permission_mode',
  'max_iteration_per_run',
  'max_budget_per_run',
  'hooks',
  'mcp_servers',
  'mcp_config',
  'condenser',
  'color',
  'profile_store_dir',
]);

/** Words in the place of a condenser that mean none. */
const NO_CONDENSER: ReadonlySet<unknown> = new Set([false, 'none', 'off', 'false', 'no', 'disable', 'disabled']);

/** Words in the place of a condenser that mean that of the calling agent. */
const SAME_CONDENSER: ReadonlySet<unknown> = new Set([true, '', 'default', 'inherit']);

/** Makes the error for a file of a sub-agent. */
export const invalidDefinition: InvalidFile = (path, what, cause) =>
  new AgentError('INVALID_AGENT', `agent ${path}: ${what}`, cause === undefined ? {} : { cause });

/** Parses the sub-agent in the text of a file. Rejects {@link AgentError} `INVALID_AGENT` that names the file and the field. */
export async function parseDefinition(text: string, path: string): Promise<AgentDefinition> {
  const { data, content } = await readFrontMatter(text, path, invalidDefinition);
  const read = definitionSchema.safeParse(data);
  if (!read.success) throw invalidDefinition(path, firstProblem(read.error), read.error);
  const { description, model, tools, skills, hooks, mcp_config, mcp_servers: mcpServers = mcp_config } = read.data;
  if (description === undefined)
    throw invalidDefinition(path, 'description: an agent needs one, by which it is chosen');
  return {
    name: read.data.name ?? basename(path).replace(/\.md$/i, ''),
    description,
    source: path,
    ...defined({ systemPrompt: content || undefined, model, tools, skills, hooks, mcpServers }),
    ...defined({
      permissionMode: read.data.permission_mode,
      maxIterations: read.data.max_iteration_per_run,
      maxBudget: read.data.max_budget_per_run,
      condenser: condenserIn(read.data.condenser, path),
    }),
    ...defined({ extra: extraOf(data, read.data) }),
  };
}

function condenserIn(given: string | boolean | JsonObject | undefined, path: string): JsonObject | undefined {
  if (isJsonObject(given)) return given;
  const word = typeof given === 'string' ? given.trim().toLowerCase() : given;
  if (word === undefined || SAME_CONDENSER.has(word)) return undefined;
  if (NO_CONDENSER.has(word)) return { kind: 'NoOpCondenser' };
  throw invalidDefinition(path, `condenser: expected default, none or an object, found ${JSON.stringify(given)}`);
}

/** Returns the members that clients show and that have no effect here. */
function extraOf(
  matter: unknown,
  { color, profile_store_dir, description = '' }: z.output<typeof definitionSchema>,
): JsonObject | undefined {
  const rest = isObject(matter) ? Object.entries(matter).filter(([name]) => !KNOWN.has(name)) : [];
  const examples = Array.from(description.matchAll(/<example>(.*?)<\/example>/gis), ([, text = '']) => text.trim());
  const when = examples.filter((text) => text !== '');
  const extra: JsonObject = {
    ...defined({ color, profile_store_dir }),
    ...(when.length === 0 ? {} : { when_to_use_examples: when }),
    // dates and other values of YAML become texts
    ...(rest.length === 0 ? {} : { metadata: JSON.parse(JSON.stringify(Object.fromEntries(rest))) as JsonObject }),
  };
  return Object.keys(extra).length === 0 ? undefined : extra;
}
