import { isPlain } from '../events/freeze-json.ts';
import { mapItems } from './map-same.ts';
import type { MaskText } from './mask-json.ts';

/** The maximum depth of an error's causes and members. Deeper structures are circular, or of no use to a reader. */
const MAX_DEPTH = 20;

/** An engine's quotation of a text that is not JSON, cut off at a place where no value is recognised any more. */
const QUOTED = /, (?:\.\.\.)?"[^]*"(?:\.\.\.)? is not valid JSON/;

/**
 * Returns the error if it contains no secret; otherwise a copy of the same class with message, members and causes masked (P9).
 * The copy keeps members that can be searched: texts, numbers, plain objects, other errors. A thrown value that is not an error
 * is masked in the same way.
 */
export function maskError(value: unknown, mask: MaskText, depth = 0): unknown {
  if (typeof value === 'string') return mask(value.replace(QUOTED, ' is not valid JSON'));
  if (typeof value === 'function' || typeof value === 'symbol') return undefined;
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) return undefined;
  if (value instanceof Error) return maskOneError(value, mask, depth);
  if (Array.isArray(value)) return mapItems<unknown>(value, (item) => maskError(item, mask, depth + 1));
  return isPlain(value) ? maskMembers(value, mask, depth) : undefined;
}

function maskOneError(error: Error, mask: MaskText, depth: number): Error {
  const changed = new Map<PropertyKey, unknown>();
  for (const name of Reflect.ownKeys(error)) {
    const value = read(error, name);
    // a symbol member, such as the mark of an error class, is kept only if it is a boolean
    const safe = typeof name === 'string' || typeof value === 'boolean' ? maskError(value, mask, depth + 1) : undefined;
    if (safe !== value || isAccessor(error, name)) changed.set(name, safe);
  }
  return changed.size === 0 ? error : copyOf(error, changed);
}

function maskMembers(object: object, mask: MaskText, depth: number): object {
  let changed = Object.getOwnPropertySymbols(object).length > 0;
  const members = Object.keys(object).map((name): [string, unknown] => {
    const value = read(object, name);
    const [safeName, safe] = [mask(name), maskError(value, mask, depth + 1)];
    changed ||= safe !== value || safeName !== name;
    return [safeName, safe];
  });
  return changed ? Object.fromEntries(members) : object;
}

/** True if the member is computed when it is read, so it may differ at each read. The engine's stack does not count. */
function isAccessor(error: Error, name: PropertyKey): boolean {
  return name !== 'stack' && Object.getOwnPropertyDescriptor(error, name)?.get !== undefined;
}

function read(object: object, name: PropertyKey): unknown {
  try {
    return Reflect.get(object, name);
  } catch {
    return undefined;
  }
}

function copyOf(error: Error, changed: ReadonlyMap<PropertyKey, unknown>): Error {
  const members: Record<PropertyKey, PropertyDescriptor> = Object.getOwnPropertyDescriptors(error);
  // the engine's own accessor of the stack does not work on a copy
  for (const [name, value] of new Map<PropertyKey, unknown>([['stack', error.stack], ...changed])) {
    const enumerable = Object.prototype.propertyIsEnumerable.call(error, name);
    members[name] = { value, enumerable, configurable: true, writable: true };
  }
  return Object.create(Object.getPrototypeOf(error) as object, members) as Error;
}
