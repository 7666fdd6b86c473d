import { z } from 'zod';
import { full, notesOn, oncePerSchema } from './model.ts';

type Check = (value: unknown) => boolean;

/**
 * Derives a check from a schema. It returns true only for values that the schema accepts, and builds no result and no error, so a
 * long log is read several times faster. If it returns false, the schema decides and gives the error.
 */
export const quickCheckOf: (schema: z.ZodType) => Check = oncePerSchema(derive);

function derive(schema: z.ZodType): Check {
  const { pick } = notesOn(schema);
  if (pick) return (value) => quickCheckOf(pick(value))(value);
  if (schema instanceof z.ZodString) return textCheck(schema);
  if ((schema.def.checks?.length ?? 0) > 0) return (value) => schema.safeParse(value).success;
  if (schema instanceof z.ZodBoolean) return (value) => typeof value === 'boolean';
  if (schema instanceof z.ZodLiteral) return oneOf(schema.values);
  if (schema instanceof z.ZodEnum) return oneOf(new Set(schema.options));
  return deriveNested(schema);
}

function deriveNested(schema: z.ZodType): Check {
  if (schema instanceof z.ZodExactOptional) return quickCheckOf(full(schema.unwrap()));
  if (schema instanceof z.ZodNullable) {
    const inner = quickCheckOf(full(schema.unwrap()));
    return (value) => value === null || inner(value);
  }
  if (schema instanceof z.ZodArray) {
    const element = quickCheckOf(full(schema.element));
    // not `every`, which passes over holes
    return (value) => Array.isArray(value) && value.findIndex((item) => !element(item)) === -1;
  }
  if (schema instanceof z.ZodObject) return objectCheck(schema);
  return (value) => schema.safeParse(value).success;
}

/** Returns the check of a text. The id of each event has one refinement, which is called directly. */
function textCheck(schema: z.ZodString): Check {
  const [refinement, ...others] = schema.def.checks ?? [];
  if (refinement === undefined) return (value) => typeof value === 'string';
  if (others.length > 0 || !(refinement instanceof z.ZodCustom)) return (value) => schema.safeParse(value).success;
  const holds = refinement.def.fn;
  return (value) => typeof value === 'string' && holds(value) === true;
}

function oneOf(values: ReadonlySet<unknown>): Check {
  return (value) => values.has(value);
}

function objectCheck(schema: z.ZodObject): Check {
  const fields = Object.entries(schema.shape).map(([name, field]) => ({
    name,
    check: quickCheckOf(full(field)),
    optional: field instanceof z.ZodExactOptional,
  }));
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    for (const { name, check, optional } of fields) {
      const field = (value as Readonly<Record<string, unknown>>)[name];
      // An own `undefined` is not the same as an absent field: the schema decides.
      if (field === undefined ? !optional || name in value : !check(field)) return false;
    }
    return true;
  };
}
