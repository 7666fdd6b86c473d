import { isJsonObject, isSameJson } from '@conv/core/platform';
import { REDACTED, type Json, type JsonObject, type StateFields, type StatePatch } from '@conv/core';
import { fromWireHooks } from './wire-hooks.ts';

/**
 * Returns the patch that turns `before` into `after`; `undefined` if nothing differs. Members that `after` lacks stay. Values
 * that its writer could not know stay too: encrypted secrets that it redacted, and state that the wire cannot express.
 */
export function diffFields(before: StateFields, after: Partial<StateFields>): StatePatch | undefined {
  const stated: Partial<StateFields> = {
    ...after,
    ...(after.agent ? { agent: unredacted(before.agent, after.agent) as JsonObject } : {}),
    ...(after.secretRegistry
      ? { secretRegistry: unredacted(before.secretRegistry, after.secretRegistry) as JsonObject }
      : {}),
    ...(after.hookConfig === undefined ? {} : { hookConfig: fromWireHooks(before.hookConfig, after.hookConfig) }),
  };
  const changed = (Object.keys(stated) as (keyof StateFields)[]).filter((key) => !isSameJson(before[key], stated[key]));
  if (changed.length === 0) return undefined;
  return { set: Object.fromEntries(changed.map((key) => [key, stated[key]])) as Partial<StateFields> };
}

/** `after`, with the secrets of `before` where it redacted them. */
function unredacted(before: Json | undefined, after: Json): Json {
  if (after === REDACTED) return typeof before === 'string' ? before : after;
  if (!isJsonObject(after)) return after;
  const known = before !== undefined && isJsonObject(before) ? before : {};
  return Object.fromEntries(Object.entries(after).map(([name, value]) => [name, unredacted(known[name], value)]));
}
