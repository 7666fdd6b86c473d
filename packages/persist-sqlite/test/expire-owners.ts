import type { SqliteDriver, SqliteDriverModule } from '../src/index.ts';

/** Sets the heartbeats of all owners back, so that they are too old. */
export async function expireOwners(file: string, { module }: SqliteDriver): Promise<void> {
  const driver = (await import(module)) as SqliteDriverModule;
  const database = driver.openDatabase(file, { readOnly: false });
  database.exec('PRAGMA busy_timeout = 5000');
  database.exec('UPDATE owners SET renewed_at = 0, renewed_since_boot = -1000000000');
  database.close();
}
