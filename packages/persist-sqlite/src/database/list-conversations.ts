import type { PageSelection } from '@conv/store-kit';
import type { SqliteRow, SqliteValue } from '../driver.ts';
import type { Connection } from './connection.ts';
import { ifReadable } from './refusal.ts';

const columns = { createdAt: 'created_at', updatedAt: 'updated_at' } as const;

/** Returns the rows of a page of a list. Finds them by an index, and reads no row outside the page. */
export function listConversations(connection: Connection, query: PageSelection): readonly SqliteRow[] {
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
  const rows = ifReadable(connection, () => connection.all(sql, ...values, limit));
  if (rows) return rows;
  // A row lies on a damaged page. The index still has all rows, so read each by itself.
  const keys = `SELECT key, id, ${column} AS at FROM conversations ${where} ORDER BY ${column} ${direction}, id ${direction} LIMIT ?`;
  return connection.all(keys, ...values, limit).map((row) => readAlone(connection, row));
}

/** Reads one row by itself. If it cannot be read, returns the columns that the index has, and the reason. */
function readAlone(connection: Connection, { key = null, id = null, at = null }: SqliteRow): SqliteRow {
  const row = ifReadable(connection, () => connection.get('SELECT * FROM conversations WHERE key = ?', key));
  if (row) return row;
  const unreadable = `its row is missing or lies on a damaged page in ${connection.file}: check it with repair`;
  return { id, status: 'error', created_at: at, updated_at: at, parent_id: null, forked_from: null, unreadable };
}

/** Returns the number of conversations on all pages, counted in an index. */
export function countConversations(connection: Connection, filter: PageSelection): number {
  const { where, values } = conditionsOf(filter);
  return Number(connection.get(`SELECT count(*) AS count FROM conversations ${where}`, ...values)?.['count'] ?? 0);
}

function conditionsOf(
  { status, parentIds }: PageSelection,
  position?: readonly [condition: string, ...values: SqliteValue[]],
): { readonly where: string; readonly values: readonly SqliteValue[] } {
  const all = [
    ...(status === undefined ? [] : [['status = ?', status] as const]),
    ...(parentIds ? [['parent_id IN (SELECT value FROM json_each(?))', JSON.stringify(parentIds)] as const] : []),
    ...(position ? [position] : []),
  ];
  const where = all.length > 0 ? `WHERE ${all.map(([condition]) => condition).join(' AND ')}` : '';
  return { where, values: all.flatMap(([, ...values]) => values) };
}
