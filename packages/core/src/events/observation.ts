import { z } from 'zod';
import type { Json } from '../platform/json.ts';
import { fileEditorCommand, taskList } from './action.ts';
import { type ContentPart, contentPartSchema } from './content.ts';
import { kindsOf, model, neverNullText, optional, pickByKind } from './model.ts';
import { unreadableReason } from './unreadable.ts';

/** The fields that every observation has. */
const observationBase = {
  /** Read it with `contentParts`; absent means empty. */
  content: z.exactOptional(z.array(contentPartSchema)),
  /** Absent means false. */
  is_error: z.exactOptional(z.boolean()),
};

/** Folder in which the complete output is kept when it is too long for the model. */
const fullOutput = { full_output_save_dir: optional(z.string()) };

const observationSchemas = kindsOf(observationBase, {
  /** The output of a command and its end. */
  TerminalObservation: {
    /** Null is written as an empty text: the reference cannot read back what it writes for null. */
    command: neverNullText(),
    /** -1 when the command is still running or timed out. */
    exit_code: optional(z.int()),
    /** Absent means false. */
    timeout: z.exactOptional(z.boolean()),
    /** The facts that the terminal knew after the command. */
    metadata: z.exactOptional(
      model('ignore', {
        /** -1 while unknown, as `pid`. */
        exit_code: z.exactOptional(z.int()),
        pid: z.exactOptional(z.int()),
        username: optional(z.string()),
        hostname: optional(z.string()),
        working_dir: optional(z.string()),
        py_interpreter_path: optional(z.string()),
        prefix: z.exactOptional(z.string()),
        suffix: z.exactOptional(z.string()),
      }),
    ),
    ...fullOutput,
  },
  /** The result of a file editor command. */
  FileEditorObservation: {
    command: fileEditorCommand,
    path: optional(z.string()),
    /** True if the file existed before; absent means true. */
    prev_exist: z.exactOptional(z.boolean()),
    old_content: optional(z.string()),
    new_content: optional(z.string()),
  },
  /** The task list after the command. */
  TaskTrackerObservation: { command: z.enum(['view', 'plan']), task_list: taskList },
  /** Answers a finish call. */
  FinishObservation: {},
  /** Answers a think call. */
  ThinkObservation: {},
  /** The answer of an MCP tool. */
  MCPToolObservation: { tool_name: z.string() },
  /** Answers a call that a client performs; its action's kind is `ClientAction_<tool name>`. */
  ClientToolObservation: {},
  /** The observation of a browser tool; `screenshot_data` is the base64 of an image, without a `data:` prefix. */
  BrowserObservation: { screenshot_data: optional(z.string()), ...fullOutput },
  /** The answer of a sub-agent. */
  TaskObservation: { task_id: z.string(), subagent: z.string(), status: z.string() },
});

/** An observation whose fields are known here. */
type KnownObservation = z.output<(typeof observationSchemas)[keyof typeof observationSchemas]>;

/** Any other observation; kept as it is. */
export interface OpenObservation {
  readonly content?: readonly ContentPart[];
  readonly is_error?: boolean;
  readonly kind: string;
  readonly [field: string]: Json | readonly ContentPart[] | undefined;
}

/** The answer of a tool. Narrow it with {@link isObservation}. */
export type Observation = KnownObservation | OpenObservation;

/** An observation: the fields of known kinds are checked, of other kinds nothing but the content. */
export const observationSchema: z.ZodType<Observation> = pickByKind(
  { name: 'Observation', members: observationSchemas },
  model('keep', { ...observationBase, kind: z.string() }),
);

/** Narrows an observation to one of the known kinds. */
export function isObservation<Kind extends keyof typeof observationSchemas>(
  observation: Observation,
  kind: Kind,
): observation is Extract<Observation, { readonly kind: Kind }> {
  return observation.kind === kind && unreadableReason(observation) === undefined;
}
