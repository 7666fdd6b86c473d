import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { SqliteStore, type SqliteStoreOptions } from '../src/index.ts';

/** Makes a folder for the running test, removed when the test ends. */
export async function freshFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'conv-persist-sqlite-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Returns the path of a file that does not exist yet. */
export async function freshFile(): Promise<string> {
  return join(await freshFolder(), 'conversations.db');
}

/** Makes a store that is closed when the test ends, on its own file unless one is given. */
export async function freshStore(options: Partial<SqliteStoreOptions> = {}): Promise<SqliteStore & { file: string }> {
  const file = options.file ?? (await freshFile());
  const store = new SqliteStore({ ...options, file });
  onTestFinished(() => store.close());
  return Object.assign(store, { file });
}
