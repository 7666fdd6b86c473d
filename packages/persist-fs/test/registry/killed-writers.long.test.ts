import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { FsRegistry } from '../../src/index.ts';

const program = join(import.meta.dirname, 'registry-process.ts');

/** Starts a process that counts up. `counted` receives each number that it acknowledged. */
function start(directory: string, counted: (count: number) => void): ChildProcess {
  const child = spawn(process.execPath, [program, directory], { stdio: ['ignore', 'pipe', 'inherit'] });
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => counted(Number(line)));
  return child;
}

test('writers that are killed at any moment lose no acknowledged record and make no number twice', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'conv-registry-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const acknowledged: number[] = [];
  for (let round = 0; round < 6; round++) {
    const counted = Promise.withResolvers<void>();
    const wanted = acknowledged.length + 15 + round;
    const children = [0, 1, 2].map(() =>
      start(directory, (count) => {
        acknowledged.push(count);
        if (acknowledged.length >= wanted) counted.resolve();
      }),
    );
    await counted.promise;
    await Promise.all(
      children.map(async (child) => {
        const closed = once(child, 'close');
        child.kill('SIGKILL');
        await closed;
      }),
    );
  }
  expect(new Set(acknowledged).size).toBe(acknowledged.length);
  const value = (await new FsRegistry({ directory }).get('keys', 'count'))?.value;
  // a process may be killed between its change and the line that tells of it
  expect(value).toBeGreaterThanOrEqual(Math.max(...acknowledged));
  expect(Number(value)).toBeLessThanOrEqual(acknowledged.length + 18);
});
