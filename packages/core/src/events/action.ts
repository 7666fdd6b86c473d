import { z } from 'zod';
import type { Json } from '../platform/json.ts';
import { jsonObject, kindsOf, model, optional, pickByKind } from './model.ts';
import { unreadableReason } from './unreadable.ts';

/** The commands of the file editor. */
export const fileEditorCommand = z.enum(['view', 'create', 'str_replace', 'insert', 'undo_edit']);

/** The task list of the agent. */
export const taskList = z.exactOptional(
  z.array(
    model('ignore', {
      title: z.string(),
      notes: z.exactOptional(z.string()),
      /** Absent means `todo`. */
      status: z.exactOptional(z.enum(['todo', 'in_progress', 'done'])),
    }),
  ),
);

const actionSchemas = kindsOf(
  {},
  {
    /** Runs a command in the terminal. */
    TerminalAction: {
      command: z.string(),
      /** The command is input for the process that is running; absent means false. */
      is_input: z.exactOptional(z.boolean()),
      /** Seconds. */
      timeout: optional(z.number().min(0)),
      /** Restart the terminal first; absent means false. */
      reset: z.exactOptional(z.boolean()),
    },
    /** Views or changes a file. */
    FileEditorAction: {
      command: fileEditorCommand,
      path: z.string(),
      file_text: optional(z.string()),
      old_str: optional(z.string()),
      new_str: optional(z.string()),
      insert_line: optional(z.int().min(0)),
      view_range: optional(z.array(z.int())),
    },
    /** Shows or replaces the task list. */
    TaskTrackerAction: {
      /** Absent means `view`. */
      command: z.exactOptional(z.enum(['view', 'plan'])),
      task_list: taskList,
    },
    /** Ends the task with a closing message. */
    FinishAction: { message: z.string() },
    /** Writes a thought into the history. */
    ThinkAction: { thought: z.string() },
    /** Calls a tool that speaks the Model Context Protocol; also how tools of our own travel. */
    MCPToolAction: {
      /** The tool's arguments; absent means none. */
      data: z.exactOptional(jsonObject),
    },
  },
);

/** An action whose fields are known here. */
type KnownAction = z.output<(typeof actionSchemas)[keyof typeof actionSchemas]>;

/** Any other action, such as `ClientAction_<tool name>`; kept as it is. */
export interface OpenAction {
  readonly kind: string;
  readonly [field: string]: Json;
}

/** The input of a tool call. Narrow it with {@link isAction}. */
export type Action = KnownAction | OpenAction;

/** An action: the fields of known kinds are checked, other kinds pass. */
export const actionSchema: z.ZodType<Action> = pickByKind(
  { name: 'Action', members: actionSchemas },
  model('keep', { kind: z.string() }),
);

/** Narrows an action to one of the known kinds. */
export function isAction<Kind extends keyof typeof actionSchemas>(
  action: Action | null | undefined,
  kind: Kind,
): action is Extract<Action, { readonly kind: Kind }> {
  return action?.kind === kind && unreadableReason(action) === undefined;
}
