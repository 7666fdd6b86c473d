import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { Client } from 'pg';

import type { PeerPlace } from './peer.ts';

/** Resolves with the bytes of a place: of its database, whose log of writes is not counted, else of its folder. */
export async function bytesOf({ directory, database }: PeerPlace): Promise<number> {
  if (database === undefined) return bytesIn(directory);
  const client = new Client({ connectionString: database });
  await client.connect();
  try {
    const { rows } = await client.query<{ size: string }>('SELECT pg_database_size(current_database()) AS size');
    return Number(rows[0]?.size);
  } finally {
    await client.end();
  }
}

function bytesIn(directory: string): number {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .reduce(
      (sum, entry) => sum + (statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0),
      0,
    );
}
