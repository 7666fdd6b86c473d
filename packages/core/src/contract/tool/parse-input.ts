import { z } from 'zod';

import { isJsonObject, isObject, type Json, type JsonObject } from '../../platform/json.ts';
import { describeIssues, valueAt } from './describe-issues.ts';
import { ToolError } from '../errors/tool-error.ts';
import { isZod4, runSchema, type SchemaResult, type ToolSchema } from './tool-schema.ts';

/** The schema that checks arguments, and the JSON Schema that the model is given. */
export interface InputSchema {
  readonly schema: ToolSchema;
  readonly json: JsonObject;
}

/** Returns the input that the schema makes of arguments. Throws {@link ToolError} `INVALID_INPUT` that names the error. */
export function parseInput(name: string, { schema, json }: InputSchema, input: unknown): Json {
  const given = withoutEmptyOptions({ schema, json }, input);
  // a zod object refuses unknown arguments by itself
  const unknown = isZod4(schema) && 'strict' in schema ? [] : unknownArguments(json, given);
  const wrong = unknown.length > 0 ? [`(arguments): unknown ${unknown.join(', ')}`] : [];
  const parsed = check(schema, given);
  if (parsed.wrong === undefined && wrong.length === 0) return parsed.value as Json;
  const said = [...(parsed.wrong === undefined ? [] : [parsed.wrong]), ...wrong].join('; ');
  throw new ToolError('INVALID_INPUT', `Invalid arguments for tool '${name}': ${said}`, { cause: parsed.cause });
}

interface Checked {
  readonly value?: unknown;
  readonly wrong?: string;
  readonly cause?: unknown;
}

function check(schema: ToolSchema, given: unknown): Checked {
  if (isZod4(schema)) {
    const parsed = z.core.safeParse(schema, given);
    // zod's own messages may quote values, and values may be secrets
    return parsed.success
      ? { value: parsed.data }
      : { wrong: describeIssues(given, parsed.error.issues), cause: parsed.error };
  }
  const result = runSchema(schema, given);
  if (result.issues === undefined) return { value: result.value };
  return { wrong: result.issues.map((issue) => describe(given, issue)).join('; '), cause: result.issues };
}

/** Names the argument. Uses the library's message unless it quotes the value. */
function describe(input: unknown, { message, path = [] }: NonNullable<SchemaResult['issues']>[number]): string {
  const keys = path.map((part) => (typeof part === 'object' ? part.key : part));
  const value = valueAt(input, keys);
  const quoted = typeof value === 'object' ? JSON.stringify(value) : String(value as string);
  const name = keys.length === 0 ? '(arguments)' : keys.map(String).join('.');
  if (value === undefined) return `${name}: is required`;
  return `${name}: ${quoted !== '' && message.includes(quoted) ? 'does not fit its schema' : message}`;
}

function unknownArguments(json: JsonObject, given: unknown): readonly string[] {
  if (json['additionalProperties'] !== false || typeof given !== 'object' || given === null) return [];
  return Object.keys(given).filter((key) => !Object.hasOwn(asObject(json['properties']), key));
}

// models write null for what they leave out
function withoutEmptyOptions(input: InputSchema, given: unknown): unknown {
  if (!isObject(given)) return given;
  return Object.fromEntries(
    Object.entries(given).filter(([key, value]) => !(value === null && isLeftOutByNull(input, key))),
  );
}

function isLeftOutByNull({ schema, json }: InputSchema, key: string): boolean {
  const shape = 'shape' in schema ? (schema.shape as Readonly<Record<string, unknown>>) : undefined;
  const member = shape && Object.hasOwn(shape, key) ? shape[key] : undefined;
  if (isZod4(member)) return z.core.safeParse(member, undefined).success && !z.core.safeParse(member, null).success;
  const properties = asObject(json['properties']);
  const required = (json['required'] ?? []) as readonly Json[];
  return Object.hasOwn(properties, key) && !required.includes(key) && !takesNull(properties[key]);
}

function takesNull(schema: Json | undefined): boolean {
  if (!isJsonObject(schema)) return true;
  const { type, anyOf, enum: values, const: value } = schema;
  if (Array.isArray(anyOf)) return anyOf.some(takesNull);
  if (Array.isArray(values)) return values.includes(null);
  return value === null || type === 'null' || (type === undefined && value === undefined && !('$ref' in schema));
}

/** Returns the value if it is an object, else an object without members. */
function asObject(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
