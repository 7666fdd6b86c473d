import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import { call, createModelServer } from '@conv/testing-model-server';
import { beforeAll, expect, test } from 'vitest';

import { startServer, type TestServer } from './agent-server.ts';
import { FirstVersion } from './chat/first-version.ts';
import { conv, convProcess, type Setting, type Shown, untilThere } from './command.ts';
import { newFolder } from './new-folder.ts';

/** Time for what other processes do on a busy machine. */
const SOON = { timeout: 100_000 };

let server: TestServer;
const home = newFolder();
beforeAll(async () => (server = await startServer(home)));

/** Runs the program as a client with the key of the server. */
function there(...args: string[]) {
  return conv({ cwd: newFolder(), env: server.env }, ...args, '--server', server.url);
}

/** The id that a run tells. */
function idIn(said: string): string {
  const [, id] = /conversation ([0-9a-f-]{36}) on http/.exec(said) ?? [];
  if (id === undefined) throw new Error(`no id in: ${said}`);
  return id;
}

async function shownThere(id: string): Promise<Shown> {
  return JSON.parse((await there('show', id, '--json')).stdout) as Shown;
}

/** The setting of a command that leaves nothing on this machine: its folder stays empty. */
const nothing: Setting = { cwd: newFolder() };

test('run --server works in a folder of the server, and nothing is kept here', async () => {
  const workspace = newFolder();
  const here = newFolder();
  const setting = { cwd: here, env: server.env };
  const run = await conv(setting, 'run', '`touch made`', '--workspace', workspace, '--server', server.url);
  expect(run.exitCode).toBe(0);
  expect(run.stdout).toContain('touch made');
  expect(run.stderr).toMatch(/finished; reply with: conv resume \S+ "…" --server http/);
  expect(existsSync(join(workspace, 'made'))).toBe(true);
  expect(existsSync(join(here, 'workspace'))).toBe(false);
});

test('a server without commits is replayed event by event, and show --at says what it lacks', async () => {
  await using old = await FirstVersion.of(server.url);
  const id = idIn((await there('run', 'say `echo first`')).stderr);
  const from = (...args: string[]) => conv({ cwd: newFolder(), env: server.env }, ...args, '--server', old.url);
  const replayed = await from('replay', id);
  expect(replayed).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/echo first[^]*the last result begins/),
  });
  const { events } = await shownThere(id);
  expect((await from('replay', id, '--json')).stdout.split('\n')).toHaveLength(events.length);
  const past = await from('show', id, '--at', '3');
  expect(past.exitCode).toBe(1);
  expect(past.stderr).toContain('expected a server that gives commits');
});

test("conversations on a server are listed, shown, replayed and forked by an id's start, and go on", async () => {
  const id = idIn((await there('run', 'say `echo first`')).stderr);
  const start = id.slice(0, 8);
  expect((await there('list')).stdout).toContain(id);
  expect((await there('replay', start)).stdout).toContain('echo first');
  expect((await there('resume', start, 'now `echo second`')).stdout).toContain('second');
  const { events } = await shownThere(start);
  const before = JSON.parse((await there('show', start, '--at', '3', '--json')).stdout) as Shown;
  expect(before.events).toEqual(events.slice(0, 4));
  const fork = (await there('fork', start, '--at', '3')).stdout.trim();
  expect((await shownThere(fork)).events).toHaveLength(4);
  expect((await shownThere(fork)).forkedFrom).toMatchObject({ conversationId: id });
});

test('the list of a server says which conversation waits for the answer of a client tool', async () => {
  const ask = { name: 'ask', description: 'Asks.', parameters: { type: 'object' }, answers: 'caller' };
  const model = await createModelServer({ script: () => call('ask', {}) });
  try {
    const answer = await fetch(`${server.url}/api/conversations`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-session-api-key': server.env['OH_SESSION_API_KEY'] ?? '' },
      body: JSON.stringify({
        workspace: { kind: 'LocalWorkspace', working_dir: newFolder() },
        agent_settings: { llm: { model: 'openai/scripted', base_url: model.url, api_key: 'none' } },
        initial_message: { role: 'user', content: [{ type: 'text', text: 'ask me' }], run: true },
        client_tools: [ask],
      }),
    });
    const { id } = (await answer.json()) as { readonly id: string };
    await expect.poll(async () => (await there('list')).stdout, SOON).toMatch(new RegExp(`${id}\\s+waiting`));
    const listed = JSON.parse((await there('list', '--json')).stdout) as readonly { readonly id: string }[];
    expect(listed.find((one) => one.id === id)).toMatchObject({ status: 'running', waitsForAnswer: true });
  } finally {
    await model.close();
  }
});

test('messages of a server are those of its store, in both formats', async () => {
  const id = idIn((await there('run', 'say `echo first`')).stderr);
  const store = `fs:${join(home, 'workspace/conversations')}`;
  for (const format of ['chat', 'responses']) {
    const { stdout, exitCode } = await there('messages', id.slice(0, 8), '--format', format);
    expect(stdout).toContain('echo first');
    expect(stdout).toBe((await conv(nothing, 'messages', id, '--format', format, '--store', store)).stdout);
    expect(exitCode).toBe(0);
  }
});

