import type { z } from 'zod';

const MOST_ISSUES = 10;

/** Describes wrong arguments: names each parameter and the expected value, never the given value, which may be secret. */
export function describeIssues(input: unknown, issues: readonly z.core.$ZodIssue[]): string {
  const said = issues.slice(0, MOST_ISSUES).map((issue) => `${nameOf(issue.path)}: ${describe(input, issue)}`);
  if (issues.length > MOST_ISSUES) said.push(`and ${issues.length - MOST_ISSUES} more`);
  return said.join('; ');
}

function describe(input: unknown, issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return valueAt(input, issue.path) === undefined ? 'is required' : `must be ${withArticle(issue.expected)}`;
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map((value) => JSON.stringify(value)).join(', ')}`;
    case 'too_small':
      return `must ${bound(issue.origin, issue.inclusive ? 'at least' : 'more than', issue.minimum)}`;
    case 'too_big':
      return `must ${bound(issue.origin, issue.inclusive ? 'at most' : 'less than', issue.maximum)}`;
    case 'invalid_format':
      return `must be a valid ${issue.format}${issue.pattern ? ` (${issue.pattern})` : ''}`;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'unrecognized_keys':
      return `unknown ${issue.keys.join(', ')}`;
    case 'invalid_union':
      return valueAt(input, issue.path) === undefined ? 'is required' : describeUnion(issue);
    case 'invalid_key':
    case 'invalid_element':
      return `has an invalid ${issue.code === 'invalid_key' ? 'key' : 'element'}`;
    case 'custom':
      // written by the tool's author for the model
      return issue.message;
  }
}

function describeUnion(issue: z.core.$ZodIssueInvalidUnion): string {
  const types = issue.errors.map((errors) => errors[0]).filter((error) => error?.path.length === 0);
  const expected = types.map((error) => (error?.code === 'invalid_type' ? error.expected : undefined));
  if (expected.length > 0 && expected.length === issue.errors.length && expected.every((type) => type !== undefined))
    return `must be ${expected.map(withArticle).join(' or ')}`;
  return 'matches none of the allowed forms';
}

function bound(origin: string, comparison: string, limit: number | bigint): string {
  if (origin === 'string') return `have ${comparison} ${limit} characters`;
  if (origin === 'array' || origin === 'set' || origin === 'map') return `have ${comparison} ${limit} items`;
  return `be ${comparison} ${limit}`;
}

function withArticle(type: string): string {
  return type === 'null' || type === 'undefined' ? type : `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`;
}

function nameOf(path: readonly PropertyKey[]): string {
  return path.length === 0 ? '(arguments)' : path.map(String).join('.');
}

/** Returns the value that these keys lead to; `undefined` if there is none. */
export function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown> | null | undefined)?.[key], input);
}
