import { z } from 'zod';
import { documentation } from '../schema/index.ts';

/** A JSON schema in an OpenAPI document. */
export type JsonSchema = Readonly<Record<string, unknown>>;

const ROOT = '#/components/schemas/';

type Options = NonNullable<Parameters<typeof z.toJSONSchema>[1]>;

/** Schemas describe what a client may write: members with defaults may be absent. Same options for components and for the rest. */
const options: Options = {
  io: 'input',
  target: 'draft-2020-12',
  unrepresentable: 'any',
  metadata: documentation,
  override: ({ zodSchema, jsonSchema }) => {
    // for a member that is converted before it is checked, zod would not give the default
    const meaning: unknown =
      zodSchema instanceof z.ZodDefault ? zodSchema.def.defaultValue : documentation.get(zodSchema)?.['default'];
    if (meaning !== undefined) Object.assign(jsonSchema, { default: meaning });
    if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
    if (isAnyText(jsonSchema.propertyNames)) delete jsonSchema.propertyNames;
  },
};

/** True if the schema of names accepts any text, so that the document can omit it. */
function isAnyText(names: unknown): boolean {
  return typeof names === 'object' && names !== null && Object.keys(names).join() === 'type';
}

/** Returns every named schema by its name. */
export function componentSchemas(): Readonly<Record<string, JsonSchema>> {
  const { schemas } = z.toJSONSchema(documentation, { ...options, uri: (id) => `${ROOT}${id}` });
  const entries = Object.entries(schemas).map(([id, schema]): [string, JsonSchema] => [id, withoutHead(schema)]);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Returns a single schema; it refers to named schemas. */
export function jsonSchemaOf(schema: z.ZodType): JsonSchema {
  const id = documentation.get(schema)?.id;
  if (id !== undefined) return { $ref: `${ROOT}${id}` };
  return withoutHead(pointToComponents(z.toJSONSchema(schema, options)));
}

function withoutHead(schema: object): JsonSchema {
  const dropped = new Set(['$schema', '$id', '$defs', 'id', '~standard']);
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !dropped.has(key)));
}

function pointToComponents<T>(value: T): T {
  if (Array.isArray(value)) return value.map((item: unknown) => pointToComponents(item)) as T;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, member]: [string, unknown]): [string, unknown] => [
    key,
    key === '$ref' && typeof member === 'string' ? member.replace('#/$defs/', ROOT) : pointToComponents(member),
  ]);
  return Object.fromEntries(entries) as T;
}
