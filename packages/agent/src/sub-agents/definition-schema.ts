import { storedHooks, type JsonObject, type StoredHooks } from '@conv/core';
import { isJsonObject, isObject } from '@conv/core/platform';
import { z } from 'zod';
import type { PermissionMode } from './agent-definition.ts';

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

/** The front matter of a sub-agent's file. */
interface DefinitionMatter {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly tools?: readonly string[] | undefined;
  readonly skills?: readonly string[] | undefined;
  readonly model?: string | undefined;
  readonly permission_mode?: PermissionMode | undefined;
  readonly max_iteration_per_run?: number | undefined;
  readonly max_budget_per_run?: number | undefined;
  readonly hooks?: StoredHooks | undefined;
  readonly mcp_servers?: Readonly<Record<string, object>> | undefined;
  readonly mcp_config?: Readonly<Record<string, object>> | undefined;
}

/** Parses the front matter of a sub-agent's file. Unknown members are ignored, and `null` counts as left out. */
export const definitionSchema: z.ZodType<DefinitionMatter> = z.preprocess(
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
    hooks: z.custom<JsonObject>(isJsonObject, 'must be an object').transform(storedHooks).optional(),
    mcp_servers: servers.optional(),
    mcp_config: servers.optional(),
  }),
);
