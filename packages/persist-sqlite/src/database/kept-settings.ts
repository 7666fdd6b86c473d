import type { Connection } from './connection.ts';
import { storeCodeOf } from './refusal.ts';

/** Returns the copies of the settings of a conversation: in its row, and beside the database when that was opened. */
export function keptOf(connection: Connection, key: number): readonly string[] {
  const beside = connection.kept.get(key);
  return [...inRow(connection, key), ...(beside === undefined ? [] : [beside])];
}

function inRow(connection: Connection, key: number): readonly string[] {
  try {
    const kept = connection.get('SELECT kept FROM conversations WHERE key = ?', key)?.['kept'];
    return typeof kept === 'string' ? [kept] : [];
  } catch (error) {
    if (storeCodeOf(error, connection.driver, connection.file) !== 'CORRUPT') throw error;
    return [];
  }
}
