import { checks, type Json } from '@conv/core';

import type { EntryQuery, Registry, RegistryEntry } from './registry.ts';
import { RegistryError } from './registry-error.ts';

/** Maximum bytes of a value, as JSON in UTF-8. */
export const MAX_VALUE_BYTES = 262_144;

const MAX_NAME_BYTES = 80;

/** Throws `INVALID` unless `kind` is one. */
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

/** Throws `TypeError` unless `registry` is one. `place` names the function that got it. */
export function checkRegistry(place: string, registry: Registry): void {
  const given: Partial<Registry> | null | undefined = registry;
  if (typeof given?.get === 'function' && typeof given.list === 'function') return;
  throw new TypeError(checks.wrongValue(`${place}: registry`, 'a registry, such as new MemoryRegistry()', registry));
}

/** Names of a list that come next, in order, and how to go on. */
export interface NamesAfter {
  readonly names: readonly string[];
  readonly limit: number;
}

/** Returns the names behind a page, in the order of lists. Throws `INVALID` for a page or a limit that is none. */
export function namesAfter(names: readonly string[], { prefix = '', page, limit }: EntryQuery): NamesAfter {
  const after = page === undefined ? undefined : lastNameOf(page);
  const wanted = names.filter((name) => name.startsWith(prefix) && (after === undefined || byBytes(name, after) > 0));
  return { names: wanted.toSorted(byBytes), limit: pageLimit(limit) };
}

/** Returns the maximum number of records of a page. Throws `INVALID` for a limit that is none. */
export function pageLimit(limit: number = 100): number {
  if (Number.isInteger(limit) && limit > 0) return limit;
  throw new RegistryError('INVALID', `limit: expected a whole number from 1, found ${show(limit)}`);
}

/** Returns the token of the page behind a name. */
export function pageAfter(name: string): string {
  return Buffer.from(name).toString('base64url');
}

/** Yields all records of a kind, page by page. Throws `TypeError` for a `registry` that is none. */
export async function* readEntries(
  registry: Registry,
  kind: string,
  options: Omit<EntryQuery, 'page'> = {},
): AsyncGenerator<RegistryEntry, void, undefined> {
  checkRegistry('readEntries', registry);
  let page: string | undefined;
  do {
    const { items, next } = await registry.list(kind, page === undefined ? options : { ...options, page });
    yield* items;
    page = next;
  } while (page !== undefined);
}

/** Returns the name that a page begins behind. Throws `INVALID` for a token that is none. */
export function lastNameOf(page: string): string {
  const name = typeof page === 'string' ? Buffer.from(page, 'base64url').toString() : '';
  if (name === '' || pageAfter(name) !== page)
    throw new RegistryError('INVALID', `page: expected next of the page before, found ${show(page)}`);
  return name;
}

function byBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

function show(value: unknown): string {
  return (JSON.stringify(value) ?? typeof value).slice(0, 100);
}
