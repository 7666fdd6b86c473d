import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { onTestFinished } from 'vitest';

/**
 * Runs `action` in front of each flush of a file (`fdatasync`) or a folder (`fsync`) by this thread through the pool, until the test ends; a
 * flush fails as one of a broken disk if `action` throws. No disk here fails at will.
 */
export function beforeFlushes(action: () => Promise<void>, call: 'fdatasync' | 'fsync' = 'fdatasync'): void {
  const flush = fs[call];
  const replaced = (descriptor: number, done: (error: Error | null) => void): void =>
    void action().then(() => flush(descriptor, done), done);
  fs[call] = replaced as typeof flush;
  syncBuiltinESMExports();
  onTestFinished(() => {
    fs[call] = flush;
    syncBuiltinESMExports();
  });
}
