import type { JsonObject } from '@conv/core/events';

/** A call with the tool that it means. */
export interface CalledTool {
  readonly name: string;
  readonly args: JsonObject;
}

const TERMINAL_NAMES = new Set(['bash', 'command', 'execute', 'execute_bash', 'git', 'reset']);
const EDITOR_NAMES = new Set(['str_replace', 'str_replace_editor']);
const BARE_COMMANDS = new Set(['find', 'git', 'ls', 'pwd']);
const SYNTHETIC = new Set(['security_risk', 'summary']);

/** Returns the tool that a call means, also by a name that models use out of habit; an unknown name as it came. */
export function calledTool(name: string, args: JsonObject, isRegistered: (name: string) => boolean): CalledTool {
  if (isRegistered(name)) return { name, args: name === 'file_editor' ? withEditorCommand(args) : args };
  const leading = /^\s*([a-zA-Z0-9_-]+)/.exec(name)?.[1] ?? '';
  if (leading !== name && isRegistered(leading)) return calledTool(leading, args, isRegistered);
  // a name with more than the command, such as `ls; echo x`, would run something else than the model asked for
  if (isRegistered('terminal') && leading === name.trim()) {
    const shell = shellArguments(leading, args);
    if (shell !== undefined) return { name: 'terminal', args: shell };
  }
  if (isRegistered('file_editor') && EDITOR_NAMES.has(leading))
    return { name: 'file_editor', args: withEditorCommand(args) };
  return { name, args };
}

const GREP_PARAMETERS = new Set(['pattern', 'path', 'include']);

function shellArguments(name: string, args: JsonObject): JsonObject | undefined {
  if (name === 'grep') {
    const command = grepCommand(args);
    return command === undefined ? undefined : { ...without(args, GREP_PARAMETERS), command };
  }
  const isBare = Object.keys(args).every((parameter) => SYNTHETIC.has(parameter));
  if (BARE_COMMANDS.has(name) && isBare) return { ...args, command: name };
  if (!TERMINAL_NAMES.has(name)) return undefined;
  const { command = '' } = args;
  const isPrefix = (name === 'git' || name === 'reset') && typeof command === 'string';
  if (!isPrefix || command === name || command.startsWith(`${name} `)) return args;
  return { ...args, command: command === '' ? name : `${name} ${command}` };
}

function grepCommand({ pattern, path, include }: JsonObject): string | undefined {
  if (typeof pattern !== 'string') return undefined;
  const only = typeof include === 'string' ? ` --include=${quoted(include)}` : '';
  return `grep -rnI${only} -e ${quoted(pattern)} -- ${quoted(typeof path === 'string' && path !== '' ? path : '.')}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function withEditorCommand(args: JsonObject): JsonObject {
  if (typeof args['command'] === 'string' && args['command'] !== '') return args;
  const command = editorCommand(args);
  return command === undefined ? args : { command, ...without(args, new Set(['command'])) };
}

function editorCommand(args: JsonObject): string | undefined {
  if ('old_str' in args) return 'str_replace';
  if ('insert_line' in args) return 'insert';
  if ('file_text' in args) return 'create';
  return 'path' in args ? 'view' : undefined;
}

function without(args: JsonObject, names: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(Object.entries(args).filter(([name]) => !names.has(name)));
}
