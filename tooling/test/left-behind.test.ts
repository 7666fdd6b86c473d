import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

import { afterEach, beforeEach, expect, test } from 'vitest';

import { leftFiles, leftProcesses } from '../verify/left-behind.mjs';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'conv-left-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('leftFiles names what stands in the folder, except the cache of compiled code', () => {
  mkdirSync(join(folder, 'node-compile-cache'));
  expect(leftFiles(folder)).toEqual([]);
  mkdirSync(join(folder, 'conv-a'));
  writeFileSync(join(folder, 'b.txt'), '');
  expect(leftFiles(folder).toSorted()).toEqual(['b.txt', 'conv-a']);
});

for (const [how, options] of [
  ['works in the folder', () => ({ cwd: folder })],
  ['was given the folder for temporary files', () => ({ env: { ...process.env, TMPDIR: folder } })],
] as const)
  test.runIf(process.platform === 'linux')(`leftProcesses finds a process that ${how}, until it ends`, async () => {
    const program = 'process.stdout.write("up"); process.stdin.resume()';
    const child = spawn(process.execPath, ['-e', program], { ...options(), stdio: ['pipe', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    expect(leftProcesses(folder)).toEqual([{ pid: child.pid, command: expect.stringContaining('stdin.resume') }]);
    child.kill('SIGKILL');
    await once(child, 'close');
    expect(leftProcesses(folder)).toEqual([]);
  });
