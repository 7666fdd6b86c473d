import type { z } from 'zod';
import type { ValidationDetail, ValidationIssue } from './error-body.ts';
import { describeIssue } from './describe-issue.ts';

/** Which part of a request does not fit. */
export type RequestPart = 'body' | 'query' | 'path' | 'header';

/** The maximum number of reported issues, because a list may have a million wrong items. */
const MAX_ISSUES = 50;
const MAX_TEXT = 200;

const SECRET_NAME =
  /authorization|cookie|credential|key|password|secret|session|token|^value$|^env$|^headers$|^auth$|api_?key/i;
const SECRET_TEXT = /^(?:gAAAA|sk-|gh[pousr]_|xox[abp]-|Bearer\s|Basic\s|eyJ)/;

/**
 * The body of a 422, as clients of OpenHands' server know it.
 * @param value the value that was read, so that issues show their input and distinguish missing from wrong members
 */
export function toValidationDetail(error: z.core.$ZodError, where: RequestPart, value: unknown): ValidationDetail {
  const issues = error.issues.slice(0, MAX_ISSUES).flatMap((issue) => flatten(issue, []));
  return { detail: issues.slice(0, MAX_ISSUES).map(({ path, issue }) => toIssue(issue, path, where, value)) };
}

/** The body of a 422 about members with misspelt names. */
export function misspeltDetail(
  members: readonly { readonly path: readonly (string | number)[]; readonly expected: string }[],
  where: RequestPart,
): ValidationDetail {
  const detail = members.slice(0, MAX_ISSUES).map(({ path, expected }) => ({
    type: 'extra_forbidden',
    loc: [where, ...path],
    msg: `expected ${expected}, found ${JSON.stringify(path.at(-1))}; correct the name or leave the member out`,
  }));
  return { detail };
}

interface Located {
  readonly path: readonly PropertyKey[];
  readonly issue: z.core.$ZodIssue;
}

/** The issues of the member of a union that came closest; a member name that is not known is an issue of its own. */
function flatten(issue: z.core.$ZodIssue, prefix: readonly PropertyKey[]): readonly Located[] {
  const path = [...prefix, ...issue.path];
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => ({ path: [...path, key], issue }));
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [{ path, issue }];
  const closest = issue.errors.reduce((best, errors) => (depthOf(errors) > depthOf(best) ? errors : best));
  return closest.flatMap((inner) => flatten(inner, path));
}

function depthOf(issues: readonly z.core.$ZodIssue[]): number {
  return Math.max(0, ...issues.map(({ path }) => path.length));
}

function toIssue(
  issue: z.core.$ZodIssue,
  path: readonly PropertyKey[],
  where: RequestPart,
  root: unknown,
): ValidationIssue {
  const input = at(root, path);
  const loc = [where, ...path.map((part) => (typeof part === 'number' ? part : String(part)))];
  const { type, msg, ctx } = describeIssue(issue, input);
  return {
    type,
    loc,
    msg,
    input: shown(input, loc),
    ...(ctx === undefined ? {} : { ctx }),
  };
}

function at(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root;
  for (const part of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = Reflect.get(value, part);
  }
  return value;
}

function shown(input: unknown, loc: readonly (string | number)[]): unknown {
  if (input === undefined) return null;
  if (Array.isArray(input)) return [];
  if (typeof input === 'object' && input !== null) return {};
  if (loc.some((part) => SECRET_NAME.test(String(part)))) return '<redacted>';
  if (typeof input !== 'string') return input;
  // in a body a text may be a secret in the wrong place
  if (loc[0] === 'body' || loc[0] === 'header') return '<redacted>';
  return SECRET_TEXT.test(input) ? '<redacted>' : input.slice(0, MAX_TEXT);
}
