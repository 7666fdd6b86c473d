import { z } from 'zod';
import { keptAs } from '../../schema/index.ts';

const issueSchema = keptAs('ValidationError', {
  /** A word for programs, such as `missing` or `int_parsing`. */
  type: z.string(),
  /** Place of the value: `body`, `query`, `path` or `header`, then member names and list positions. */
  loc: z.array(z.union([z.string(), z.int()])),
  msg: z.string(),
  /** The value; texts of a body and whatever may be secret as `<redacted>`, objects and lists emptied. */
  input: z.exactOptional(z.unknown()),
  ctx: z.exactOptional(z.record(z.string(), z.unknown())),
});

/** Problem with a value of a request. */
export type ValidationIssue = z.output<typeof issueSchema>;

export const validationDetailSchema = keptAs('HTTPValidationError', { detail: z.array(issueSchema).default([]) });

/** The body of a 422. */
export type ValidationDetail = z.output<typeof validationDetailSchema>;

/** The body of any other failure that a request caused: a text for people, for some failures an object with more members. */
export const errorBodySchema = keptAs('ErrorBody', { detail: z.unknown() });

export const serverErrorBodySchema = keptAs('ServerErrorBody', {
  detail: z.literal('Internal Server Error'),
  /** Message of the error, where it may be told. */
  exception: z.exactOptional(z.string()),
  /** Id of the error in the server's log. */
  error_id: z.exactOptional(z.string()),
});
