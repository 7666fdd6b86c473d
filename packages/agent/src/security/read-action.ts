import { type EventDraftOfKind, isText } from '@conv/core/events';
import { isObject } from '@conv/core/platform';
import { omit, parseJson } from '../base/json.ts';
import { readCode } from './commands/code.ts';
import { UNKNOWN } from './facts/places.ts';
import { presetEdits } from './preset-edits.ts';
import { collectTexts, isPlain, MAX_SCRIPT, readAnything, readings } from './read-anything.ts';
import { type Edit, editIn, type FileFacts, readEdit } from './read-edit.ts';
import type { ShellReader } from './shell/reader.ts';

type Action = EventDraftOfKind<'ActionEvent'>;

const TERMINAL = new Set('terminal execute_bash bash shell run_command TerminalAction ExecuteBashAction'.split(' '));
const EDITOR = new Set('file_editor str_replace_editor str_replace_based_edit_tool planning_file_editor'.split(' '));
const SPEAKS_ONLY = new Set(['ThinkAction', 'FinishAction', 'TaskTrackerAction']);

/** Stands for the folder before the folder of the shell, which no result tells. */
export const EARLIER_FOLDER: string = `${UNKNOWN}/-`;

/** Returns the command of a call of a terminal; `undefined` for another call. */
export function terminalCommand(action: Action, given: unknown): string | undefined {
  const isTerminal = TERMINAL.has(action.tool_name) || TERMINAL.has(action.action?.kind ?? '');
  return isTerminal && isObject(given) && typeof given['command'] === 'string' ? given['command'] : undefined;
}

/** Returns the arguments of a call, as the tool gets them, with the kind of the action. */
export function argumentsOf(action: Action): unknown {
  return action.action ?? parseJson(action.tool_call.arguments) ?? action.tool_call.arguments;
}

/** Returns the arguments without the kind of the action and without the arguments that were read already. */
function unread(given: unknown, ...names: readonly string[]): unknown {
  return isObject(given) ? omit(given, 'kind', ...names) : given;
}

/** Returns the edits that a call stands for. */
export function editsIn(given: unknown): readonly Edit[] {
  const edit = editIn(given);
  return presetEdits(given)?.edits ?? (edit === undefined ? [] : [edit]);
}

/** Reads the arguments of a call into `shell`, as commands, paths and addresses, by the kind of the tool. */
export function readAction(action: Action, given: unknown, shell: ShellReader, facts: readonly FileFacts[] = []): void {
  const { tool_name: tool } = action;
  const kind = action.action?.kind ?? '';
  if (SPEAKS_ONLY.has(kind)) return;
  const preset = presetEdits(given);
  if (preset !== undefined) {
    for (const [index, edit] of preset.edits.entries()) readEdit(edit, shell, facts[index]);
    return readAnything(unread(given, ...preset.names), tool, shell);
  }
  if (isObject(given) && typeof given['command'] === 'string') {
    const { command } = given;
    const edit = editIn(given);
    if (edit !== undefined) readEdit(edit, shell, facts[0]);
    const isTerminal = terminalCommand(action, given) !== undefined;
    if (isTerminal) readCommand(command, given['is_input'] !== true, shell);
    // a foreign tool may do anything with its further arguments
    const isOwn = (isTerminal || edit !== undefined) && kind !== 'MCPToolAction' && (isTerminal || EDITOR.has(tool));
    if (isOwn) return;
    if (isTerminal) return readAnything(unread(given, 'command'), tool, shell);
  }
  readAnything(unread(given), tool, shell);
}

function readCommand(command: string, isScript: boolean, shell: ShellReader): void {
  const { variables } = shell;
  const { folder: start, previous } = variables;
  for (const text of isPlain(command) ? [command] : readings(command)) {
    // each reading is another meaning of the same command
    variables.folder = start;
    variables.previous = previous;
    if (text.length > MAX_SCRIPT) {
      shell.report('unread');
      // the beginning, which a person would see first, still gives its reasons
      shell.read(text.slice(0, 10_000), { isScript: false });
    } else shell.read(text, { isScript });
    if (leavesWorkspace(start, shell)) shell.report('leaves-workspace');
  }
  if (!isScript && command.includes('(')) readCode(command, shell);
}

/** True if a command has left the shell outside of the workspace, but not where it began. */
function leavesWorkspace(start: string, shell: ShellReader): boolean {
  const { folder } = shell.variables;
  const { workspace } = shell.world;
  // the result of the call will tell which folder was the earlier one
  if (folder === start || folder === EARLIER_FOLDER || folder === workspace) return false;
  if (folder.startsWith(`${workspace}/`) && !folder.includes('..')) return false;
  const { kind } = shell.place(`${folder}/file`);
  return kind !== 'inside' && kind !== 'git' && kind !== 'temporary';
}

/** Returns the texts of a call. */
export function runsOf(action: Action, given: unknown): readonly string[] {
  const runs: string[] = [];
  collectTexts(given, runs, 0);
  const { tool_name: tool, tool_call: call } = action;
  const read = runs.every(isPlain) ? runs : runs.flatMap(readings);
  read.push(tool);
  if (call.name !== tool) read.push(call.name);
  return read;
}

/** Returns the texts of a call with the texts beside it: summary, thoughts and reasoning. */
export function withSaid(runs: readonly string[], action: Action): readonly string[] {
  const isSilent =
    action.thought.length === 0 &&
    !action.summary &&
    !action.reasoning_content &&
    !action.responses_reasoning_item &&
    !action.thinking_blocks?.length;
  return isSilent ? runs : [...runs, ...saidIn(action)];
}

function saidIn(action: Action): readonly string[] {
  const blocks = (action.thinking_blocks ?? []).map((block) => ('thinking' in block ? block.thinking : ''));
  const said = [
    action.summary,
    ...action.thought.filter(isText).map((part) => part.text),
    action.reasoning_content,
    ...(action.responses_reasoning_item?.summary ?? []),
    ...blocks,
  ].filter((text) => typeof text === 'string');
  return said.flatMap(readings);
}
