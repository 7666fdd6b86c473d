import { checkRegistry, show } from './check-entry.ts';
import type { EntryQuery, ListedPage, Registry, RegistryEntry } from './registry.ts';
import { RegistryError } from './registry-error.ts';

/**
 * Resolves with the page of the records of these names, in any order. Reads the records of the page alone: `read` resolves with
 * `undefined` for a record that is not there any more. Rejects `INVALID` for a page or a limit that is none.
 */
export async function listEntries(
  all: Iterable<string>,
  { prefix = '', page, limit }: EntryQuery,
  read: (name: string) => Promise<RegistryEntry | undefined>,
): Promise<ListedPage> {
  const most = pageLimit(limit);
  const after = page === undefined ? undefined : lastNameOf(page);
  const names = [...all]
    .filter((name) => name.startsWith(prefix) && (after === undefined || byBytes(name, after) > 0))
    .sort(byBytes);
  const items: RegistryEntry[] = [];
  for (const [at, name] of names.entries()) {
    const entry = await read(name);
    if (entry) items.push(entry);
    if (items.length === most) return { items, next: at + 1 < names.length ? pageAfter(name) : undefined };
  }
  return { items, next: undefined };
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
