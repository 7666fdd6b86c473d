import { z } from 'zod';
import { partSchemas, eventSchemas } from '@conv/core/events';
import { documentation, named } from '../schema/index.ts';

let described = false;

/** Registers core's event schemas and their parts as named components. Idempotent. */
export function describeEvents(): void {
  if (described) return;
  described = true;
  const seen = new Set<z.ZodType>();
  for (const [kind, schema] of Object.entries(eventSchemas)) {
    named(kind, schema);
    visit(schema, seen);
  }
}

/** Names every choice below a schema, and the members of the choice. */
function visit(schema: z.ZodType, seen: Set<z.ZodType>): void {
  if (seen.has(schema)) return;
  seen.add(schema);
  const choice = partSchemas.choiceOf(schema);
  if (choice !== undefined) {
    const members = Object.entries(choice.members);
    if (documentation.get(schema) === undefined)
      named(choice.name, schema, { anyOf: members.map(([name]) => ({ $ref: `#/components/schemas/${name}` })) });
    for (const [name, member] of members) {
      if (documentation.get(member) === undefined) named(name, member);
      visit(member, seen);
    }
  }
  for (const inner of innerOf(schema)) visit(inner, seen);
}

function innerOf(schema: z.ZodType): readonly z.ZodType[] {
  const inner: readonly z.core.$ZodType[] =
    schema instanceof z.ZodObject
      ? Object.values(schema.shape)
      : schema instanceof z.ZodArray
        ? [schema.element]
        : schema instanceof z.ZodExactOptional || schema instanceof z.ZodNullable
          ? [schema.unwrap()]
          : [];
  return inner.filter((part): part is z.ZodType => part instanceof z.ZodType);
}
