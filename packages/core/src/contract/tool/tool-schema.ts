// Schemas as tools take them: by the shape that Standard Schema gives them, never by the class of one copy of one library. A class of
// another version of zod than core's would make the compiler compare the two member by member, for minutes.
import type { z } from 'zod';

import { isObject } from '../../platform/json.ts';
import { describeValue } from '../settings-input/check-option-names.ts';

/** The result of a check: the value, or the issues. */
export type SchemaResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | {
      readonly issues: readonly {
        readonly message: string;
        readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
      }[];
    };

/** The part of Standard Schema that checks values; see https://standardschema.dev. */
export interface SchemaCheck<Input, Output> {
  readonly version: 1;
  readonly vendor: string;
  /** Checks a value. */
  readonly validate: (value: unknown) => SchemaResult | Promise<SchemaResult>;
  readonly types?: { readonly input: Input; readonly output: Output } | undefined;
}

/**
 * A schema of any version of zod 4, or of another library that implements Standard Schema with JSON Schema. Zod 3 is refused,
 * because it has no JSON Schema.
 */
export type ToolSchema<Output = unknown> =
  | { readonly '~standard': SchemaCheck<unknown, Output>; readonly _zod: object }
  | {
      readonly '~standard': SchemaCheck<unknown, Output> & {
        readonly jsonSchema: {
          /** Returns the schema of the values that it takes. */
          readonly input: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown>;
          /** Returns the schema of the values that it yields. */
          readonly output: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown>;
        };
      };
    };

/** The values that a schema takes. */
export type SchemaInput<Schema extends ToolSchema> = NonNullable<Schema['~standard']['types']>['input'];

/** The values that a schema yields. */
export type SchemaOutput<Schema extends ToolSchema> = NonNullable<Schema['~standard']['types']>['output'];

/** True for a schema of any copy of zod 4. */
export function isZod4(schema: unknown): schema is z.core.$ZodType {
  return isObject(schema) && '_zod' in schema;
}

/** True for a schema that tools take. */
export function isToolSchema(value: unknown): value is ToolSchema {
  return isZod4(value) || standardOf(value)?.jsonSchema !== undefined;
}

/** Returns the reason why a value is not a schema that tools take; `undefined` when it is one. */
export function wrongSchema(value: unknown): string | undefined {
  if (isToolSchema(value)) return undefined;
  const example = 'z.object({ city: z.string() }) of zod 4';
  if (isZod3(value))
    return `expected a schema such as ${example}, found one of zod 3: install zod 4, or import { z } from 'zod/v4'`;
  const standard = standardOf(value);
  if (standard)
    return `expected a schema that JSON Schema can express, such as ${example}, found one of ${standard.vendor} without jsonSchema`;
  if (isObject(value) && Object.values(value).some((part) => isToolSchema(part) || isZod3(part)))
    return `expected a schema such as ${example}, found an object of schemas: wrap it in z.object(…)`;
  if (isObject(value) && 'type' in value)
    return `expected a schema such as ${example}, found a JSON Schema: convert it with z.fromJSONSchema(…)`;
  return `expected a schema such as ${example}, found ${describeValue(value)}`;
}

/** Checks a value. Throws `TypeError` for an asynchronous schema, because a tool's arguments are checked at once. */
export function runSchema(schema: ToolSchema, value: unknown): SchemaResult {
  const result = schema['~standard'].validate(value);
  if (!(result instanceof Promise)) return result;
  result.catch(() => {});
  throw new TypeError('the schema checks asynchronously; check in execute instead');
}

interface Standard {
  readonly vendor: string;
  readonly jsonSchema?: unknown;
}

function standardOf(value: unknown): Standard | undefined {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return undefined;
  const standard: unknown = '~standard' in value ? value['~standard'] : undefined;
  return typeof standard === 'object' && standard !== null && 'validate' in standard
    ? (standard as unknown as Standard)
    : undefined;
}

function isZod3(value: unknown): boolean {
  return isObject(value) && !('_zod' in value) && isObject(value['_def']) && 'typeName' in value['_def'];
}
