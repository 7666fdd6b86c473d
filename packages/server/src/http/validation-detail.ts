import type { JsonObject } from '@conv/core';

/** Members whose values are secrets, or may hold some. */
const SECRETIVE = /key|secret|token|password|passwd|authorization|credential|cookie|^auth$|^value$|^env$|^headers$/i;

/** A longer text is not repeated to the one who sent it. */
const LONGEST_ECHO = 100;

const TYPES: Readonly<Record<string, string>> = {
  too_small: 'too_short',
  too_big: 'too_long',
  invalid_format: 'string_pattern_mismatch',
  invalid_value: 'enum',
  invalid_key: 'invalid_key',
  unrecognized_keys: 'extra_forbidden',
};

/** One thing that a schema found wrong. */
export interface Issue {
  readonly code: string;
  readonly message: string;
  readonly path: readonly PropertyKey[];
  /** With `invalid_type`: which type it should be. */
  readonly expected?: string;
}

/** What is wrong with a request, issue by issue. What was sent is repeated only where it can be no secret. */
export function validationDetail(
  issues: readonly Issue[],
  part: 'path' | 'query' | 'body',
  given: unknown,
): readonly JsonObject[] {
  return issues.map((issue) => {
    const path = issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step));
    const input = inputAt(given, path);
    const absent = input === undefined;
    return {
      type: absent ? 'missing' : typeOf(issue),
      loc: [part, ...path],
      msg: absent ? 'Field required' : issue.message,
      input: absent ? null : echo(input, path, part),
    };
  });
}

function typeOf(issue: Issue): string {
  if (issue.code === 'invalid_type') return `${issue.expected}_type`;
  return TYPES[issue.code] ?? 'value_error';
}

function inputAt(given: unknown, path: readonly PropertyKey[]): unknown {
  let value = given;
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = Reflect.get(value, step);
  }
  return value;
}

/** A text in a body may be a secret in a wrong place. */
function echo(input: unknown, path: readonly PropertyKey[], part: string): JsonObject[string] {
  if (typeof input === 'string' && (part === 'body' || input.length > LONGEST_ECHO)) return '<redacted>';
  if (path.some((step) => SECRETIVE.test(String(step)))) return '<redacted>';
  if (Array.isArray(input)) return [];
  if (typeof input === 'object' && input !== null) return {};
  return typeof input === 'string' || typeof input === 'number' || typeof input === 'boolean' ? input : null;
}
