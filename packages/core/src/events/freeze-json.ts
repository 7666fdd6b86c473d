import { EventError } from './event-error.ts';

/** Deeper values are refused: neither our own recursion nor other readers of the log would survive them. */
const MAX_DEPTH = 200;

/** Checks that a value is plain JSON and freezes it, down to the last object, in place. Rejects with `INVALID_EVENT`. */
export function freezeJson(value: unknown, path: readonly (string | number)[] = []): void {
  if (typeof value !== 'object' || value === null) return assertScalar(value, path);
  if (path.length > MAX_DEPTH) throw new EventError(`nested deeper than ${MAX_DEPTH} levels`, { path });
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) descend(value[index], path, index);
  } else {
    assertPlain(value, path);
    for (const key of Object.keys(value)) descend(Reflect.get(value, key), path, key);
  }
  Object.freeze(value);
}

function descend(child: unknown, path: readonly (string | number)[], key: string | number): void {
  // Most values are strings and booleans; they must not cost a path each.
  if (typeof child === 'string' || typeof child === 'boolean' || child === null) return;
  freezeJson(child, [...path, key]);
}

function assertScalar(value: unknown, path: readonly (string | number)[]): void {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return;
  if (typeof value === 'number' && Number.isFinite(value)) return;
  const what = typeof value === 'number' ? String(value) : typeof value;
  throw new EventError(`${path.join('.')}: ${what} is not JSON`, { path });
}

function assertPlain(value: object, path: readonly (string | number)[]): void {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || Object.getPrototypeOf(prototype) === null) return;
  throw new EventError(`${path.join('.')}: an object with a class of its own is not JSON`, { path });
}
