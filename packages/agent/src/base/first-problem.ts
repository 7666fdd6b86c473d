import type { z } from 'zod';

/** Describes the first problem, with the path of its field. */
export function firstProblem({ issues }: z.ZodError): string {
  const [issue] = issues;
  const path = issue?.path.join('.') ?? '';
  return path === '' ? (issue?.message ?? 'is not valid') : `${path}: ${issue?.message}`;
}
