import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { inject } from 'vitest';

/** Returns a new name of a schema. */
export function freshSchema(): string {
  return `test_${randomUUID().replaceAll('-', '')}`;
}

/** Runs statements on the server of the test run, as an administrator. */
export async function administer<Row>(
  text: string,
  values: unknown[] = [],
  url: string = inject('postgresUrl'),
): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text, values)).rows as Row[];
  } finally {
    await client.end();
  }
}

const TABLES = ['commits', 'event_ids', 'heads', 'inherited', 'owners', 'removed_logs', 'snapshots', 'summaries'];
const free: string[] = [];

/** Lends an empty schema to one store after the other, because making one takes longer than most tests in it. */
export function borrowSchema(): string {
  return free.pop() ?? freshSchema();
}

/** Empties a borrowed schema, for the next borrower. */
export async function giveBack(schema: string, url?: string): Promise<void> {
  const [there] = await administer<{ name: string | null }>(
    `SELECT to_regclass('"${schema}".heads')::text AS name`,
    [],
    url,
  );
  if (there?.name === null) return;
  await administer(TABLES.map((table) => `DELETE FROM "${schema}".${table};`).join(' '), [], url);
  free.push(schema);
}
