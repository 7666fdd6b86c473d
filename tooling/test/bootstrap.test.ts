import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { tasks } from '../bootstrap/tasks.mjs';
import { testEnvironment } from '../bootstrap/test-environment.mjs';
import { root } from '../bootstrap/process.mjs';
import { workspacePackages } from '../bootstrap/workspace.mjs';
import { workspaceWith } from './fixture.ts';

const processModule = join(import.meta.dirname, '../bootstrap/process.mjs');

/** Runs a program through the bootstrap's `runProgram`, without a terminal. */
function runThroughBootstrap(program: string, args: readonly string[] = []): ChildProcessByStdio<null, Readable, null> {
  const command = JSON.stringify([process.execPath, '-e', program, '--', ...args]);
  const script = `import { runProgram } from ${JSON.stringify(processModule)}; await runProgram(${command}, process.env);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

test('arguments reach the task as they were written, whatever a shell would make of them', async () => {
  const args = ['a "b"', '$(exit 3)', '; echo x', "it's", '*'];
  const child = runThroughBootstrap('console.log(JSON.stringify(process.argv.slice(1)))', args);
  const [output] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
  expect(JSON.parse(output)).toEqual(args);
});

test('the exit code of the task is the exit code of the bootstrap', async () => {
  const [code] = await once(runThroughBootstrap('process.exit(7)'), 'exit');
  expect(code).toBe(7);
});

test('a task that dies of a signal takes the bootstrap with it by the same signal', async () => {
  const [code, signal] = await once(runThroughBootstrap("process.kill(process.pid, 'SIGKILL')"), 'exit');
  expect({ code, signal }).toEqual({ code: null, signal: 'SIGKILL' });
});

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('the task decides what %s means', async (signal) => {
  const child = runThroughBootstrap(
    `process.on('${signal}', () => process.exit(9)); setInterval(() => {}, 1000); console.log('ready');`,
  );
  await once(child.stdout, 'data');
  child.kill(signal);
  const [code] = await once(child, 'exit');
  expect(code).toBe(9);
});

test('every script of the root is a task of the bootstrap and the other way round', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: unknown };
  const expected = Object.fromEntries(Object.keys(tasks).map((name) => [name, `node tooling/bootstrap.mjs ${name}`]));
  expect(scripts).toEqual(expected);
});

test("tests share what was compiled; a second Node's run stays on the disk, and the caller's own values win", () => {
  const { NODE_COMPILE_CACHE, ...rest } = testEnvironment({ CONV_NODE: '22.19.0' });
  expect(NODE_COMPILE_CACHE).toBe(join(root, '.cache/compiled'));
  expect(rest).toEqual({ CONV_NODE: '22.19.0' });
  const own = { NODE_COMPILE_CACHE: '/mine', TMPDIR: '/my-disk' };
  expect(testEnvironment(own)).toEqual(own);
});

test('turbo hands the environment of tests on to them', () => {
  const { tasks: known } = JSON.parse(readFileSync(join(root, 'turbo.json'), 'utf8')) as {
    tasks: { test: { passThroughEnv: readonly string[] } };
  };
  const names = Object.keys({ TMPDIR: '', ...testEnvironment({}) }).toSorted();
  expect(known.test.passThroughEnv.toSorted()).toEqual(names);
});

test('packages are found as the workspace file lists them', () => {
  const at = workspaceWith({
    'apps/two/package.json': { name: '@conv/two' },
    'docs/package.json': { name: '@conv/docs' },
  });
  expect(workspacePackages(at).map(({ dir }) => dir)).toEqual(['apps/two', 'docs', 'packages/one']);
  expect(workspacePackages(root).length).toBeGreaterThan(0);
});

test.each([
  ['', ''],
  [
    ' before it began',
    "const parent = process.ppid; console.log('here'); while (process.ppid === parent) await new Promise(setImmediate);",
  ],
])('a task ends when the process that started the bootstrap is gone%s', async (_, wait) => {
  const started = JSON.stringify([process.execPath, '-e', 'setInterval(() => {}, 1000); console.log(process.pid);']);
  const inner = `import { runProgram } from ${JSON.stringify(processModule)}; ${wait} await runProgram(${started}, process.env);`;
  const shell = `const { spawn } = require('node:child_process');
    spawn(process.execPath, ['--input-type=module', '-e', ${JSON.stringify(inner)}], { stdio: 'inherit' });`;
  const parent = spawn(process.execPath, ['-e', shell], { stdio: ['ignore', 'pipe', 'ignore'] });
  await once(parent.stdout, 'data');
  parent.kill('SIGKILL');
  // The pipe ends only when the bootstrap and the task, which hold its other end, have ended.
  await once(parent.stdout.resume(), 'close');
  expect(parent.stdout.readableEnded).toBe(true);
});
