import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder of its own for the running test, removed when the test is over. */
export async function freshFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'conv-persist-fs-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
