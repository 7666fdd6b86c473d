import { listCursor, StoreError, type ListPage, type ListQuery } from '@conv/core/store';
import { selectPage, summaryIn, type PageSelection } from '@conv/store-kit';
import type { Database } from './database.ts';
import { indexable, SUMMARY_COLUMNS } from './summary.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Resolves with the page of conversations that a query asks for, found by an index. */
export function listConversations(database: Database, query: ListQuery): Promise<ListPage> {
  return selectPage(query, {
    select: async (selection) => {
      const { limit, sortBy, order, after } = selection;
      if (after) assertComparable(after, sortBy);
      const [column, type] = sortBy === 'createdAt' ? ['c.created_at', 'text'] : ['c.updated_at', 'timestamptz'];
      const [compare, direction] = order === 'ascending' ? ['>', 'ASC'] : ['<', 'DESC'];
      const values: unknown[] = [limit];
      const conditions = filterOf(selection, values);
      if (after) {
        const key = `$${values.push(after.key)}::${type}`;
        conditions.push(`(${column}, c.id) ${compare} (${key}, $${values.push(after.id)}::uuid)`);
      }
      const sorted = `ORDER BY ${column} ${direction}, c.id ${direction} LIMIT $1`;
      const text = `SELECT ${SUMMARY_COLUMNS} FROM @.summaries c ${where(conditions)} ${sorted}`;
      return (await database.run(text, values)).map(summaryIn);
    },
    count: async (selection) => {
      const values: unknown[] = [];
      const text = `SELECT count(*) AS count FROM @.summaries c ${where(filterOf(selection, values))}`;
      const [row] = await database.run(text, values);
      return Number(row?.['count'] ?? 0);
    },
  });
}

function where(conditions: readonly string[]): string {
  return conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
}

/** Returns the conditions of a list's filter, and adds their operands to `values`. */
function filterOf({ status, parentIds }: PageSelection, values: unknown[]): string[] {
  const conditions: string[] = [];
  if (status !== undefined) conditions.push(`c.status = $${values.push(indexable(status))}`);
  if (parentIds) conditions.push(`c.parent_id = ANY($${values.push(parentIds.map(indexable))}::text[])`);
  return conditions;
}

/** Throws `NOT_FOUND` for a place that the database cannot compare with. */
function assertComparable(after: ReturnType<typeof listCursor.parse>, sortBy: PageSelection['sortBy']): void {
  const isKey = sortBy === 'createdAt' ? after.key === indexable(after.key) : isInstant(after.key);
  if (isKey && UUID.test(after.id)) return;
  throw new StoreError(
    'NOT_FOUND',
    `page: expected next of a page, found ${JSON.stringify(listCursor.toText(after).slice(0, 80))}`,
  );
}

function isInstant(key: string): boolean {
  return INSTANT.test(key) && !Number.isNaN(Date.parse(key));
}
