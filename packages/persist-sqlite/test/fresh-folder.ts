import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { SqliteStore, type SqliteStoreOptions } from '../src/index.ts';

/** A folder of its own for the running test, removed when the test is over. */
export async function freshFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'conv-persist-sqlite-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A file that is not there yet. */
export async function freshFile(): Promise<string> {
  return join(await freshFolder(), 'conversations.db');
}

/** A store that is closed when the test is over, on a file of its own unless one is given. */
export async function freshStore(options: Partial<SqliteStoreOptions> = {}): Promise<SqliteStore & { file: string }> {
  const file = options.file ?? (await freshFile());
  const store = new SqliteStore({ ...options, file });
  onTestFinished(() => store.close());
  return Object.assign(store, { file });
}
