import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';

/** The lines that a program of this package prints, and how it ends. */
function run(program: string, parameters: readonly string[]) {
  const file = join(import.meta.dirname, '../src', program);
  const child = spawn(process.execPath, [file, ...parameters], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, lines: createInterface({ input: child.stdout }), exit: once(child, 'exit') };
}

test('the process says where it listens, passes the checks from outside, and ends when it is told to', async () => {
  const server = run('main.ts', ['--access-key-id', 'me', '--secret-access-key', 'mine']);
  const [first] = (await once(server.lines, 'line')) as [string];
  const { url } = JSON.parse(first) as { url: string };
  const keys = ['--access-key-id', 'me', '--secret-access-key', 'mine'];
  const checks = run('check-server.ts', ['--endpoint', url, ...keys]);
  const lines = await Array.fromAsync(checks.lines);
  expect(lines.at(-1)).toBe(`42 of 42 checks pass on ${url}`);
  expect(await checks.exit).toEqual([0, null]);
  server.child.kill('SIGTERM');
  expect(await server.exit).toEqual([0, null]);
}, 120_000);
