import { z } from 'zod';
import { documentation, documented } from './named.ts';

/** Which schemas {@link oneOf} chooses from. */
interface Choice {
  /** The member whose value selects the schema. */
  readonly by: string;
  /** By the values of that member. Each must have a name among the components. */
  readonly members: Readonly<Record<string, z.ZodType>>;
  /** Chooses the member for a value that does not name it. */
  readonly absent?: (value: Readonly<Record<string, unknown>>) => string | undefined;
  /** Schema that reads any other value; without it others are refused. */
  readonly other?: z.ZodType;
  /** True if a value that does not fit its member is read as `other`, too. */
  readonly tolerant?: true;
}

const choices = new WeakMap<z.core.$ZodType, Choice>();

/**
 * Returns the schema that reads a value in a choice; `undefined` if there is none.
 *
 * @param reader the part of the choice that reads, which every refinement of it shares
 */
export function chosenSchema(reader: z.core.$ZodType, value: unknown): z.ZodType | undefined {
  const choice = choices.get(reader);
  const member = choice && memberFor(choice, value);
  return member instanceof z.ZodType ? member : undefined;
}

/** Makes the schema of a choice that looks at one member first, so that problems are reported about the object that was meant. */
export function oneOf<T>(choice: Choice): z.ZodType<T> {
  const schema = z.unknown().transform((value, context): T => {
    const member = memberFor(choice, value);
    const issues =
      member instanceof z.ZodType ? read(member, value) : [{ code: 'custom' as const, ...member, input: value }];
    if (!Array.isArray(issues)) return issues.value as T;
    if (choice.tolerant && choice.other !== undefined) {
      const other = read(choice.other, value);
      if (!Array.isArray(other)) return other.value as T;
    }
    context.issues.push(...issues);
    return z.NEVER;
  });
  choices.set(schema.out, choice);
  return documented(schema, { oneOf: refsOf(choice) });
}

function read(schema: z.ZodType, value: unknown): { readonly value: unknown } | z.core.$ZodRawIssue[] {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return { value: result.data };
  return result.error.issues.map((issue) => ({ ...issue }) as z.core.$ZodRawIssue);
}

function memberFor(choice: Choice, value: unknown): z.ZodType | { message: string; path?: string[] } {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { message: 'Input should be an object' };
  const stated: unknown = Reflect.get(value, choice.by) ?? choice.absent?.({ ...value });
  if (typeof stated === 'string') {
    if (Object.hasOwn(choice.members, stated)) return choice.members[stated] as z.ZodType;
    if (choice.other !== undefined) return choice.other;
  }
  const names = Object.keys(choice.members).map((name) => `'${name}'`);
  return { message: `Input should be ${names.join(', ').replace(/, ([^,]*)$/, ' or $1')}`, path: [choice.by] };
}

/** The members, and what any other value is read as if that has a name. */
function refsOf({ members, other }: Choice): { $ref: string }[] {
  const ids = Object.values(members).map((member) => {
    const id = documentation.get(member)?.id;
    if (id === undefined) throw new TypeError('a choice is among named schemas');
    return id;
  });
  const otherId = other && documentation.get(other)?.id;
  return [...ids, ...(otherId === undefined ? [] : [otherId])].map((id) => ({ $ref: `#/components/schemas/${id}` }));
}
