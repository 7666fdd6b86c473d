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
  }),
);

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
    }),
  };
}
