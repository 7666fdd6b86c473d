import { checks, describeValue } from '@conv/core';

import { AgentError } from './agent-error.ts';

/** Expectations of a list that a caller gives. */
interface Members {
  /** The list as a caller would write it. */
  readonly list: string;
  /** A member as a caller would write it. */
  readonly member: string;
  /** Methods that each member has; none: members are objects. */
  readonly methods?: readonly string[];
}

/** Checks a list of objects. Throws {@link AgentError} `INVALID_OPTION` that says where it is wrong and what was expected. */
export function checkMembers(place: string, given: unknown, { list, member, methods = [] }: Members): void {
  if (!Array.isArray(given))
    throw new AgentError('INVALID_OPTION', checks.wrongValue(place, `a list such as ${list}`, given));
  for (const [index, one] of given.entries()) {
    if (hasMethods(one, methods)) continue;
    const hint = typeof one === 'function' ? `; call it, such as ${one.name || 'make'}()` : '';
    throw new AgentError(
      'INVALID_OPTION',
      `${place}[${index}]: expected ${member}, found ${describeValue(one)}${hint}`,
    );
  }
}

/** True if a value is an object with these methods. */
export function hasMethods(value: unknown, methods: readonly string[]): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return methods.every((name) => typeof (value as Readonly<Record<string, unknown>>)[name] === 'function');
}
