import { z } from 'zod';
import { documentation, documented } from './named.ts';

/** Which schemas {@link oneOf} chooses from. */
export interface Choice {
  /** The member that says which one it is. */
  readonly by: string;
  /** By the values of that member. Each must have a name among the components. */
  readonly members: Readonly<Record<string, z.ZodType>>;
  /** Which one it is when it does not say. */
  readonly absent?: (value: Readonly<Record<string, unknown>>) => string | undefined;
  /** What any other value is read as; without it others are refused. */
  readonly other?: z.ZodType;
}

/** A choice that looks at one member first, so that what is wrong is said of the object that was meant. */
export function oneOf<T>(choice: Choice): z.ZodType<T> {
  const schema = z.unknown().transform((value, context): T => {
    const member = memberFor(choice, value);
    if (member instanceof z.ZodType) {
      const result = member.safeParse(value, { reportInput: true });
      if (result.success) return result.data as T;
      for (const issue of result.error.issues) context.issues.push({ ...issue } as z.core.$ZodRawIssue);
    } else context.issues.push({ code: 'custom', ...member, input: value });
    return z.NEVER;
  });
  return documented(schema, { oneOf: refsOf(choice) });
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

function refsOf(choice: Choice): { $ref: string }[] {
  return Object.values(choice.members).map((member) => {
    const id = documentation.get(member)?.id;
    if (id === undefined) throw new TypeError('a choice is among named schemas');
    return { $ref: `#/components/schemas/${id}` };
  });
}
