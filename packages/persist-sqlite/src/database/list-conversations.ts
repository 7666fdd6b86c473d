import type { ListFilter, ListInput, SummaryRow } from '../calls.ts';
import type { SqliteRow, SqliteValue } from '../driver.ts';
import type { Connection } from './connection.ts';
import { storeCodeOf } from './refusal.ts';

const columns = { createdAt: 'created_at', updatedAt: 'updated_at' } as const;

/** Returns the rows of a page of a list. Finds them by an index, and reads no row outside the page. */
export function listConversations(connection: Connection, query: ListInput): readonly SummaryRow[] {
  const { sortBy, order, after, limit } = query;
  const column = columns[sortBy];
  const [direction, behind] = order === 'ascending' ? ['ASC', '>'] : ['DESC', '<'];
  const { where, values } = conditionsOf(
    query,
    after ? [`(${column}, id) ${behind} (?, ?)`, after.key, after.id] : undefined,
  );
  const sql =
    'SELECT id, title, status, created_at, updated_at, tags, parent_id, forked_from FROM conversations ' +
    `${where} ORDER BY ${column} ${direction}, id ${direction} LIMIT ?`;
  try {
    return Array.from(connection.iterate(sql, ...values, limit), toSummaryRow);
  } catch (error) {
    if (storeCodeOf(error, connection.driver, connection.file) !== 'CORRUPT') throw error;
  }
  // A row lies on a damaged page. The index still has all rows, so read each by itself.
  const keys = `SELECT key, id, ${column} AS at FROM conversations ${where} ORDER BY ${column} ${direction}, id ${direction} LIMIT ?`;
  return Array.from(connection.iterate(keys, ...values, limit)).map((row) => readAlone(connection, row));
}

/** Reads one row by itself. If it cannot be read, returns the columns that the index has, and the reason. */
function readAlone(connection: Connection, { key, id, at }: SqliteRow): SummaryRow {
  let reason = 'its row is not there';
  try {
    const row = connection.get('SELECT * FROM conversations WHERE key = ?', key ?? null);
    if (row) return toSummaryRow(row);
  } catch (error) {
    if (storeCodeOf(error, connection.driver, connection.file) !== 'CORRUPT') throw error;
    reason = 'its row lies on a damaged page';
  }
  const times = { createdAt: String(at), updatedAt: String(at) };
  const unreadable = `conversation ${String(id)}: ${reason} in ${connection.file}`;
  return {
    id: String(id),
    title: 'null',
    status: 'error',
    tags: '{}',
    parentId: null,
    forkedFrom: null,
    ...times,
    unreadable,
  };
}

function toSummaryRow(row: SqliteRow): SummaryRow {
  return {
    id: String(row['id']),
    title: String(row['title']),
    status: String(row['status']),
    createdAt: String(row['created_at']),
    updatedAt: String(row['updated_at']),
    tags: String(row['tags']),
    parentId: row['parent_id'] === null ? null : String(row['parent_id']),
    forkedFrom: row['forked_from'] === null ? null : String(row['forked_from']),
  };
}

/** Returns the number of conversations on all pages, counted in an index. */
export function countConversations(connection: Connection, filter: ListFilter): number {
  const { where, values } = conditionsOf(filter);
  return Number(connection.get(`SELECT count(*) AS count FROM conversations ${where}`, ...values)?.['count'] ?? 0);
}

function conditionsOf(
  { status, parentIds }: ListFilter,
  position?: readonly [condition: string, ...values: SqliteValue[]],
): { readonly where: string; readonly values: readonly SqliteValue[] } {
  const conditions: string[] = [];
  const values: SqliteValue[] = [];
  if (status !== undefined) {
    conditions.push('status = ?');
    values.push(status);
  }
  if (parentIds) {
    conditions.push('parent_id IN (SELECT value FROM json_each(?))');
    values.push(JSON.stringify(parentIds));
  }
  if (position) {
    const [condition, ...rest] = position;
    conditions.push(condition);
    values.push(...rest);
  }
  return { where: conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '', values };
}
