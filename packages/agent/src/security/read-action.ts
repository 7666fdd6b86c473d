import { type EventDraftOfKind, isText } from '@conv/core/events';
import { isObject, omit, parseJson } from '../json.ts';
import { nearnessOf } from './addresses.ts';
import { hiddenText, plainText } from './plain-text.ts';
import { readCode } from './programs/code.ts';
import { deletes, readFrom, writeTo } from './programs/files.ts';
import { speaksTo } from './programs/connections.ts';
import type { ShellReader } from './shell/reader.ts';
import { plainWord } from './shell/word.ts';

type Action = EventDraftOfKind<'ActionEvent'>;

/** Characters that are read as commands. */
const MAX_SCRIPT = 120_000;
/** No tool takes anything that is nested this deep. */
const MAX_DEPTH = 100;
/** Texts of one call that are read; more are none that a person could look at. */
const MAX_TEXTS = 2000;
/** Members that are longer are no words of one command line. */
const MAX_WORD = 2000;

const TERMINAL = /^(?:terminal|execute_bash|bash|shell|run_command|TerminalAction|ExecuteBashAction)$/;
const EDITOR = /^(?:file_editor|str_replace_editor|str_replace_based_edit_tool|planning_file_editor)$/;
const SPEAKS_ONLY = /^(?:ThinkAction|FinishAction|TaskTrackerAction)$/;
const EDITOR_COMMANDS = new Set(['view', 'create', 'str_replace', 'insert', 'undo_edit', 'write']);
const WRITES = /writ|creat|edit|updat|mov|renam|append|put|save|upload|patch|insert|replac|copy|mkdir|touch/i;
const DELETES = /delet|remov|\brm\b|unlink|trash|prune/i;

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

/** The text, and what a reader takes it for when it holds more than plain characters. */
function readings(text: string): readonly string[] {
  // oxlint-disable-next-line no-control-regex -- controls are what is looked for
  if (!/[^\n\t -~]/.test(text)) return [text];
  return [...new Set([text, plainText(text), hiddenText(text)])].filter((one) => one.trim() !== '');
}

function readEdit(command: string, path: string, shell: ShellReader): void {
  if (command === 'view') readFrom(path, shell);
  else {
    readFrom(path, shell);
    writeTo(path, shell);
  }
}

interface Found {
  readonly texts: string[];
  readonly lines: string[][];
  isCut: boolean;
}

/** A tool that nothing is known of: each text may be a command, a path or an address. */
function readAnything(given: unknown, tool: string, shell: ShellReader): void {
  const found: Found = { texts: [], lines: [], isCut: false };
  collect(given, found, 0);
  if (found.isCut) shell.report('unread');
  for (const text of found.texts) {
    for (const one of readings(text)) readText(one, tool, shell);
  }
  for (const words of found.lines)
    shell.run(
      words.map((word) => plainWord(word)),
      undefined,
    );
}

function readText(text: string, tool: string, shell: ShellReader): void {
  if (text.length > MAX_SCRIPT) return shell.report('unread');
  if (/^(?:~|\.{0,2}\/|[A-Za-z]:[\\/])[^\n]*$/.test(text) && !/\s-/.test(text)) return readPath(text, tool, shell);
  if (/^[a-z][\w+.-]{1,12}:\/\/\S+$/i.test(text)) return speaksTo(nearnessOf(text, shell.world.listening), shell);
  if (/^[\w.-]+(?:\/[\w.-]+)+$|^\.?\w[\w-]*\.\w+$|^\.env$/.test(text)) readPath(text, tool, shell);
  shell.read(text, { isScript: false });
  if (/[(=]/.test(text) && /[\n;(]/.test(text)) readCode(text, shell);
}

function readPath(path: string, tool: string, shell: ShellReader): void {
  readFrom(path, shell);
  if (DELETES.test(tool)) deletes(plainWord(path), shell, true);
  else if (WRITES.test(tool)) writeTo(path, shell);
}

function collect(value: unknown, found: Found, depth: number): void {
  if (typeof value === 'string' && value.trim() !== '') {
    if (found.texts.length >= MAX_TEXTS) found.isCut = true;
    else found.texts.push(value);
  }
  if (typeof value !== 'object' || value === null) return;
  if (depth >= MAX_DEPTH) {
    found.isCut = true;
    return;
  }
  const members = Object.values(value) as unknown[];
  // a program and its arguments may stand apart: `{ program: 'rm', args: ['-rf', '/'] }`
  const words = members.flat().filter((one): one is string => typeof one === 'string' && one.length <= MAX_WORD);
  if (words.length > 1 && words.length < MAX_TEXTS) found.lines.push(words);
  if (!Array.isArray(value) && depth > 0) found.texts.push(...Object.keys(value).filter((key) => /\s/.test(key)));
  for (const member of members) collect(member, found, depth + 1);
}

/** Texts that stand in a call or beside it: arguments, summary, thoughts and reasoning. */
export function textsOf(
  action: Action,
  given: unknown,
): { readonly runs: readonly string[]; readonly says: readonly string[] } {
  const found: Found = { texts: [], lines: [], isCut: false };
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
