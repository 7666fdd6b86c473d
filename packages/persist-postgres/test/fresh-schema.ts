import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { inject } from 'vitest';

/** The name of a schema that nobody else uses. */
export function freshSchema(): string {
  return `test_${randomUUID().replaceAll('-', '')}`;
}

/** Runs statements on the server of the run, as an administrator. */
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