test('P10: run --confirm on a server leaves the action waiting, ends with 8, and resume --approve runs it', async () => {
  const workspace = newFolder();
  const run = await there('run', '`touch made`', '--confirm', '--workspace', workspace);
  expect(run.exitCode).toBe(8);
  expect(run.stderr).toContain('waits for approval: terminal touch made (risk LOW)');
  const id = idIn(run.stderr);
  expect((await shownThere(id)).executionStatus).toBe('waiting_for_confirmation');
  expect(existsSync(join(workspace, 'made'))).toBe(false);
  expect((await there('resume', id, '--approve')).exitCode).toBe(0);
  expect(existsSync(join(workspace, 'made'))).toBe(true);
});

test('P9: the value of --secret works on the server and is shown nowhere', async () => {
  const setting = { cwd: newFolder(), env: { ...server.env, TOKEN: 'a-value-to-hide' } };
  const run = await conv(setting, 'run', '`echo "$TOKEN" | rev`', '--secret', 'TOKEN', '--server', server.url);
  expect(run.stdout).toContain('edih-ot-eulav-a');
  expect(run.stdout + run.stderr + (await there('show', idIn(run.stderr), '--json')).stdout).not.toContain(
    'a-value-to-hide',
  );
});

test('Ctrl-C pauses a run on a server, a second one interrupts it, and resume goes on', async () => {
  const workspace = newFolder();
  const args = ['run', '`touch begun; sleep 600` `touch after`', '--workspace', workspace, '--server', server.url];
  const run = convProcess({ cwd: newFolder(), env: server.env }, ...args);
  await untilThere(join(workspace, 'begun'));
  run.kill('SIGINT');
  await new Promise<void>((resolve) => {
    let said = '';
    run.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      if (said.includes('pausing after this step')) resolve();
    });
  });
  run.kill('SIGINT');
  const { exitCode, stderr } = await run;
  expect(exitCode).toBe(130);
  expect(stderr).toContain('interrupting');
  expect((await there('resume', idIn(stderr))).exitCode).toBe(0);
  expect(existsSync(join(workspace, 'after'))).toBe(true);
});

test('a wrong key is told in one line, and the key is not in it', async () => {
  const env = { OTHER_KEY: 'not-the-key-of-it' };
  const args = ['run', 'hello', '--server', server.url, '--server-key', 'OTHER_KEY'];
  const { exitCode, stderr } = await conv({ ...nothing, env }, ...args);
  expect(exitCode).toBe(9);
  expect(stderr).toMatch(/^conv: .*401.*; set the key of the server in OH_SESSION_API_KEY, or .* --server-key$/);
  expect(stderr).not.toContain('not-the-key-of-it');
});

test('a server that is not there is told in one line', async () => {
  const closed = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => closed.once('listening', resolve));
  const { port } = closed.address() as AddressInfo;
  await new Promise((resolve) => closed.close(resolve));
  const { exitCode, stderr } = await conv(nothing, 'list', '--server', `http://127.0.0.1:${port}`);
  expect(exitCode).toBe(9);
  expect(stderr).toMatch(/^conv: .*ECONNREFUSED.*$/);
});

test('a model that refuses its key to the server is reported like a refusal to this program', async () => {
  const model = createServer((_, response) => response.writeHead(401).end()).listen(0, '127.0.0.1');
  await new Promise((resolve) => model.once('listening', resolve));
  const { port } = model.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/v1`;
  const env = { ...server.env, LLM_MODEL: 'openai/any', LLM_API_KEY: 'sk-refused', LLM_BASE_URL: url };
  const { exitCode, stderr } = await conv({ ...nothing, env }, 'run', 'hello', '--server', server.url);
  model.close();
  expect(exitCode).toBe(6);
  expect(stderr).toMatch(
    /conv: the run of conversation \S+ which is stored on the server \S+ failed: .*refused the API key/,
  );
  expect(stderr).not.toContain('sk-refused');
});

test('a conversation that is not on the server is not found', async () => {
  expect((await there('show', 'abcdef01')).exitCode).toBe(3);
  expect((await there('resume', crypto.randomUUID(), 'hello')).exitCode).toBe(3);
});

test.each([
  [['list', '--server', 'ftp://somewhere'], /http/],
  [['list', '--server-key', 'KEY'], /--server-key has no effect without --server/],
  [['list', '--server', 'http://127.0.0.1:1', '--server-key', 'NOT_SET'], /set the variable NOT_SET/],
  [['list', '--server', 'http://127.0.0.1:1', '--dir', 'here'], /--dir/],
])('%s is told before a person is asked', async (args, message) => {
  const { exitCode, stderr } = await conv(nothing, ...args);
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(message);
});

test('a server refuses what it cannot be given: hooks of a folder, and another agent on resume', async () => {
  expect(await there('run', 'hello', '--hooks')).toMatchObject({ exitCode: 2 });
  const id = idIn((await there('run', 'hello')).stderr);
  expect(await there('resume', id, 'more', '--tools', 'terminal')).toMatchObject({
    exitCode: 2,
    stderr: 'conv: a conversation on a server keeps its agent; do not pass tools',
  });
});
