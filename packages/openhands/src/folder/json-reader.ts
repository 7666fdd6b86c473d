import type { Json, JsonObject } from '@conv/core';

/** `value` when it is an object, else an empty one: a damaged member must not hide its neighbours. */
export function asObject(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
}

/** `value` when it is an array, else an empty one. */
export function asArray(value: unknown): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

/** `value` when it is a string. */
export function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** `value` when it is a finite number, else 0. */
export function asNumber(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

/** The string members of an object. */
export function asTextMap(value: unknown): Readonly<Record<string, string>> {
  const entries = Object.entries(asObject(value)).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return Object.fromEntries(entries);
}

/** The string items of an array. */
export function asTextList(value: unknown): readonly string[] {
  return asArray(value).filter((item): item is string => typeof item === 'string');
}
