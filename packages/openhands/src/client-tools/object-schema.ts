import type { Json, JsonObject } from '@conv/core';
import { isJsonObject } from '@conv/core/platform';
import { z } from 'zod';

/** Keywords whose members are schemas, named by properties or definitions. */
const NAMED = new Set(['properties', '$defs', 'definitions']);

/**
 * Keywords that only the client that executes the call checks. Patterns are written for other engines, and a slow pattern would
 * block this process. The meaning of a format is not defined, and the client fills in defaults.
 */
const LEFT_OUT = new Set(['pattern', 'patternProperties', 'format', 'default']);

/** Keywords whose refusals depend on patterns of names, if the schema has such patterns. */
const BESIDE_PATTERNS = new Set(['additionalProperties', 'unevaluatedProperties']);

/**
 * Returns a schema of arguments from a JSON Schema of an object. Unnamed arguments are refused, because no reader of the event
 * would take them. A part that cannot be checked here is checked by its type alone.
 */
export function fromObjectSchema(parameters: JsonObject): z.ZodObject {
  const { $defs, definitions } = parameters;
  const shared = { ...($defs ? { $defs } : {}), ...(definitions ? { definitions } : {}) };
  const required = new Set(Array.isArray(parameters['required']) ? (parameters['required'] as readonly Json[]) : []);
  const shape = Object.entries(asObject(parameters['properties'])).map(([name, schema]) => {
    const member = memberOf(schema, shared);
    return [name, required.has(name) ? member : member.optional()] as const;
  });
  return z.strictObject(Object.fromEntries(shape));
}

function memberOf(schema: Json, shared: JsonObject): z.ZodType {
  if (!isJsonObject(schema)) return anything();
  const whole = withoutLeftOut({ ...schema, ...shared }) as JsonObject;
  return converted(whole) ?? converted({ type: whole['type'] ?? null }) ?? anything();
}

function converted(schema: JsonObject): z.ZodType | undefined {
  if (!('type' in schema) && !('enum' in schema) && !('$ref' in schema) && !('anyOf' in schema)) return undefined;
  try {
    return z.fromJSONSchema(schema as z.core.JSONSchema.JSONSchema);
  } catch {
    return undefined;
  }
}

/** `z.unknown()` takes what is absent. */
function anything(): z.ZodType {
  return z.unknown().refine((value) => value !== undefined, 'is required');
}

function withoutLeftOut(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(withoutLeftOut);
  if (!isJsonObject(schema)) return schema;
  const named = 'patternProperties' in schema;
  const kept = Object.entries(schema).filter(
    ([keyword]) => !LEFT_OUT.has(keyword) && !(named && BESIDE_PATTERNS.has(keyword)),
  );
  return Object.fromEntries(
    kept.map(([keyword, value]) => [keyword, NAMED.has(keyword) ? withoutLeftOutOfEach(value) : withoutLeftOut(value)]),
  );
}

function withoutLeftOutOfEach(schemas: Json): JsonObject {
  return Object.fromEntries(Object.entries(asObject(schemas)).map(([name, schema]) => [name, withoutLeftOut(schema)]));
}

/** Returns the value if it is an object, else an object without members. */
function asObject(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
