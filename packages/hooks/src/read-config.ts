import { keptJson, HOOK_MEMBERS, type JsonObject, type StoredHooks, type HookOccasion } from '@conv/core';
import { isObject } from '@conv/core/platform';
import type { HookGroup } from './hook.ts';
import { HOOK_EVENTS, hookEventOf } from './hook-events.ts';
import type { HookFunction, HooksOptions } from './hooks-config.ts';
import {
  invalid,
  objectAt,
  type RawObject,
  type ReadContext,
  readHook,
  readOnError,
  refuseUnknown,
} from './read-hook.ts';
import { toolMatcher } from './tool-matcher.ts';

const MATCHER_MEMBERS = new Set(['matcher', 'hooks']);

export interface ReadConfig {
  /** The configuration to store. */
  readonly config: StoredHooks;
  readonly groups: ReadonlyMap<HookOccasion['type'], readonly HookGroup[]>;
  /** Functions that the configuration names and the caller did not give. */
  readonly missing: readonly string[];
}

/**
 * Reads a configuration from code, a file or a store. Stored configurations may have unknown members: they are kept
 * unless `strict`.
 * @throws HooksError `INVALID_CONFIG` naming the member.
 */
export function readConfig(raw: unknown, options: HooksOptions & { readonly strict: boolean }): ReadConfig {
  const members = unwrapped(objectAt(raw, 'hooks'));
  const own = readOnError(members, '');
  const onError = own ?? readOnError({ onError: options.onError }, '');
  const matchers = matchersByEvent(members);
  const functions = namedFunctions(matchers, options.functions);
  const context: ReadContext = { functions, onError, strict: options.strict };
  const missing = new Set<string>();
  const groups = new Map<HookOccasion['type'], readonly HookGroup[]>();
  const config: Record<string, JsonObject[] | string> = {};
  for (const type of HOOK_EVENTS) {
    const given = matchers.get(type);
    if (!given) continue;
    const read = given.list.map((matcher, index) => readMatcher(matcher, `${given.name}[${index}]`, context, missing));
    groups.set(
      type,
      read.map(({ group }) => group),
    );
    config[HOOK_MEMBERS[type]] = read.map(({ stored }) => stored);
  }
  // the default is stored only where it is stricter than what others assume
  const kept = own ?? (onError === 'deny' ? onError : undefined);
  if (kept) config['on_error'] = kept;
  return { config: keptJson<'hooks'>(deepFreeze(config)), groups, missing: [...missing] };
}

/** Reads one matcher, and adds the functions that were not given to `missing`. */
function readMatcher(raw: unknown, path: string, context: ReadContext, missing: Set<string>) {
  const members = objectAt(raw, path);
  if (context.strict) refuseUnknown(members, MATCHER_MEMBERS, path);
  const { matcher = '*', hooks = [], ...others } = members;
  if (typeof matcher !== 'string') throw invalid(`${path}.matcher`, 'expected a text');
  if (!Array.isArray(hooks)) throw invalid(`${path}.hooks`, 'expected a list');
  const read = hooks.map((hook: unknown, index) => readHook(hook, `${path}.hooks[${index}]`, context));
  for (const { missing: name } of read) if (name !== undefined) missing.add(name);
  return {
    group: { matches: compiled(matcher, `${path}.matcher`), hooks: read.flatMap(({ hook }) => hook ?? []) },
    stored: { ...(others as JsonObject), matcher, hooks: read.map(({ stored }) => stored) },
  };
}

function compiled(matcher: string, path: string): HookGroup['matches'] {
  try {
    return toolMatcher(matcher);
  } catch (cause) {
    throw invalid(path, `expected a regular expression, found ${matcher}`, cause);
  }
}

/** Files written for other programs have everything one level deeper. */
function unwrapped(members: RawObject): RawObject {
  if (!('hooks' in members)) return members;
  const { hooks, ...others } = members;
  const [other] = Object.keys(others);
  if (other !== undefined) throw invalid(other, "unknown member beside 'hooks'; leave it out");
  return objectAt(hooks, 'hooks');
}

interface GivenMatchers {
  /** The event as the configuration calls it. */
  readonly name: string;
  readonly list: readonly unknown[];
}

function matchersByEvent(members: RawObject): ReadonlyMap<HookOccasion['type'], GivenMatchers> {
  const found = new Map<HookOccasion['type'], GivenMatchers>();
  for (const [name, list] of Object.entries(members)) {
    if (name === 'onError' || name === 'on_error' || list === undefined) continue;
    const type = hookEventOf(name);
    if (!type) throw invalid(name, `unknown event; there are ${HOOK_EVENTS.join(', ')}`);
    const other = found.get(type);
    if (other) throw invalid(name, `the same event as '${other.name}', which is given too; keep one of them`);
    if (!Array.isArray(list)) throw invalid(name, 'expected a list of matchers');
    found.set(type, { name, list });
  }
  return found;
}

/** Returns the functions by name, also those in the definitions: a stored name must mean one function. */
function namedFunctions(
  matchers: ReadonlyMap<HookOccasion['type'], GivenMatchers>,
  given: Readonly<Record<string, HookFunction>> = {},
): ReadonlyMap<string, HookFunction> {
  const functions = new Map(Object.entries(given));
  for (const { name: event, list } of matchers.values()) {
    for (const { name, run } of definitionsIn(list)) {
      if (typeof name !== 'string' || typeof run !== 'function') continue;
      if ((functions.get(name) ?? run) !== run)
        throw invalid(event, `two functions are called '${name}'; rename one of them`);
      functions.set(name, run as HookFunction);
    }
  }
  return functions;
}

function definitionsIn(matchers: readonly unknown[]): readonly RawObject[] {
  const objects = (list: readonly unknown[]): readonly RawObject[] => list.filter((item) => isObject(item));
  return objects(matchers).flatMap(({ hooks }) => (Array.isArray(hooks) ? objects(hooks) : []));
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) deepFreeze(member);
    Object.freeze(value);
  }
  return value;
}
