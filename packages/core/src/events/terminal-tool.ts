import { z } from 'zod';
import { model, neverNullText, optional } from './model.ts';
import { type ObservationBase, observationBase } from './observation-base.ts';

/** Run a command in the terminal. */
export interface TerminalAction {
  readonly command: string;
  /** The command is input for the process that is running; absent means false. */
  readonly is_input?: boolean;
  /** Seconds. */
  readonly timeout?: number | null;
  /** Restart the terminal first; absent means false. */
  readonly reset?: boolean;
  readonly kind: 'TerminalAction';
}

/** The facts that a terminal knew after a command. */
export interface CommandMetadata {
  /** -1 while unknown. */
  readonly exit_code?: number;
  /** -1 while unknown. */
  readonly pid?: number;
  readonly username?: string | null;
  readonly hostname?: string | null;
  readonly working_dir?: string | null;
  readonly py_interpreter_path?: string | null;
  readonly prefix?: string;
  readonly suffix?: string;
}

/** The output of a command and its end. */
export interface TerminalObservation extends ObservationBase {
  /** Null is written as an empty text: the reference cannot read back what it writes for null. */
  readonly command?: string | null;
  /** -1 when the command is still running or timed out. */
  readonly exit_code?: number | null;
  /** Absent means false. */
  readonly timeout?: boolean;
  readonly metadata?: CommandMetadata;
  /** Folder in which the complete output is kept when it is too long for the model. */
  readonly full_output_save_dir?: string | null;
  readonly kind: 'TerminalObservation';
}

const commandMetadataSchema: z.ZodType<CommandMetadata> = model('ignore', {
  exit_code: z.exactOptional(z.int()),
  pid: z.exactOptional(z.int()),
  username: optional(z.string()),
  hostname: optional(z.string()),
  working_dir: optional(z.string()),
  py_interpreter_path: optional(z.string()),
  prefix: z.exactOptional(z.string()),
  suffix: z.exactOptional(z.string()),
});

/** Run a command in the terminal. */
export const terminalActionSchema: z.ZodType<TerminalAction> = model('forbid', {
  command: z.string(),
  is_input: z.exactOptional(z.boolean()),
  timeout: optional(z.number().min(0)),
  reset: z.exactOptional(z.boolean()),
  kind: z.literal('TerminalAction'),
});

/** Schema of the output of a command and its end. */
export const terminalObservationSchema: z.ZodType<TerminalObservation> = model('forbid', {
  ...observationBase,
  command: neverNullText(),
  exit_code: optional(z.int()),
  timeout: z.exactOptional(z.boolean()),
  metadata: z.exactOptional(commandMetadataSchema),
  full_output_save_dir: optional(z.string()),
  kind: z.literal('TerminalObservation'),
});
