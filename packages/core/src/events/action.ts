import { z } from 'zod';
import { type FinishAction, finishActionSchema, type ThinkAction, thinkActionSchema } from './built-in-tools.ts';
import { type McpToolAction, mcpToolActionSchema } from './external-tools.ts';
import { type FileEditorAction, fileEditorActionSchema } from './file-editor-tool.ts';
import { isObject, type Json } from '../platform/json.ts';
import { model, pickSchema } from './model.ts';
import { type TaskTrackerAction, taskTrackerActionSchema } from './task-tracker-tool.ts';
import { type TerminalAction, terminalActionSchema } from './terminal-tool.ts';
import { unreadableReason } from './unreadable.ts';

/** An action whose fields are known here. */
export type KnownAction =
  | TerminalAction
  | FileEditorAction
  | TaskTrackerAction
  | FinishAction
  | ThinkAction
  | McpToolAction;

/** Any other action, such as `ClientAction_<tool name>`; kept as it is. */
export interface OpenAction {
  readonly kind: string;
  readonly [field: string]: Json;
}

/** The input of a tool call. Narrow it with {@link isAction}. */
export type Action = KnownAction | OpenAction;

/** The known action of one kind. */
export type ActionOfKind<Kind extends KnownAction['kind']> = Extract<KnownAction, { readonly kind: Kind }>;

const members = {
  TerminalAction: terminalActionSchema,
  FileEditorAction: fileEditorActionSchema,
  TaskTrackerAction: taskTrackerActionSchema,
  FinishAction: finishActionSchema,
  ThinkAction: thinkActionSchema,
  MCPToolAction: mcpToolActionSchema,
} satisfies { [Kind in KnownAction['kind']]: z.ZodType<ActionOfKind<Kind>> };

const knownActionSchemas = new Map<unknown, z.ZodType>(Object.entries(members));

/** An action of any kind, without a look at its own fields. */
const openActionSchema: z.ZodType = model('keep', { kind: z.string() });

/** An action: the fields of known kinds are checked, other kinds pass. */
export const actionSchema: z.ZodType<Action> = pickSchema({ name: 'Action', members }, (action) =>
  isObject(action) ? (knownActionSchemas.get(action['kind']) ?? openActionSchema) : openActionSchema,
);

/** Narrows an action to one of the known kinds. */
export function isAction<Kind extends KnownAction['kind']>(
  action: Action | null | undefined,
  kind: Kind,
): action is ActionOfKind<Kind> {
  return action?.kind === kind && unreadableReason(action) === undefined;
}
