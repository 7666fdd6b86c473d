import { EventError } from './event-error.ts';
import type { JsonObject } from '../platform/json.ts';

/** Deeper values are refused: neither our own recursion nor other readers of the log would survive them. */
const MAX_DEPTH = 200;

/** The keys that lead to a value. */
export type Path = readonly (string | number)[];

/**
 * Checks that a value is plain JSON and freezes it, down to the last object, in place.
 * @throws EventError `INVALID_EVENT` naming the first part that is not JSON.
 */
export function freezeJson<Value extends object>(value: Value): Value {
  // The path is computed only for an error, because most of the time of reading a log is spent here.
  if (!freezeAll(value, 0)) throw firstWrong(value, []) ?? new EventError('expected plain JSON, found another value');
  return value;
}

function freezeAll(value: object, depth: number): boolean {
  if (depth > MAX_DEPTH) return false;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) if (!freezeChild(value[index], depth + 1)) return false;
  } else {
    if (!isPlain(value)) return false;
    for (const key in value)
      if (!freezeChild((value as JsonObject)[key], depth + 1) && Object.hasOwn(value, key)) return false;
  }
  Object.freeze(value);
  return true;
}

function freezeChild(child: unknown, depth: number): boolean {
  return typeof child === 'object' && child !== null ? freezeAll(child, depth) : isScalar(child);
}

function isScalar(value: unknown): boolean {
  return (
    typeof value === 'string' ||
    typeof value === 'boolean' ||
    value === null ||
    (typeof value === 'number' && Number.isFinite(value))
  );
}

/** True if an object is plain, not an instance of a class. */
export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  // The Object prototype of another realm counts as plain, too.
  return prototype === Object.prototype || prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Returns the error of a value that is not JSON; looks at nothing inside of it. */
export function notJson(value: unknown, path: Path): EventError | undefined {
  if (path.length > MAX_DEPTH)
    return new EventError(`${path[0]}: expected at most ${MAX_DEPTH} levels, found more; flatten it`, { path });
  if (isScalar(value) || Array.isArray(value)) return undefined;
  const isObject = typeof value === 'object' && value !== null;
  if (isObject && isPlain(value)) return undefined;
  const what = isObject
    ? 'an object with a class of its own'
    : typeof value === 'number'
      ? String(value)
      : typeof value;
  return new EventError(`${path.join('.')}: expected JSON, found ${what}`, { path });
}

function firstWrong(value: unknown, path: Path): EventError | undefined {
  const wrong = notJson(value, path);
  if (wrong || typeof value !== 'object' || value === null) return wrong;
  for (const [key, child] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
    const found = firstWrong(child, [...path, key]);
    if (found) return found;
  }
  return undefined;
}
