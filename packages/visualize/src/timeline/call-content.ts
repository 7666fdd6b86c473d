import { type Action, type ActionEvent, isAction } from '@conv/core/events';
import { plainLine } from '../text/plain-text.ts';

/** A task of the agent's list. */
export interface TaskItem {
  readonly title: string;
  readonly notes: string;
  readonly status: 'todo' | 'in_progress' | 'done';
}

/** The text of a file, or of a part of it, before and after a change. */
export interface FileChange {
  readonly before: string;
  readonly after: string;
  /** True if the texts are complete files, so that line numbers are known. */
  readonly whole: boolean;
}

/** The content of a call: its arguments, in a form of its own for well-known tools. */
export type CallContent =
  | {
      readonly kind: 'command';
      readonly command: string;
      /** True if it is input for the process that is running. */
      readonly isInput: boolean;
      readonly restarts: boolean;
      /** Milliseconds. */
      readonly timeout?: number;
    }
  | {
      readonly kind: 'file';
      readonly verb: 'view' | 'create' | 'edit' | 'insert' | 'undo';
      readonly path: string;
      /** The change, as far as the call tells it. */
      readonly change?: FileChange;
      /** The first and the last line that are viewed, counted from 1; -1 is the end. */
      readonly range?: readonly [number, number];
      /** The line after which text is inserted. */
      readonly after?: number;
    }
  | { readonly kind: 'tasks'; readonly tasks: readonly TaskItem[] }
  | { readonly kind: 'thought'; readonly text: string }
  | { readonly kind: 'finish'; readonly text: string }
  | { readonly kind: 'invalid'; readonly text: string }
  | { readonly kind: 'arguments'; readonly entries: readonly (readonly [name: string, text: string])[] };

/** Returns the content of a call. */
export function callContent({ action, tool_call: call }: ActionEvent): CallContent {
  if (isAction(action, 'TerminalAction')) {
    const { command, is_input: isInput = false, reset: restarts = false, timeout } = action;
    const limit = typeof timeout === 'number' ? { timeout: timeout * 1000 } : {};
    return { kind: 'command', command, isInput, restarts, ...limit };
  }
  if (isAction(action, 'FileEditorAction')) return fileContent(action);
  if (isAction(action, 'TaskTrackerAction')) return { kind: 'tasks', tasks: taskItems(action.task_list) };
  if (isAction(action, 'ThinkAction')) return { kind: 'thought', text: action.thought };
  if (isAction(action, 'FinishAction')) return { kind: 'finish', text: action.message };
  if (action === undefined || action === null) return { kind: 'invalid', text: call.arguments };
  return { kind: 'arguments', entries: argumentsOf(action) };
}

/** Returns one line that names a call, such as `$ npm test`; empty when the name of the tool says it. */
export function callTitle(content: CallContent): string {
  switch (content.kind) {
    case 'command':
      return plainLine(`${content.isInput ? '>' : '$'} ${content.command.trim().split('\n')[0] ?? ''}`);
    case 'file':
      return plainLine(`${content.verb} ${content.path}`);
    case 'arguments':
      return plainLine(content.entries[0]?.[1] ?? '');
    case 'tasks':
    case 'thought':
    case 'finish':
    case 'invalid':
      return '';
  }
}

/** Returns the tasks of a list as it is stored. */
export function taskItems(
  list: readonly { readonly title: string; readonly notes?: string; readonly status?: TaskItem['status'] }[] = [],
): readonly TaskItem[] {
  return list.map(({ title, notes = '', status = 'todo' }) => ({ title, notes, status }));
}

type FileEditorAction = Extract<Action, { readonly kind: 'FileEditorAction' }>;

const VERBS = {
  view: 'view',
  create: 'create',
  str_replace: 'edit',
  insert: 'insert',
  undo_edit: 'undo',
} as const;

function fileContent(action: FileEditorAction): CallContent {
  const { command, path, view_range: range, insert_line: line } = action;
  const [first, last] = range ?? [];
  const change = changeOf(action);
  return {
    kind: 'file',
    verb: VERBS[command],
    path,
    ...(change ? { change } : {}),
    ...(command === 'view' && first !== undefined && last !== undefined ? { range: [first, last] } : {}),
    ...(command === 'insert' ? { after: line ?? 0 } : {}),
  };
}

function changeOf({ command, file_text, old_str, new_str }: FileEditorAction): FileChange | undefined {
  if (command === 'create') return { before: '', after: file_text ?? '', whole: true };
  if (command === 'insert') return { before: '', after: new_str ?? '', whole: false };
  return command === 'str_replace' ? { before: old_str ?? '', after: new_str ?? '', whole: false } : undefined;
}

function argumentsOf(action: Action): [string, string][] {
  const fields = isAction(action, 'MCPToolAction') ? (action.data ?? {}) : action;
  return Object.entries(fields)
    .filter(([name, value]) => name !== 'kind' && value !== null)
    .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]);
}
