import { z } from 'zod';

import type { Json, JsonObject } from '../json.ts';
import { ToolError } from './tool-error.ts';

const VALUES = new Set(['default', 'const', 'enum', 'examples']);

/** The JSON Schema that a model gets for a tool's arguments. Throws `INVALID_DEFINITION` when there is none. */
export function toInputSchema(name: string, schema: z.ZodObject): JsonObject {
  try {
    // what cannot be said about the output is no JSON, and an event could not keep it
    z.toJSONSchema(schema, { io: 'output' });
    const { $schema: _, ...json } = z.toJSONSchema(schema, { io: 'input', reused: 'inline', override: closeObject });
    return simplify(json as JsonObject) as JsonObject;
  } catch (cause) {
    throw new ToolError('INVALID_DEFINITION', `input of tool ${name} has no JSON Schema`, { cause });
  }
}

type SchemaPart = { zodSchema: z.core.$ZodTypes; jsonSchema: z.core.JSONSchema.BaseSchema };

// providers with strict schemas want every object closed; zod says so only of what a schema yields
function closeObject({ zodSchema, jsonSchema }: SchemaPart): void {
  if (zodSchema._zod.def.type === 'object') jsonSchema.additionalProperties ??= false;
}

// not every provider takes a list of types, or bounds that say no more than that numbers are doubles
function simplify(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(simplify);
  if (typeof schema !== 'object' || schema === null) return schema;
  const simple: Record<string, Json> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'type' && Array.isArray(value)) simple['anyOf'] = value.map((type: Json) => ({ type }));
    else if (key === 'minimum' && value === Number.MIN_SAFE_INTEGER) continue;
    else if (key === 'maximum' && value === Number.MAX_SAFE_INTEGER) continue;
    else simple[key] = VALUES.has(key) ? value : simplify(value);
  }
  return simple;
}
