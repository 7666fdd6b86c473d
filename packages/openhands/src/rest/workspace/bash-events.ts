import { z } from 'zod';
import { documented, named } from '../../schema/named.ts';
import { answer, orNull, request } from '../../schema/objects.ts';
import { oneOf } from '../../schema/one-of.ts';
import { type Page, pageOf } from '../../schema/page.ts';
import { integer } from '../../schema/scalars.ts';

/** A command to run. */
export interface ExecuteBashRequest {
  readonly command: string;
  readonly cwd: string | null;
  /** Seconds: a whole number from 1 to 2,147,483, which are 24 days. */
  readonly timeout: number;
}

/** A command that was started. Ids are 32 hex digits, times UTC with `Z`. */
export interface BashCommand extends ExecuteBashRequest {
  readonly id: string;
  readonly timestamp: string;
  readonly kind: 'BashCommand';
}

/** A part of what a command wrote. */
export interface BashOutput {
  readonly id: string;
  readonly timestamp: string;
  readonly command_id: string;
  /** 0, 1, 2 … within a command. */
  readonly order: number;
  /** On the last part only; -1: it took too long. */
  readonly exit_code: number | null;
  readonly stdout: string | null;
  readonly stderr: string | null;
  readonly kind: 'BashOutput';
}

/** Problem with a frame of this client; never stored. */
export interface BashError {
  readonly id: string;
  readonly timestamp: string;
  readonly code: string;
  readonly detail: string;
  readonly kind: 'BashError';
}

/** Event of the bash routes and the bash socket. */
export type BashEvent = BashCommand | BashOutput | BashError;

/** The most that a timer can wait, in seconds. */
const LONGEST = 2_147_483;

const command = { command: z.string(), cwd: orNull(z.string()) };
const stamp = { id: z.string(), timestamp: documented(z.string(), { format: 'date-time' }) };

/** The schema of {@link ExecuteBashRequest}. */
export const executeBashRequestSchema: z.ZodType<ExecuteBashRequest> = named(
  'ExecuteBashRequest',
  request({ ...command, timeout: integer({ above: 0, maximum: LONGEST }).default(300) }),
);

/** The schema of {@link BashCommand}. */
export const bashCommandSchema: z.ZodType<BashCommand> = named(
  'BashCommand',
  answer({ ...command, timeout: integer().default(300), ...stamp, kind: z.literal('BashCommand') }),
);

/** The schema of {@link BashOutput}. */
export const bashOutputSchema: z.ZodType<BashOutput> = named(
  'BashOutput',
  answer({
    ...stamp,
    command_id: z.string(),
    order: integer().default(0),
    exit_code: orNull(integer()),
    stdout: orNull(z.string()),
    stderr: orNull(z.string()),
    kind: z.literal('BashOutput'),
  }),
);

/** The schema of {@link BashError}. */
const bashErrorSchema: z.ZodType<BashError> = named(
  'BashError',
  answer({ ...stamp, code: z.string(), detail: z.string(), kind: z.literal('BashError') }),
);

/** The schema of {@link BashEvent}. */
export const bashEventSchema: z.ZodType<BashEvent> = named(
  'BashEventBase',
  oneOf<BashEvent>({
    by: 'kind',
    members: { BashCommand: bashCommandSchema, BashOutput: bashOutputSchema, BashError: bashErrorSchema },
  }),
);

/** The schema of a page of bash events. */
export const bashEventPageSchema: z.ZodType<Page<BashEvent>> = pageOf('BashEventPage', bashEventSchema);
