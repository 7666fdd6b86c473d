import { checkKind } from './check-entry.ts';
import { lastNameOf, listEntries, pageAfter, pageLimit } from './list-entries.ts';
import type { EntryQuery, ListedPage, RegistryEntry } from './registry.ts';
import { storedRecord } from './stored-record.ts';

/** A record as a database stores it. */
export interface StoredRow {
  readonly name: string;
  /** A result of `checkedText`. */
  readonly value: string;
  readonly version: string;
}

/** Rows of a kind that a database is asked for. */
export interface RowQuery {
  readonly kind: string;
  readonly prefix: string;
  /** Only names after this one, by their bytes. */
  readonly after: string;
  readonly limit: number;
}

/**
 * Resolves with a page of records of a database. `select` resolves with the rows of a query, by the bytes of their names. Rejects `INVALID`
 * for an invalid kind, page token or limit.
 */
export async function listRows(
  kind: string,
  { prefix = '', page, limit }: EntryQuery,
  select: (query: RowQuery) => Promise<readonly StoredRow[]>,
): Promise<ListedPage> {
  checkKind(kind);
  const most = pageLimit(limit);
  const after = page === undefined ? '' : lastNameOf(page);
  const rows = await select({ kind, prefix, after, limit: most + 1 });
  const shown = new Map(rows.slice(0, most).map((row) => [row.name, row]));
  const read = async (name: string): Promise<RegistryEntry> => rowEntry(kind, shown.get(name) as StoredRow);
  const { items, damaged } = await listEntries(shown.keys(), { limit: most }, read);
  const last = rows[most - 1];
  return { items, damaged, next: last && rows.length > most ? pageAfter(last.name) : undefined };
}

/** Returns the record in a row. Throws `DAMAGED` for bytes that were not stored. */
export function rowEntry(kind: string, { name, value, version }: StoredRow): RegistryEntry {
  return { name, value: storedRecord(value, `${kind}/${name}: the row`), version };
}
