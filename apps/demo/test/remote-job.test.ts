import { readdirSync } from 'node:fs';

import { expect, test } from 'vitest';

import { demo } from './command.ts';
import { newFolder } from './new-folder.ts';

test('P4 P5 P11: the job on a server survives a cut connection and SIGKILL, and checks every claim', async () => {
  const setting = { cwd: newFolder(), env: { TMPDIR: newFolder() }, timeout: 240_000 };
  const { stdout, stderr, exitCode } = await demo(setting, '--remote');
  expect(stderr).toBe('');
  expect(stdout).toMatch(/SIGKILL: the server dies in the middle of a command/);
  expect(stdout.match(/┃ ✗.*/g)).toBeNull();
  expect(stdout).toMatch(/claims\s+all 25 hold/);
  expect(exitCode).toBe(0);
  expect(readdirSync(setting.env.TMPDIR)).toEqual([]);
}, 250_000);
