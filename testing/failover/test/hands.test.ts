import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Random } from '@conv/testing-harness';
import { expect, onTestFinished, test } from 'vitest';

import { Hands } from '../src/fleet/hands.ts';

test('hands are the executors and programs of a folder, and the first strikes kill one of each kind', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'conv-failover-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const hands = new Hands(folder);
  const waiting = ['-e', 'console.log(); setInterval(() => {}, 1000)'];
  const start = (cwd: string, ...more: readonly string[]) => {
    const child = spawn(process.execPath, [...waiting, ...more], { cwd, stdio: ['ignore', 'pipe', 'ignore'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    return child;
  };
  const executor = start(folder, 'executor-worker', folder);
  const program = start(folder);
  const others = [start(tmpdir(), 'executor-worker', '/elsewhere'), start(tmpdir())];
  await Promise.all([executor, program, ...others].map(({ stdout }) => once(stdout, 'data')));
  expect(await hands.running()).toEqual({ container: [], executor: [executor.pid], program: [program.pid] });
  const gone = [once(executor, 'exit'), once(program, 'exit')];
  const random = new Random(1);
  const struck = new Set([await hands.strike(random), await hands.strike(random)]);
  expect(struck).toEqual(new Set([`executor ${executor.pid}`, `program ${program.pid}`]));
  await Promise.all(gone);
  expect(await hands.left()).toEqual([]);
  expect(hands.kills).toEqual({ container: 0, executor: 1, program: 1 });
  expect(await hands.strike(random)).toBeUndefined();
});
