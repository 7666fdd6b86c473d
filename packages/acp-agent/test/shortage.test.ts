import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { expect, test } from 'vitest';

/** Starts a program while this process has as many open files as it may have, and prints the error. */
const SCRIPT = `
import { openSync } from 'node:fs';
import { systemPlatform } from '@conv/core/platform';
import { Program } from ${JSON.stringify(new URL('../src/program.ts', import.meta.url).href)};

const surroundings = { platform: systemPlatform, confinement: undefined, mask: (text) => text };
try {
  for (;;) openSync('/dev/null');
} catch {
  await Program.start({ command: process.execPath, args: [], env: {}, cwd: '/' }, surroundings).catch((error) => {
    process.stdout.write(error.message);
  });
}
`;

test('a program that cannot be started for want of descriptors is not called missing', async () => {
  const args = ['-c', 'ulimit -n 60 && exec "$0" --input-type=module --eval "$1"', process.execPath, SCRIPT];
  const { stdout } = await promisify(execFile)('/bin/sh', args, { cwd: import.meta.dirname });
  expect(stdout).toMatch(/^\[SPAWN_FAILED\] .*EMFILE.*: run the conversation again$/);
});
