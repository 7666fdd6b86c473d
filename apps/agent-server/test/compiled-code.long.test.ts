import { chmodSync, globSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { newFolder } from './new-folder.ts';
import { ServerProcess } from './server-process.ts';

/** Starts a server whose user has this cache folder, ends it in order, and returns the files of compiled code. */
async function compiledAfterStart(cache: string): Promise<readonly string[]> {
  const env = { XDG_CACHE_HOME: cache, NODE_COMPILE_CACHE: '' };
  const server = await ServerProcess.start({ cwd: newFolder(), args: ['--sandbox', 'off'], env });
  await server.stop();
  return globSync(join(cache, 'conv', 'compiled', '*', '*'));
}

test('a server leaves its compiled code in the cache of its user, from its second start on', async () => {
  const cache = newFolder();
  expect(await compiledAfterStart(cache)).toEqual([]);
  expect(await compiledAfterStart(cache)).not.toEqual([]);
});

test.skipIf(process.platform === 'win32')(
  'compiled code is neither read nor written where others can write',
  async () => {
    const cache = newFolder();
    const folder = join(cache, 'conv', 'compiled');
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, 0o777);
    expect(await compiledAfterStart(cache)).toEqual([]);
  },
);
