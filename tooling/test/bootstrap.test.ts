import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { alone } from '../bootstrap/lock.mjs';
import { tasks } from '../bootstrap/tasks.mjs';
import { testEnvironment } from '../bootstrap/test-environment.mjs';
import { root } from '../bootstrap/process.mjs';
import { workspacePackages } from '../bootstrap/workspace.mjs';
import { folderWith, workspaceWith } from './fixture.ts';

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

test("tests share what was compiled, and a second Node's run stays on disk and the caller's values win", () => {
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

describe('a step that writes what others read', () => {
  const lockModule = join(import.meta.dirname, '../bootstrap/lock.mjs');

  /** Starts a process that takes a lock, says so, and holds it until its input ends. It writes both into a file, too. */
  function holding(file: string): ChildProcessByStdio<Writable, Readable, null> {
    const script = `import { alone } from ${JSON.stringify(lockModule)};
      import { appendFileSync } from 'node:fs';
      const say = (word) => { appendFileSync(${JSON.stringify(`${file}.log`)}, word + ' '); console.log(word); };
      await alone(async () => {
        say('in');
        await new Promise((end) => process.stdin.resume().once('end', end));
        say('out');
      }, ${JSON.stringify(file)});`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['pipe', 'pipe', 'ignore'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    return child;
  }

  test('a step that writes what others read runs when the other has ended, and leaves nothing', async () => {
    const file = join(folderWith({}), 'lock');
    const first = holding(file);
    await once(first.stdout, 'data');
    const second = alone(async () => readFileSync(`${file}.log`, 'utf8'), file);
    first.stdin.end();
    expect(await second).toBe('in out ');
    expect(existsSync(file)).toBe(false);
  });

  test('a step that writes what others read runs after a killed step, and several run in turn', async () => {
    const file = join(folderWith({}), 'lock');
    const first = holding(file);
    await once(first.stdout, 'data');
    first.kill('SIGKILL');
    await once(first, 'exit');
    const waiting = [1, 2, 3, 4].map(() => holding(file));
    for (const child of waiting) child.stdout.once('data', () => child.stdin.end());
    await Promise.all(waiting.map((child) => once(child, 'close')));
    expect(readFileSync(`${file}.log`, 'utf8')).toBe(`in ${'in out '.repeat(4)}`);
    expect(existsSync(file)).toBe(false);
  });

  test('a step that writes what others read gives the lock back when it fails', async () => {
    const file = join(folderWith({}), 'lock');
    await expect(alone(() => Promise.reject(new Error('no')), file)).rejects.toThrow('no');
    expect(existsSync(file)).toBe(false);
  });
});
