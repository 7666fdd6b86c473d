import { checkOptionNames, type OptionNames } from '@conv/core';

import { checkRegistry, show } from './check-entry.ts';
import type { EntryQuery, ListedPage, Registry, RegistryEntry } from './registry.ts';
import { isRegistryError, RegistryError } from './registry-error.ts';

/**
 * Resolves with the page of the records of these names, in any order. Reads only the records of the page: `read` resolves with
 * `undefined` for a record that is not there any more, and rejects `DAMAGED` for a record that cannot be read. Rejects `INVALID` for an
 * invalid page token or limit.
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
  const damaged: RegistryError[] = [];
  for (const [at, name] of names.entries()) {
    try {
      const entry = await read(name);
      if (entry) items.push(entry);
    } catch (error) {
      if (!isRegistryError(error, 'DAMAGED')) throw error;
      damaged.push(error);
    }
    if (items.length + damaged.length === most)
      return { items, damaged, next: at + 1 < names.length ? pageAfter(name) : undefined };
  }
  return { items, damaged, next: undefined };
}

/** Returns the maximum number of records of a page. Throws `INVALID` for an invalid limit. */
export function pageLimit(limit: number = 100): number {
  if (Number.isInteger(limit) && limit > 0) return limit;
  throw new RegistryError('INVALID', `limit: expected a whole number from 1, found ${show(limit)}`);
}

/** Returns the token of the page that begins after a name. */
export function pageAfter(name: string): string {
  return Buffer.from(name).toString('base64url');
}

/** Options of {@link readEntries}. */
export interface ReadEntriesOptions extends Omit<EntryQuery, 'page'> {
  /** Receives the error of each record that cannot be read; the others follow. Default: the first such error is thrown. */
  readonly damaged?: (error: RegistryError) => void;
}

const READ: OptionNames<ReadEntriesOptions> = { prefix: true, limit: true, damaged: true };

/** Yields all records of a kind, page by page. Throws `TypeError` if `registry` is no registry. */
export async function* readEntries(
  registry: Registry,
  kind: string,
  options: ReadEntriesOptions = {},
): AsyncGenerator<RegistryEntry, void, undefined> {
  checkRegistry('readEntries', registry);
  checkOptionNames('readEntries', options, READ);
  const { damaged: report, ...query } = options;
  let page: string | undefined;
  do {
    const { items, damaged, next } = await registry.list(kind, page === undefined ? query : { ...query, page });
    yield* items;
    for (const error of damaged) {
      if (!report) throw error;
      report(error);
    }
    page = next;
  } while (page !== undefined);
}

/** Returns the name after which a page begins. Throws `INVALID` for an invalid token. */
export function lastNameOf(page: string): string {
  const name = typeof page === 'string' ? Buffer.from(page, 'base64url').toString() : '';
  if (name === '' || pageAfter(name) !== page)
    throw new RegistryError('INVALID', `page: expected next of the page before, found ${show(page)}`);
  return name;
}

function byBytes(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}
