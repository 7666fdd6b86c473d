import { type EventDraftOfKind, isText } from '@conv/core/events';
import { isObject, omit, parseJson } from '../json.ts';
import { readCode } from './programs/code.ts';
import { readFrom, writeTo } from './programs/files.ts';
import { collect, MAX_SCRIPT, nothingFound, readAnything, readings } from './read-anything.ts';
import type { ShellReader } from './shell/reader.ts';

type Action = EventDraftOfKind<'ActionEvent'>;

const TERMINAL = /^(?:terminal|execute_bash|bash|shell|run_command|TerminalAction|ExecuteBashAction)$/;
const EDITOR = /^(?:file_editor|str_replace_editor|str_replace_based_edit_tool|planning_file_editor)$/;
const SPEAKS_ONLY = /^(?:ThinkAction|FinishAction|TaskTrackerAction)$/;
const EDITOR_COMMANDS = new Set(['view', 'create', 'str_replace', 'insert', 'undo_edit', 'write']);

/** The arguments of a call, as the tool gets them. */
export function argumentsOf(action: Action): unknown {
  const given = action.action ?? parseJson(action.tool_call.arguments) ?? action.tool_call.arguments;
  return isObject(given) ? omit(given, 'kind') : given;
}

/** Reads the arguments of a call into the findings of `shell`: as commands, paths and addresses, by the kind of the tool. */
export function readAction(action: Action, given: unknown, shell: ShellReader): void {
  const { tool_name: tool } = action;
  const kind = action.action?.kind ?? '';
  if (SPEAKS_ONLY.test(kind)) return;
  if (isObject(given) && typeof given['command'] === 'string') {
    const { command, path } = given;
    const isEdit = typeof path === 'string' && EDITOR_COMMANDS.has(command);
    if (isEdit) readEdit(command, path, shell);
    const isTerminal = TERMINAL.test(tool) || TERMINAL.test(kind);
    if (isTerminal) readCommand(command, given['is_input'] !== true, shell);
    // what a tool of others does with its further arguments is not known
    const isOwn = (isTerminal || isEdit) && kind !== 'MCPToolAction' && (isTerminal || EDITOR.test(tool));
    if (isOwn) return;
    if (isTerminal) return readAnything(omit(given, 'command'), tool, shell);
  }
  readAnything(given, tool, shell);
}

function readCommand(command: string, isScript: boolean, shell: ShellReader): void {
  for (const text of readings(command)) {
    if (text.length > MAX_SCRIPT) {
      shell.report('unread');
      // the part that a person would see first still gives its reasons
      shell.read(text.slice(0, 10_000), { isScript: false });
    } else shell.read(text, { isScript });
  }
  if (!isScript && command.includes('(')) readCode(command, shell);
  const { kind } = shell.place(`${shell.variables.folder}/file`);
  if (kind !== 'inside' && kind !== 'git' && kind !== 'temporary') shell.report('leaves-workspace');
}

function readEdit(command: string, path: string, shell: ShellReader): void {
  if (command === 'view') readFrom(path, shell);
  else {
    readFrom(path, shell);
    writeTo(path, shell);
  }
}

/** Texts that stand in a call or beside it: arguments, summary, thoughts and reasoning. */
export function textsOf(
  action: Action,
  given: unknown,
): { readonly runs: readonly string[]; readonly says: readonly string[] } {
  const found = nothingFound();
  collect(given, found, 0);
  const blocks = (action.thinking_blocks ?? []).map((block) => ('thinking' in block ? block.thinking : ''));
  const said = [
    action.summary,
    ...action.thought.filter(isText).map((part) => part.text),
    action.reasoning_content,
    ...(action.responses_reasoning_item?.summary ?? []),
    ...blocks,
  ].filter((text) => typeof text === 'string');
  return {
    runs: [...found.texts.flatMap(readings), action.tool_name, action.tool_call.name],
    says: said.flatMap(readings),
  };
}
