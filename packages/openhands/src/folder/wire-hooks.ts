import { isJsonObject, isSameJson } from '@conv/core/platform';
import { keptJson, type Json, type JsonObject, type StoredHooks } from '@conv/core';

/** The kinds of hooks that the wire can express. */
const WIRE_TYPES: ReadonlySet<unknown> = new Set(['command', 'prompt', 'agent', undefined]);

/** Defaults that OpenHands fills in when it saves. */
const HOOK_DEFAULTS: JsonObject = {
  type: 'command',
  command: '',
  timeout: 60,
  async: false,
  max_iterations: 3,
  tools: [],
};

/** Returns a hook configuration for the wire, without `on_error` and functions, because the wire refuses unknown members. */
export function toWireHooks(config: StoredHooks | null): JsonObject | null {
  return config === null
    ? null
    : mapHooks(config, (hook) => (isWireHook(hook) ? without(hook, 'on_error') : undefined));
}

/**
 * Returns the configuration after OpenHands saved `stated` over `before`. Members that OpenHands cannot express are kept, so that
 * its saving weakens nothing (P4).
 */
export function fromWireHooks(before: StoredHooks | null, stated: StoredHooks | null): StoredHooks | null {
  if (before === null || isSameJson(withDefaults(toWireHooks(before)), withDefaults(stated))) return before;
  const functions = mapHooks(before, (hook) => (isWireHook(hook) ? undefined : hook));
  const kept = Object.entries(functions).filter(([, matchers]) => Array.isArray(matchers) && matchers.length > 0);
  if (stated === null && kept.length === 0) return null;
  const merged: Record<string, Json> = { ...stated };
  for (const [event, matchers] of kept) merged[event] = [...listOf(merged[event]), ...listOf(matchers)];
  return keptJson<'hooks'>(
    JSON.stringify(before).includes('"on_error":"deny"') ? { ...merged, on_error: 'deny' } : merged,
  );
}

function withDefaults(config: JsonObject | null): JsonObject | null {
  if (config === null) return null;
  const filled = mapHooks(config, (hook) => {
    const stated = Object.entries(hook).filter(([, value]) => value !== null);
    return { ...HOOK_DEFAULTS, ...Object.fromEntries(stated) };
  });
  return Object.fromEntries(Object.entries(filled).filter(([, matchers]) => listOf(matchers).length > 0));
}

/** Returns the configuration with each hook mapped, without matchers whose hooks are all dropped. */
function mapHooks(config: JsonObject, map: (hook: JsonObject) => JsonObject | undefined): JsonObject {
  const entries = Object.entries(without(config, 'on_error')).map(([event, matchers]): [string, Json] => {
    const mapped = listOf(matchers).map((matcher) => (isJsonObject(matcher) ? mapMatcher(matcher, map) : matcher));
    return [
      event,
      Array.isArray(matchers) ? mapped.filter((matcher): matcher is Json => matcher !== undefined) : matchers,
    ];
  });
  return Object.fromEntries(entries);
}

function mapMatcher(matcher: JsonObject, map: (hook: JsonObject) => JsonObject | undefined): JsonObject | undefined {
  const before = listOf(matcher['hooks']);
  const hooks = before
    .map((hook) => (isJsonObject(hook) ? map(hook) : hook))
    .filter((hook): hook is Json => hook !== undefined);
  return hooks.length === 0 && before.length > 0 ? undefined : { matcher: '*', ...without(matcher, 'on_error'), hooks };
}

function isWireHook(hook: JsonObject): boolean {
  return WIRE_TYPES.has(hook['type']);
}

function without(object: JsonObject, name: string): JsonObject {
  const { [name]: _, ...rest } = object;
  return rest;
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}
