import { readFileSync } from 'node:fs';
import process from 'node:process';

import { expect, test } from 'vitest';

import { newFolder } from './new-folder.ts';
import { ServerProcess } from './server-process.ts';

/** Resolves with the words with which a server runs whose starter gave Node these options. */
async function wordsOf(options: string): Promise<readonly string[]> {
  const env = { NODE_OPTIONS: options };
  const server = await ServerProcess.start({ cwd: newFolder(), args: ['--sandbox', 'off'], env });
  const words = readFileSync(`/proc/${server.pid}/cmdline`, 'utf8').split('\0');
  await server.stop();
  return words;
}

test.runIf(process.platform === 'linux')(
  'a server bounds its young generation, unless its starter has named a size in either spelling of Node',
  async () => {
    const bound = '--max-semi-space-size=8';
    expect(await wordsOf('')).toContain(bound);
    for (const named of ['--max-semi-space-size=16', '--max_semi_space_size=16'])
      expect(await wordsOf(named)).not.toContain(bound);
  },
);
