import type { Json, JsonObject } from '@conv/core';

import { REDACTED } from '../conversations/secret-texts.ts';

/**
 * The object with the members of another, objects within objects merged, everything else replaced. Asterisks, which stand for a secret
 * that was not shown, leave what is there.
 */
export function merge(base: JsonObject, diff: JsonObject): JsonObject {
  const merged: Record<string, Json> = { ...base };
  for (const [name, value] of Object.entries(diff)) {
    const before = Object.hasOwn(base, name) ? base[name] : undefined;
    if (value === REDACTED) merged[name] = before ?? null;
    else merged[name] = isObject(value) ? merge(isObject(before) ? before : {}, value) : value;
  }
  return merged;
}

/** Whether it is a JSON object. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
