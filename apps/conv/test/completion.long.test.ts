import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { execa } from 'execa';
import { expect, test } from 'vitest';

import { published } from './command.ts';
import { newFolder } from './new-folder.ts';

const setting = { cwd: newFolder() };

test.each(['bash', 'zsh', 'fish'])('completion prints a script for %s that asks the program', async (shell) => {
  const { stdout, exitCode } = await published(setting, 'completion', shell);
  expect(stdout).toContain('conv');
  expect(stdout).toContain('complete --');
  expect(exitCode).toBe(0);
});

test('the script of bash is a script of bash', async () => {
  const { stdout } = await published(setting, 'completion', 'bash');
  const file = join(setting.cwd, 'conv.bash');
  writeFileSync(file, stdout);
  expect((await execa('bash', ['-n', file], { reject: false })).stderr).toBe('');
});

test('commands and their options are completed', async () => {
  const commands = await published(setting, 'complete', '--', 'sh');
  expect(commands.stdout).toMatch(/^show\t/m);
  expect(commands.stdout).not.toMatch(/^run\t/m);
  const options = await published(setting, 'complete', '--', 'show', '--s');
  expect(options.stdout).toMatch(/^--store\t/m);
  expect(options.stdout).toMatch(/^--server\t/m);
});

test('P13: another shell is answered with the shells that there are', async () => {
  const { stderr, exitCode } = await published(setting, 'completion', 'tcsh');
  expect(stderr).toContain('Allowed choices are zsh, bash, fish, powershell');
  expect(exitCode).toBe(2);
});
