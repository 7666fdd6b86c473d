import type { Connection } from './connection.ts';
import { ifReadable } from './refusal.ts';

/** Returns the copies of the settings of a conversation: in its row, and beside the database when that was opened. */
export function keptOf(connection: Connection, key: number): readonly string[] {
  const row = ifReadable(connection, () => connection.get('SELECT kept FROM conversations WHERE key = ?', key));
  return [row?.['kept'], connection.kept.get(key)].filter((kept) => typeof kept === 'string');
}
