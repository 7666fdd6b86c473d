import { readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';

import { execa } from 'execa';
import { expect, test } from 'vitest';

import { startServer } from './agent-server.ts';
import { conv, onlyId, published } from './command.ts';
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

test('ids are completed with their titles, from the store or the server that the words name', async () => {
  const here = { cwd: newFolder() };
  await conv(here, 'run', 'first `true`');
  const id = await onlyId(here);
  for (const words of [
    ['show', ''],
    ['chat', id.slice(0, 4)],
    ['delete', id.slice(0, 2)],
    ['resume', '--store', 'fs:workspace/conversations', ''],
  ])
    expect((await conv(here, 'complete', '--', ...words)).stdout).toContain(`${id}\tfirst \`true\`\n`);
  expect((await conv(here, 'complete', '--', 'show', 'zz')).stdout).not.toContain(id);
  expect((await conv(here, 'complete', '--', 'list', '')).stdout).not.toContain(id);
  const server = await startServer(newFolder());
  const there = { cwd: newFolder(), env: server.env };
  await conv(there, 'run', 'second `true`', '--server', server.url);
  // a completion waits a second or so for a server, and a busy machine may answer later
  const completed = async (): Promise<string> =>
    (await conv(there, 'complete', '--', 'messages', '--server', server.url, '')).stdout;
  await expect.poll(completed, { timeout: 60_000 }).toMatch(/^[0-9a-f-]{36}\tsecond `true`$/m);
});

test('a place that is not there, or does not answer, completes nothing and says nothing', async () => {
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as { port: number };
  const here = { cwd: newFolder() };
  for (const place of [
    ['--store', 'fs:mistyped'],
    ['--store', 'redis:x'],
    ['--server', `http://127.0.0.1:${port}`],
  ]) {
    const { stdout, stderr } = await conv(here, 'complete', '--', 'show', ...place, '');
    expect([stdout, stderr]).toEqual([':4', '']);
  }
  expect(readdirSync(here.cwd)).toEqual([]);
  silent.close();
});

test('P13: another shell is answered with the shells that there are', async () => {
  const { stderr, exitCode } = await published(setting, 'completion', 'tcsh');
  expect(stderr).toContain('Allowed choices are zsh, bash, fish, powershell');
  expect(exitCode).toBe(2);
});
