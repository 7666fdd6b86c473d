import { z } from 'zod';
import { otherKindSchema } from '../../descriptions/other-kind.ts';
import { documented, integer, keptAs, named, oneOf, orNull, type Page, pageOf, requestAs } from '../../schema/index.ts';

/** Event of the bash routes and the bash socket. */
export type BashEvent = BashCommand | BashOutput | BashError;

/** The most that a timer can wait, in seconds. */
const LONGEST = 2_147_483;

const command = { command: z.string(), cwd: orNull(z.string()) };
const stamp = { id: z.string(), timestamp: documented(z.string(), { format: 'date-time' }) };

/** The schema of {@link ExecuteBashRequest}. */
export const executeBashRequestSchema = requestAs('ExecuteBashRequest', {
  ...command,
  /** Seconds: a whole number from 1 to 2,147,483, which are 24 days. */
  timeout: integer({ above: 0, maximum: LONGEST }).default(300),
});

/** A command to run. */
export type ExecuteBashRequest = z.output<typeof executeBashRequestSchema>;

export const bashCommandSchema = keptAs('BashCommand', {
  ...command,
  timeout: integer().default(300),
  ...stamp,
  kind: z.literal('BashCommand'),
});

/** A command that was started. Ids are 32 hex digits, times UTC with `Z`. */
export type BashCommand = z.output<typeof bashCommandSchema>;

export const bashOutputSchema = keptAs('BashOutput', {
  ...stamp,
  command_id: z.string(),
  /** 0, 1, 2 … within a command. */
  order: integer().default(0),
  /** On the last part only; -1: it took too long. */
  exit_code: orNull(integer()),
  stdout: orNull(z.string()),
  stderr: orNull(z.string()),
  kind: z.literal('BashOutput'),
});

/** A part of what a command wrote. */
export type BashOutput = z.output<typeof bashOutputSchema>;

const bashErrorSchema = keptAs('BashError', {
  ...stamp,
  code: z.string(),
  detail: z.string(),
  kind: z.literal('BashError'),
});

/** Problem with a frame of this client; never stored. */
export type BashError = z.output<typeof bashErrorSchema>;

/** An event of a kind that is not known here is kept as it is. */
export const bashEventSchema: z.ZodType<BashEvent> = named(
  'BashEventBase',
  oneOf<BashEvent>({
    by: 'kind',
    members: { BashCommand: bashCommandSchema, BashOutput: bashOutputSchema, BashError: bashErrorSchema },
    other: otherKindSchema,
  }),
);

export const bashEventPageSchema: z.ZodType<Page<BashEvent>> = pageOf('BashEventPage', bashEventSchema);
