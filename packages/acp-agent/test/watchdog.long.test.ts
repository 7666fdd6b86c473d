import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

import { expect, test } from 'vitest';

/** A program that ignores the end of its input and SIGTERM. Tells its process by its standard error. */
const STUBBORN = 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); console.error(process.pid);';

/** Starts the program, and prints its process. */
const SCRIPT = `
import { systemPlatform } from '@conv/core/platform';
import { Program } from ${JSON.stringify(new URL('../src/program.ts', import.meta.url).href)};

const surroundings = { platform: systemPlatform, confinement: undefined, mask: (text) => text };
const wanted = { command: process.execPath, args: ['-e', ${JSON.stringify(STUBBORN)}], env: {}, cwd: '/' };
const program = await Program.start(wanted, surroundings);
const told = setInterval(() => {
  const [pid] = /\\d+/.exec(program.lastWords) ?? [];
  if (pid === undefined) return;
  console.log(pid);
  clearInterval(told);
}, 10);
setInterval(() => {}, 1000);
`;

test('P5: a program that does not end with the process that is killed is ended by its watchdog', async () => {
  const parent = spawn(process.execPath, ['--input-type=module', '--eval', SCRIPT], { cwd: import.meta.dirname });
  const [line] = await Array.fromAsync(createInterface({ input: parent.stdout }), (text) => {
    parent.kill('SIGKILL');
    return text;
  });
  const pid = Number(line);
  expect(pid).toBeGreaterThan(0);
  await expect.poll(() => isAlive(pid)).toBe(false);
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
