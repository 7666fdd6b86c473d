import { z } from 'zod';
import { named } from '../../schema/named.ts';
import { answer } from '../../schema/objects.ts';

/** Problem with a value of a request. */
export interface ValidationIssue {
  /** A word for programs, such as `missing` or `int_parsing`. */
  readonly type: string;
  /** Place of the value: `body`, `query`, `path` or `header`, then member names and list positions. */
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  /** The value; texts of a body and whatever may be secret as `<redacted>`, objects and lists emptied. */
  readonly input?: unknown;
  readonly ctx?: Readonly<Record<string, unknown>>;
}

/** The body of a 422. */
export interface ValidationDetail {
  readonly detail: readonly ValidationIssue[];
}

/** The body of any other failure that a request caused. */
export interface ErrorBody {
  /** A text for people; for some failures an object with more members. */
  readonly detail: unknown;
}

/** The body of a failure of the server itself. */
export interface ServerErrorBody {
  readonly detail: 'Internal Server Error';
  /** Message of the error, where it may be told. */
  readonly exception?: string;
  /** Id of the error in the server's log. */
  readonly error_id?: string;
}

const issueSchema: z.ZodType<ValidationIssue> = named(
  'ValidationError',
  answer({
    type: z.string(),
    loc: z.array(z.union([z.string(), z.int()])),
    msg: z.string(),
    input: z.exactOptional(z.unknown()),
    ctx: z.exactOptional(z.record(z.string(), z.unknown())),
  }),
);

/** The schema of {@link ValidationDetail}. */
export const validationDetailSchema: z.ZodType<ValidationDetail> = named(
  'HTTPValidationError',
  answer({ detail: z.array(issueSchema).default([]) }),
);

/** The schema of {@link ErrorBody}. */
export const errorBodySchema: z.ZodType<ErrorBody> = named('ErrorBody', answer({ detail: z.unknown() }));

/** The schema of {@link ServerErrorBody}. */
export const serverErrorBodySchema: z.ZodType<ServerErrorBody> = named(
  'ServerErrorBody',
  answer({
    detail: z.literal('Internal Server Error'),
    exception: z.exactOptional(z.string()),
    error_id: z.exactOptional(z.string()),
  }),
);
