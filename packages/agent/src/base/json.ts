import type { JsonObject, Json } from '@conv/core/events';
import { isObject } from '@conv/core/platform';

/** Parses a JSON text; `undefined` if it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns a copy of an object without these members. */
export function omit<T>(object: Readonly<Record<string, T>>, ...names: readonly string[]): Record<string, T> {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}

/** Returns the members that JSON can express; an infinite limit has no form in JSON. */
export function sayable(members: Readonly<Record<string, Json | undefined>>): JsonObject {
  const isSayable = (value: unknown): boolean =>
    typeof value === 'number' ? Number.isFinite(value) : value !== undefined;
  return Object.fromEntries(Object.entries(members).filter(([, value]) => isSayable(value))) as JsonObject;
}

/** True if a value is nested deeper than `levels`. Avoids recursion, because a deep value would overflow the stack. */
export function isDeeperThan(levels: number, value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > levels) return true;
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
  }
  return false;
}

/** Returns a copy of a JSON value with its texts mapped; `mapName` maps the names of members, and members that `isKept` chooses stay. */
export function mapTexts<T>(
  value: T,
  map: (text: string) => string,
  mapName: (name: string) => string = (name) => name,
  isKept: (name: string, member: unknown) => boolean = () => false,
): T {
  const mapped = (item: unknown): unknown => {
    if (typeof item === 'string') return map(item);
    if (Array.isArray(item)) return item.map(mapped);
    if (!isObject(item)) return item;
    const members = Object.entries(item).map(([name, member]): [string, unknown] => [
      mapName(name),
      isKept(name, member) ? member : mapped(member),
    ]);
    return Object.fromEntries(members);
  };
  return mapped(value) as T;
}
