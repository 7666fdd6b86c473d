import {
  checkListQuery,
  parseListCursor,
  StoreError,
  toListCursor,
  type ListPage,
  type ListPosition,
  type ListQuery,
} from '@conv/core/store';
import type { Database } from './database.ts';
import { indexable, SUMMARY_COLUMNS, toSummary } from './summary.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Resolves with the page of conversations that a query asks for, found by an index. */
export async function listConversations(database: Database, query: ListQuery): Promise<ListPage> {
  checkListQuery(query);
  const { limit = 20, page, sortBy = 'updatedAt', order = 'descending' } = query;
  const after = page === undefined ? undefined : positionAt(page, sortBy);
  const [column, type] = sortBy === 'createdAt' ? ['c.created_at', 'text'] : ['c.updated_at', 'timestamptz'];
  const [compare, direction] = order === 'ascending' ? ['>', 'ASC'] : ['<', 'DESC'];
  const values: unknown[] = [limit + 1];
  const conditions = filterOf(query, values);
  if (after) {
    const key = `$${values.push(after.key)}::${type}`;
    conditions.push(`(${column}, c.id) ${compare} (${key}, $${values.push(after.id)}::uuid)`);
  }
  const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
  const rows = await database.run(
    `SELECT ${SUMMARY_COLUMNS} FROM @.summaries c ${where} ORDER BY ${column} ${direction}, c.id ${direction} LIMIT $1`,
    values,
  );
  const items = rows.slice(0, limit).map(toSummary);
  const last = items.at(-1);
  return {
    items,
    ...(rows.length > limit && last ? { next: toListCursor({ key: last[sortBy], id: last.id }) } : {}),
    ...(query.total === true ? { total: await countConversations(database, query) } : {}),
  };
}

/** Resolves with the number of conversations on all pages. */
async function countConversations(database: Database, query: ListQuery): Promise<number> {
  const values: unknown[] = [];
  const conditions = filterOf(query, values);
  const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
  const [row] = await database.run(`SELECT count(*) AS count FROM @.summaries c ${where}`, values);
  return Number(row?.['count'] ?? 0);
}

/** Returns the conditions of a list's filter, and adds their operands to `values`. */
function filterOf({ status, parentIds }: ListQuery, values: unknown[]): string[] {
  const conditions: string[] = [];
  if (status !== undefined) conditions.push(`c.status = $${values.push(indexable(status))}`);
  if (parentIds) conditions.push(`c.parent_id = ANY($${values.push(parentIds.map(indexable))}::text[])`);
  return conditions;
}

/** Reads a cursor whose key and id the database can compare with. */
function positionAt(page: string, sortBy: 'createdAt' | 'updatedAt'): ListPosition {
  const position = parseListCursor(page);
  const isKey = sortBy === 'createdAt' ? (key: string) => key === indexable(key) : isInstant;
  if (isKey(position.key) && UUID.test(position.id)) return position;
  throw new StoreError('NOT_FOUND', `no list ends with page ${JSON.stringify(page.slice(0, 80))}`);
}

function isInstant(key: string): boolean {
  return INSTANT.test(key) && !Number.isNaN(Date.parse(key));
}
