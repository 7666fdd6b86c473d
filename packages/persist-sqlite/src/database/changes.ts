import type { Changes } from '../calls.ts';
import type { Connection } from './connection.ts';
import { headOf } from './heads.ts';

/** Returns the ends of conversations, if another connection has changed the database since `version`. */
export function changesSince(connection: Connection, version: number, keys: readonly number[]): Changes {
  const now = Number(connection.get('PRAGMA data_version')?.['data_version']);
  if (now === version) return { version };
  const ends = new Map<number, number>();
  for (const key of keys) {
    const head = headOf(connection, key);
    if (head) ends.set(key, head.seq);
  }
  return { version: now, ends };
}
