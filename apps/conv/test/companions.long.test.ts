import { readFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import { expect, test, vi } from 'vitest';

import { published } from './command.ts';
import { newFolder } from './new-folder.ts';

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));

test('serve starts the agent server with its own options, over the own store, in the same process', async () => {
  const [cwd, data] = [newFolder(), newFolder()];
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, HOME: cwd, XDG_DATA_HOME: data, LOG_JSON: 'true' };
  const server = spawn(process.execPath, [MAIN, 'serve', '--port', '0'], {
    cwd,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  server.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const ended = once(server, 'exit');
  await vi.waitUntil(() => said.includes('"msg":"listening"'), { timeout: 100_000, interval: 50 });
  expect(said).toContain(`"store":"fs:${data}/conv/conversations"`);
  // the first line says which version runs
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  expect(JSON.parse(said.slice(0, said.indexOf('\n')))).toMatchObject({ msg: 'starting', version });
  server.kill('SIGTERM');
  const [code] = (await ended) as [number | null];
  expect(code).toBe(0);
});

test('serve --help is the help of the server, and its mistakes are named by it', async () => {
  const setting = { cwd: newFolder() };
  expect((await published(setting, 'serve', '--help')).stdout).toContain('Usage: conv-server');
  const mistaken = await published(setting, 'serve', '--prot', '1');
  expect([mistaken.exitCode, mistaken.stderr]).toEqual([2, expect.stringContaining("unknown option '--prot'")]);
});

test('--version prints the version of the package, and help exit-codes lists the exit codes', async () => {
  const setting = { cwd: newFolder() };
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  expect((await published(setting, '--version')).stdout).toBe(version);
  expect((await published(setting, 'help', 'exit-codes')).stdout).toContain('no such conversation');
  expect(await published(setting, 'exit-codes')).toMatchObject({ exitCode: 0 });
});
