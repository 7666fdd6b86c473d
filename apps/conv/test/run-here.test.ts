import process from 'node:process';

import { expect, test } from 'vitest';

import { newFolder } from './new-folder.ts';
import { runHere } from './run-here.ts';

const start = { cwd: newFolder(), env: {}, args: ['list'], timeout: 100_000 };

test('a command without an end is given up, and the next one has the process', async () => {
  const { stdout, argv } = process;
  const hanging = runHere({ ...start, timeout: 1 }, () => new Promise(() => {}));
  const next = runHere(start, async () => void process.stdout.write('next'));
  await expect(hanging).rejects.toThrow('expected "conv list" to end in 1 ms, found it at work');
  expect(await next).toEqual({ stdout: 'next', stderr: '', exitCode: 0 });
  expect([process.stdout, process.argv]).toEqual([stdout, argv]);
});
