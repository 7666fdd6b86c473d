import { readdirSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';

import { execa } from 'execa';
import { expect, test } from 'vitest';

import { startServer } from './agent-server.ts';
import { commandOf, conv, onlyId, published, type Setting } from './command.ts';
import { newFolder } from './new-folder.ts';

const ID = '12345678-1234-4234-8234-123456789012';
const setting = { cwd: newFolder() };

test.each(['bash', 'zsh', 'fish'])('completion prints a script for %s that asks the program', async (shell) => {
  const { stdout, exitCode } = await published(setting, 'completion', shell);
  expect(stdout).toContain('conv');
  expect(stdout).toContain('complete --');
  expect(exitCode).toBe(0);
});

/** Resolves with the offers of bash for a line that ends with a press of Tab, and with its complaints. It has read the script twice and has no other package. */
async function inBash(
  here: Setting,
  line: string,
): Promise<{ readonly offered: readonly string[]; readonly said: string }> {
  const { file, args, env } = commandOf();
  const script = join(here.cwd, 'conv.bash');
  writeFileSync(script, (await published(here, 'completion', 'bash')).stdout);
  const program = `
    conv() { "$CONV_FILE" ${args.map((arg) => `'${arg}'`).join(' ')} "$@"; }
    source "$CONV_SCRIPT"; source "$CONV_SCRIPT"
    COMP_LINE=$CONV_LINE COMP_POINT=\${#CONV_LINE}
    _conv_complete; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const given = { ...env, ...here.env, CONV_FILE: file, CONV_SCRIPT: script, CONV_LINE: line };
  const ended = await execa('bash', ['--norc', '-c', program], {
    cwd: here.cwd,
    reject: false,
    extendEnv: false,
    env: given,
  });
  return { offered: ended.stdout.split('\n'), said: ended.stderr };
}

test('a bash without other packages completes commands, options, values and ids, and says nothing', async () => {
  const here = { cwd: newFolder() };
  await conv(here, 'run', '`true`');
  const id = await onlyId(here);
  const lines: readonly (readonly [line: string, offered: readonly string[]])[] = [
    ['conv sho', ['show']],
    ['conv show --ser', ['--server', '--server-key']],
    ['conv chat --policy ', ['never', 'risky', 'always']],
    ['conv chat --policy=al', ['always']],
    [`conv show ${id.slice(0, 5)}`, [id]],
    ['conv show zz', ['']],
  ];
  for (const [line, offered] of lines) expect([line, await inBash(here, line)]).toEqual([line, { offered, said: '' }]);
});

test('P13: a press of Tab runs nothing that was typed and nothing that a server calls an id', async () => {
  const items = [{ id: '$(touch by-server)' }, { id: '`touch by-server`' }, { id: ID }];
  const server = createHttpServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    const answer = request.url === '/server_info' ? { version: '1.0.0' } : { items, next_page_id: null };
    response.end(JSON.stringify(answer));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const here = { cwd: newFolder() };
  const there = `--server http://127.0.0.1:${port}`;
  const typed = `conv show $(touch by-words) ${there} \`touch by-words\`; touch by-words `;
  expect((await inBash(here, typed)).said).toBe('');
  // a completion waits a second or so for a server, and a busy machine may answer later
  const offered = async (): Promise<unknown> => (await inBash(here, `conv show ${there} `)).offered;
  await expect.poll(offered, { timeout: 60_000 }).toEqual([ID]);
  expect(readdirSync(here.cwd)).toEqual(['conv.bash']);
  server.close();
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
