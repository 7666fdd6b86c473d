import { describeValue, MAX_HOOK_TIMEOUT, type JsonObject } from '@conv/core';
import { isObject } from '@conv/core/platform';
import type { Hook, HookWork } from './hook.ts';
import type { FailurePolicy, HookFunction } from './hooks-config.ts';
import { HooksError } from './hooks-error.ts';

const DEFAULT_TIMEOUT = 60;
// kinds that the wire knows and that ask a model
const MODEL_KINDS: readonly string[] = ['prompt', 'agent'];
const KINDS: readonly string[] = ['command', 'function', ...MODEL_KINDS];
const MEMBERS = new Set(
  'type name command prompt system_prompt tools timeout max_iterations async async_ on_error onError run'.split(' '),
);

export interface ReadContext {
  readonly functions: ReadonlyMap<string, HookFunction>;
  /** The policy of the configuration; `undefined` if it has none. */
  readonly onError: FailurePolicy | undefined;
  /** True if unknown members are refused instead of kept. */
  readonly strict: boolean;
}

/** A hook as it runs and as it is stored. */
export interface ReadHook {
  readonly hook?: Hook;
  /** The name of the function that the caller did not give; then `hook` is absent. */
  readonly missing?: string;
  readonly stored: JsonObject;
}

export type RawObject = Readonly<Record<string, unknown>>;

/** Reads one definition. @throws HooksError `INVALID_CONFIG` naming the member. */
export function readHook(raw: unknown, path: string, context: ReadContext): ReadHook {
  const members = objectAt(raw, path);
  const type = members['type'] === undefined ? 'command' : textAt(members, 'type', path);
  const known = KINDS.includes(type);
  if (known && context.strict) refuseUnknown(members, MEMBERS, path);
  const onError = readOnError(members, path);
  const settings = known ? readSettings(members, path) : {};
  const work = readWork(type, members, path, context);
  const stored = storedHook(type, members, path, {
    ...(work?.kind === 'command' && { command: work.command }),
    ...settings,
    ...(onError && { on_error: onError }),
  });
  if (!work) return { missing: textAt(members, 'name', path), stored };
  const { timeout = DEFAULT_TIMEOUT, async: background = false } = settings;
  const label = work.kind === 'command' ? work.command : labelOf(type, members);
  return { hook: { label, work, timeout, background, onError: onError ?? context.onError }, stored };
}

function readWork(type: string, members: RawObject, path: string, context: ReadContext): HookWork | undefined {
  if (type === 'command') {
    const command = textAt(members, 'command', path);
    if (command === '' || command.includes('\0')) throw invalid(`${path}.command`, 'expected a command for the shell');
    return { kind: 'command', command };
  }
  if (type === 'prompt') {
    const policy = textAt(members, 'prompt', path);
    if (policy === '') throw invalid(`${path}.prompt`, 'expected the policy that the model is to judge by');
    return { kind: 'prompt', policy, usageId: `prompt-hook:${labelled(members) ?? 'default'}` };
  }
  if (type !== 'function') return { kind: 'unsupported', type };
  const name = textAt(members, 'name', path);
  if (name === '') throw invalid(`${path}.name`, 'expected the name of the function');
  const run = members['run'] ?? context.functions.get(name);
  if (run === undefined) return undefined;
  if (typeof run !== 'function') throw invalid(`${path}.run`, 'expected a function');
  return { kind: 'function', run: run as HookFunction };
}

interface Settings {
  timeout?: number;
  async?: boolean;
}

function readSettings(members: RawObject, path: string): Settings {
  const settings: Settings = {};
  const timeout = members['timeout'];
  if (timeout !== undefined) {
    if (typeof timeout !== 'number' || !Number.isInteger(timeout) || timeout < 1 || timeout > MAX_HOOK_TIMEOUT)
      throw invalid(`${path}.timeout`, `expected whole seconds from 1 to ${MAX_HOOK_TIMEOUT}`);
    settings.timeout = timeout;
  }
  // OpenHands writes the second where it does not ask for names of the wire
  const background = members['async'] ?? members['async_'];
  if (background !== undefined) {
    if (typeof background !== 'boolean') throw invalid(`${path}.async`, 'expected true or false');
    settings.async = background;
  }
  return settings;
}

/** Reads `onError`, in either spelling. */
export function readOnError(members: RawObject, path: string): FailurePolicy | undefined {
  if (members['onError'] !== undefined && members['on_error'] !== undefined)
    throw invalid(path || 'hooks', "both 'onError' and 'on_error' are given; keep one of them");
  const value = members['onError'] ?? members['on_error'];
  if (value === undefined || value === 'allow' || value === 'deny') return value;
  throw invalid(path ? `${path}.onError` : 'onError', "expected 'allow' or 'deny'");
}

function storedHook(type: string, members: RawObject, path: string, own: JsonObject): JsonObject {
  const { run, onError: _onError, ...others } = members;
  const { async_: _async, ...normal } = others;
  const kept = KINDS.includes(type) ? normal : others;
  if (type !== 'function' && run !== undefined)
    throw invalid(`${path}.run`, "for hooks of type 'function'; leave it out");
  let stored: JsonObject;
  try {
    stored = JSON.parse(JSON.stringify(kept)) as JsonObject;
  } catch (cause) {
    throw new HooksError('INVALID_CONFIG', `${path}: expected plain JSON`, { cause });
  }
  // the wire wants a command in every definition, an empty one too
  const command: JsonObject = MODEL_KINDS.includes(type) ? { command: '' } : {};
  return { type, ...command, ...stored, ...own };
}

function labelOf(type: string, members: RawObject): string {
  const name = labelled(members);
  return name === undefined ? type : `${type}:${name}`;
}

function labelled({ name }: RawObject): string | undefined {
  return typeof name === 'string' && name !== '' ? name : undefined;
}

/** The value as an object. @throws HooksError */
export function objectAt(value: unknown, path: string): RawObject {
  if (isObject(value)) return value;
  throw invalid(path, `expected an object, found ${describeValue(value)}`);
}

/** Throws for the first member that is not among the known ones. */
export function refuseUnknown(members: RawObject, known: ReadonlySet<string>, path: string): void {
  for (const name of Object.keys(members))
    if (!known.has(name)) throw invalid(`${path}.${name}`, `unknown member; expected one of ${[...known].join(', ')}`);
}

function textAt(members: RawObject, name: string, path: string): string {
  const value = members[name];
  if (typeof value === 'string') return value;
  throw invalid(`${path}.${name}`, 'expected a text');
}

/** The error for a member of the configuration. */
export function invalid(path: string, what: string, cause?: unknown): HooksError {
  return new HooksError('INVALID_CONFIG', `${path}: ${what}`, {
    place: path,
    ...(cause === undefined ? {} : { cause }),
  });
}
