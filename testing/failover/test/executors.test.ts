import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { Executors } from '../src/fleet/executors.ts';

test('executors are the processes that act in a folder, until they are killed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'conv-failover-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const executors = new Executors(folder);
  const waiting = ['-e', 'console.log(); setInterval(() => {}, 1000)', 'executor-worker'];
  const [own, other] = [folder, '/elsewhere'].map((place) => spawn(process.execPath, [...waiting, place]));
  if (!own || !other) throw new Error('expected two processes');
  onTestFinished(() => void other.kill('SIGKILL'));
  await Promise.all([once(own.stdout, 'data'), once(other.stdout, 'data')]);
  expect(executors.running).toEqual([own.pid]);
  executors.kill(own.pid ?? 0);
  await once(own, 'exit');
  expect(await executors.left()).toEqual([]);
  expect(executors.kills).toBe(1);
});
