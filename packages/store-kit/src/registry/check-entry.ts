import { checks, type Json } from '@conv/core';

import type { Registry } from './registry.ts';
import { RegistryError } from './registry-error.ts';

/** Maximum bytes of a value, as JSON in UTF-8. */
export const MAX_VALUE_BYTES = 262_144;

const MAX_NAME_BYTES = 80;

/** Throws `INVALID` unless `kind` is the name of a kind. */
export function checkKind(kind: string): void {
  if (typeof kind !== 'string' || !/^[a-z][a-z0-9-]{0,31}$/.test(kind))
    throw new RegistryError(
      'INVALID',
      `kind: expected up to 32 lower-case letters, digits and hyphens, found ${show(kind)}`,
    );
}

/** Throws `INVALID` unless a record may have this kind and name. */
export function checkEntryName(kind: string, name: string): void {
  checkKind(kind);
  const isName =
    typeof name === 'string' &&
    name !== '' &&
    name.isWellFormed() &&
    !name.includes('\0') &&
    Buffer.byteLength(name) <= MAX_NAME_BYTES;
  if (!isName)
    throw new RegistryError(
      'INVALID',
      `name: expected 1 to ${MAX_NAME_BYTES} bytes of text without a null character, found ${show(name)}`,
    );
}

/** Returns a value as JSON. Throws `INVALID` for a value that is no JSON, and `TOO_LARGE`. */
export function entryText(kind: string, name: string, value: Json): string {
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined) throw new RegistryError('INVALID', `${kind}/${name}: expected JSON, found ${typeof value}`);
  const size = Buffer.byteLength(text);
  if (size <= MAX_VALUE_BYTES) return text;
  throw new RegistryError('TOO_LARGE', `${kind}/${name}: expected at most ${MAX_VALUE_BYTES} bytes, found ${size}`);
}

/** Throws `TypeError` unless `registry` is a registry. `place` names the function that got it. */
export function checkRegistry(place: string, registry: Registry): void {
  const given: Partial<Registry> | null | undefined = registry;
  if (typeof given?.get === 'function' && typeof given.list === 'function' && typeof given.marks === 'function') return;
  throw new TypeError(checks.wrongValue(`${place}: registry`, 'a registry, such as new MemoryRegistry()', registry));
}

/** Returns a wrong argument for the text of an error. */
export function show(value: unknown): string {
  return (JSON.stringify(value) ?? typeof value).slice(0, 100);
}
