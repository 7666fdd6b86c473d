import { spawn } from 'node:child_process';

import { expect, onTestFinished, test } from 'vitest';

import { limitsProblem } from '../src/index.ts';
import { childrenOf, firstInside, useOf } from '../src/process-tree.ts';
import { start } from './limited.ts';
import { isHere, open } from './open-sandbox.ts';

/** Starts a program of this machine, and resolves with its process when that has a child. */
async function parentOf(command: string, ...args: readonly string[]): Promise<number> {
  const { pid } = spawn(command, args, { stdio: 'ignore', detached: true });
  if (pid === undefined) throw new Error(`expected a process of ${command}`);
  onTestFinished(() => void process.kill(-pid, 'SIGKILL'));
  await expect.poll(() => childrenOf(pid)).toHaveLength(1);
  return pid;
}

test.skipIf(!isHere)(
  'the first process inside is that of a namespace whose /proc lists it and what it started',
  async () => {
    const { pid, said } = start(await open(), 'sleep 1000 & echo begun; wait');
    await said;
    const first = firstInside(pid);
    expect(first).toBe(childrenOf(pid)[0]);
    expect(useOf(first!, 100)?.folders.map((folder) => folder.split('/').at(-1))).toEqual([
      '1',
      '2',
      expect.stringMatching(/^\d+$/),
    ]);
  },
);

test.skipIf(!isHere)('a process that still sees the processes of this machine is not the first inside', async () => {
  const inNamespace = await parentOf('unshare', '--user', '--map-root-user', '--pid', '--fork', 'sleep', '1000');
  expect(firstInside(inNamespace)).toBeUndefined();
  expect(firstInside(await parentOf('sh', '-c', 'sleep 1000; :'))).toBeUndefined();
});

test.skipIf(!isHere)('a machine with bubblewrap has no problem with limits', async () => {
  expect(await limitsProblem()).toBeUndefined();
});
