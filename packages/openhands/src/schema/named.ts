import { z } from 'zod';

/** Notes on a schema in the OpenAPI document beside its own structure; `id` makes it a component of that name. */
interface Documentation {
  readonly id?: string;
  readonly [key: string]: unknown;
}

/** Notes of a member that OpenHands' server does not have. */
export const OURS: Documentation = { 'x-extension': true };

/** Names and notes for the OpenAPI document, by schema. */
export const documentation: z.core.$ZodRegistry<Documentation> = z.registry<Documentation>();

/** The schema, as a component of the OpenAPI document. */
export function named<Schema extends z.ZodType>(id: string, schema: Schema, notes: Documentation = {}): Schema {
  documentation.add(schema, { ...documentation.get(schema), ...notes, id });
  return schema;
}

/** The schema, with notes for the OpenAPI document that its structure does not say, such as a format. */
export function documented<Schema extends z.ZodType>(schema: Schema, notes: Documentation): Schema {
  documentation.add(schema, notes);
  return schema;
}
