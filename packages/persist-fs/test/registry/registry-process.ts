import process from 'node:process';
import { isRegistryError } from '@conv/store-kit/registry';
import { FsRegistry } from '../../src/index.ts';

/** Counts up in one record until it is killed, and prints each number that was acknowledged. */
const registry = new FsRegistry({ directory: process.argv[2] as string });
for (;;) {
  const held = await registry.get('keys', 'count');
  const next = Number(held?.value ?? 0) + 1;
  try {
    await registry.put('keys', 'count', next, { expected: held?.version ?? null });
    // a line that waits in this process is lost when it is killed
    await new Promise((resolve) => process.stdout.write(`${next}\n`, resolve));
  } catch (error) {
    if (!isRegistryError(error, 'CONFLICT')) throw error;
  }
}
