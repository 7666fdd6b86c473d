import { type Action, type ActionEvent, isAction } from '@conv/core/events';
import { amount, duration } from '../text/amounts.ts';
import { bounded, fold } from '../text/fold.ts';
import { type Line, type Span, span, textLines } from '../text/span.ts';
import { plainLine } from '../text/plain-text.ts';
import { quoted, type Row, said } from './block.ts';
import { addedLines, type DiffView, diffView } from './diff-lines.ts';

type ActionOfKind<Kind extends string> = Extract<Action, { readonly kind: Kind }>;

export interface CallView {
  /** Goes into the head of the block: the path of an edit, a time limit. */
  readonly parts: readonly Line[];
  readonly rows: readonly Row[];
}

/** Returns the view of a tool call. Well-known tools have views of their own; the view of another tool is its arguments. */
export function callView(event: ActionEvent, limit: number): CallView {
  const { action } = event;
  if (isAction(action, 'TerminalAction')) return terminalCall(action);
  if (isAction(action, 'FileEditorAction')) return fileEditorCall(action, limit);
  if (isAction(action, 'TaskTrackerAction')) {
    const items = action.task_list ?? [];
    return { parts: items.length > 0 ? [[span(amount(items.length, 'task'))]] : [], rows: taskRows(items) };
  }
  if (isAction(action, 'ThinkAction')) {
    return { parts: [], rows: said(fold(textLines(action.thought, 'dim'), limit)) };
  }
  if (isAction(action, 'FinishAction')) return { parts: [], rows: said(textLines(action.message)) };
  if (action === undefined || action === null) return invalidCall(event);
  return otherCall(action, limit);
}

/** Names a call where only part of a line is left, such as `$ npm test`. Empty when the tool's name says it. */
export function callTitle({ action }: ActionEvent): string {
  if (isAction(action, 'TerminalAction')) {
    return plainLine(`${action.is_input === true ? '>' : '$'} ${action.command.trim().split('\n')[0] ?? ''}`);
  }
  if (isAction(action, 'FileEditorAction')) return plainLine(`${verbOf(action.command)} ${action.path}`);
  if (isAction(action, 'TaskTrackerAction') || isAction(action, 'ThinkAction') || isAction(action, 'FinishAction')) {
    return '';
  }
  if (action === undefined || action === null) return '';
  const [first] = argumentsOf(action);
  return first === undefined ? '' : plainLine(first.text);
}

/** Tasks with their state in front, which colours only repeat. */
export function taskRows(items: NonNullable<ActionOfKind<'TaskTrackerAction'>['task_list']>): Row[] {
  return items.flatMap(({ title, notes = '', status = 'todo' }) => {
    const mark: Span =
      status === 'done' ? span('[x]', 'green') : status === 'in_progress' ? span('[>]', 'yellow') : span('[ ]', 'dim');
    const text = span(title, ...(status === 'done' ? (['dim'] as const) : []));
    return said([[mark, span(' '), text], ...(notes === '' ? [] : [bounded([span(`    ${notes}`, 'dim')])])]);
  });
}

function terminalCall(action: ActionOfKind<'TerminalAction'>): CallView {
  const lines = textLines(action.command, 'bold');
  const prompt = action.is_input === true ? '> ' : '$ ';
  const command = lines.map((line, index): Line => [span(index === 0 ? prompt : '  ', 'dim'), ...line]);
  const parts: Line[] = [];
  if (action.is_input === true) parts.push([span('input')]);
  if (action.reset === true) parts.push([span('restarts the terminal')]);
  if (typeof action.timeout === 'number') parts.push([span(`at most ${duration(action.timeout * 1000)}`)]);
  return { parts, rows: said(command) };
}

function fileEditorCall(action: ActionOfKind<'FileEditorAction'>, limit: number): CallView {
  const { command, path } = action;
  const parts: Line[] = [[span(`${verbOf(command)} `), span(path, 'bold')]];
  const view = editOf(action);
  if (view !== undefined) parts.push(view.counts);
  if (command === 'view' && action.view_range?.length === 2) parts.push([span(`lines ${action.view_range.join('–')}`)]);
  if (command === 'insert') parts.push([span(`after line ${action.insert_line ?? 0}`)]);
  return { parts, rows: quoted(fold(view?.lines ?? [], limit)) };
}

function verbOf(command: ActionOfKind<'FileEditorAction'>['command']): string {
  if (command === 'str_replace') return 'edit';
  return command === 'undo_edit' ? 'undo' : command;
}

function argumentsOf(action: Action): { name: string; text: string }[] {
  const fields = isAction(action, 'MCPToolAction') ? (action.data ?? {}) : action;
  const named = Object.entries(fields).filter(([name, value]) => name !== 'kind' && value !== null);
  return named.map(([name, value]) => ({ name, text: typeof value === 'string' ? value : JSON.stringify(value) }));
}

function editOf(action: ActionOfKind<'FileEditorAction'>): DiffView | undefined {
  const { command } = action;
  if (command === 'create') return addedLines(action.file_text ?? '');
  if (command === 'insert') return addedLines(action.new_str ?? '');
  if (command !== 'str_replace') return undefined;
  return diffView({ before: action.old_str ?? '', after: action.new_str ?? '', whole: false });
}

function invalidCall(event: ActionEvent): CallView {
  const rows = said([bounded([span(event.tool_call.arguments, 'dim')])]);
  return { parts: [[span('invalid call', 'yellow')]], rows };
}

function otherCall(action: Action, limit: number): CallView {
  const lines = argumentsOf(action).map(({ name, text }): Line => {
    const shown = text.includes('\n') ? JSON.stringify(text) : text;
    return [span(`${name}: `, 'cyan'), ...bounded([span(shown)])];
  });
  return { parts: [], rows: said(fold(lines, limit)) };
}
