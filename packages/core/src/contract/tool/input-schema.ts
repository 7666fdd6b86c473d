import { z } from 'zod';

import { isJsonObject, type Json, type JsonObject } from '../../platform/json.ts';
import { invalidDefinition } from '../errors/tool-error.ts';
import { isZod4, type ToolSchema, wrongSchema } from './tool-schema.ts';

/** Keywords whose values are no schemas. */
const VALUES: ReadonlySet<string> = new Set(['default', 'const', 'enum', 'examples', 'required', 'type']);

/** Keywords whose members are named by properties or definitions, and whose values are schemas. */
const NAMED: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions', 'patternProperties']);

const TARGET = { target: 'draft-2020-12' } as const;

/** Returns the JSON Schema that a model gets for a tool's arguments. Throws `INVALID_DEFINITION` when there is none. */
export function toInputSchema(name: string, schema: ToolSchema): JsonObject {
  const wrong = wrongSchema(schema);
  if (wrong !== undefined) throw invalidDefinition(`input of tool ${name}: ${wrong}`);
  const { $schema: _, '~standard': _own, ...json } = convert(name, schema);
  if (json['type'] === 'object') return simplify(json as JsonObject) as JsonObject;
  const found = typeof json['type'] === 'string' ? `one of type ${json['type']}` : 'one of several types';
  throw invalidDefinition(
    `input of tool ${name}: expected a schema of an object, such as z.object({ city: z.string() }), found ${found}`,
  );
}

function convert(name: string, schema: ToolSchema): Readonly<Record<string, unknown>> {
  try {
    const standard = schema['~standard'];
    if ('jsonSchema' in standard && standard.jsonSchema !== undefined) {
      // throws for an output that JSON Schema cannot express: it would not be JSON, and an event could not hold it
      standard.jsonSchema.output(TARGET);
      return standard.jsonSchema.input(TARGET);
    }
    return ofEarlyZod(schema as unknown as z.core.$ZodType);
  } catch (cause) {
    const reason = cause instanceof Error ? `: ${cause.message}` : '';
    throw invalidDefinition(
      `input of tool ${name} has no JSON Schema${reason}; take what JSON can say, such as z.string(), and convert it in execute`,
      { cause },
    );
  }
}

/** Zod 4.0 and 4.1 have no `jsonSchema`, so core's own copy converts the schema. Metadata in the registry of the other copy is lost. */
function ofEarlyZod(schema: z.core.$ZodType): Readonly<Record<string, unknown>> {
  z.toJSONSchema(schema, { io: 'output' });
  return z.toJSONSchema(schema, {
    io: 'input',
    reused: 'inline',
    override({ zodSchema, jsonSchema }) {
      const described = zodSchema as { readonly meta?: () => Readonly<Record<string, unknown>> | undefined };
      for (const [key, value] of Object.entries(described.meta?.() ?? {})) if (key !== 'id') jsonSchema[key] ??= value;
    },
  }) as Record<string, unknown>;
}

/** True if the schema itself decides about arguments that it does not name. */
export function isOpen(schema: ToolSchema): boolean {
  return isZod4(schema) && (schema._zod.def as { readonly catchall?: unknown }).catchall !== undefined;
}

/**
 * Rewrites a schema so that every provider accepts it: objects are closed, as strict schemas require; lists of types, and bounds
 * that only state the range of a double, are removed.
 */
function simplify(schema: Json, isPartOfAll = false): Json {
  if (Array.isArray(schema)) return schema.map((each: Json) => simplify(each, isPartOfAll));
  if (!isJsonObject(schema)) return schema;
  const simple: Record<string, Json> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'type' && Array.isArray(value)) simple['anyOf'] = value.map((type: Json) => ({ type }));
    else if (key === 'minimum' && value === Number.MIN_SAFE_INTEGER) continue;
    else if (key === 'maximum' && value === Number.MAX_SAFE_INTEGER) continue;
    else if (VALUES.has(key)) simple[key] = value;
    else if (NAMED.has(key)) simple[key] = simplifyEach(value);
    else simple[key] = simplify(value, key === 'allOf');
  }
  const closes = simple['type'] === 'object' && 'properties' in simple && !('additionalProperties' in simple);
  return closes && !isPartOfAll ? { ...simple, additionalProperties: false } : simple;
}

function simplifyEach(schemas: Json): Json {
  if (!isJsonObject(schemas)) return schemas;
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, simplify(schema)]));
}
