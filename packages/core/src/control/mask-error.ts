import type { MaskText } from './mask-json.ts';
import { maskJson } from './mask-json.ts';

/** Longer chains of causes are cut: they are a circle. */
const MAX_CAUSES = 20;

/**
 * The error, if neither its message nor what it carries holds a value; else a copy of the same class with everything masked,
 * its causes too (P9). What is thrown and is no error is masked like any other value.
 */
export function maskError(error: unknown, mask: MaskText, depth = 0): unknown {
  if (!(error instanceof Error)) return typeof error === 'object' ? maskPlain(error, mask) : maskJson(error, mask);
  if (depth > MAX_CAUSES) return undefined;
  const masked = new Map<string, unknown>();
  for (const name of Object.getOwnPropertyNames(error)) {
    const value: unknown = Reflect.get(error, name);
    const safe = maskMember(value, mask, depth);
    if (safe !== value) masked.set(name, safe);
  }
  return masked.size === 0 ? error : copyOf(error, masked);
}

function maskMember(value: unknown, mask: MaskText, depth: number): unknown {
  if (value instanceof Error) return maskError(value, mask, depth + 1);
  if (Array.isArray(value) && value.some((item) => item instanceof Error)) {
    const items = value.map((item: unknown) => maskMember(item, mask, depth));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  return typeof value === 'object' ? maskPlain(value, mask) : maskJson(value, mask);
}

/** Objects that are no plain JSON, such as requests and responses, may hold anything: they are left out when they do. */
function maskPlain(value: unknown, mask: MaskText): unknown {
  if (value === null) return value;
  let text: string;
  try {
    text = JSON.stringify(value) ?? '';
  } catch {
    return undefined;
  }
  return mask(text) === text ? value : maskJson(JSON.parse(text) as unknown, mask, { numbers: true });
}

function copyOf(error: Error, masked: ReadonlyMap<string, unknown>): Error {
  const copy = Object.create(Object.getPrototypeOf(error) as object, Object.getOwnPropertyDescriptors(error)) as Error;
  // the engine's own accessor does not work on a copy
  for (const [name, value] of new Map([['stack', error.stack] as const, ...masked])) {
    const enumerable = Object.prototype.propertyIsEnumerable.call(error, name);
    Object.defineProperty(copy, name, { value, enumerable, configurable: true, writable: true });
  }
  return copy;
}
