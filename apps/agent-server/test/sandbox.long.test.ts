import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { sandboxProblem } from '@conv/sandbox';
import { call, createModelServer, lastUserText, say, toolResults } from '@conv/testing-model-server';
import { describe, expect, onTestFinished, test } from 'vitest';

import { eventsOf, make, payload, says, until } from './calls.ts';
import { newFolder } from './new-folder.ts';
import { launch, ServerProcess } from './server-process.ts';

const isHere = (await sandboxProblem()) === undefined;
/** A machine without bubblewrap. */
const WITHOUT = { PATH: '/nowhere' };

/** Starts a server whose agents run in a sandbox where there is one. */
async function start(env: Readonly<Record<string, string>> = {}, cwd: string = newFolder()): Promise<ServerProcess> {
  const server = await ServerProcess.start({ cwd, env });
  onTestFinished(async () => void (await server.stop()));
  return server;
}

async function run(server: ServerProcess, command: string, cwd: string): Promise<string> {
  const { status, body } = await server.call('POST', '/api/bash/execute_bash_command', { command, cwd });
  return status === 200
    ? `${(body['stdout'] as string | null) ?? ''}${(body['stderr'] as string | null) ?? ''}`
    : `${status}: ${body['detail'] as string}`;
}

describe.skipIf(!isHere)('a server on a machine with bubblewrap', () => {
  test('a server with bubblewrap confines commands, and says so at its start and in its description', async () => {
    const cwd = newFolder();
    const server = await start({}, cwd);
    expect(await server.logged('commands run in a sandbox')).toMatchObject({ sandbox: 'bubblewrap' });
    expect((await server.call('GET', '/server_info')).body).toMatchObject({ sandbox: 'bubblewrap', unconfined: null });
    const project = join(cwd, 'workspace/project');
    expect(await run(server, 'echo made >file; cat file', project)).toContain('made');
    expect(readFileSync(join(project, 'file'), 'utf8')).toBe('made\n');
    expect(await run(server, `cat ${cwd}/workspace/.openhands/*`, project)).toContain('No such file');
  });

  test('a server shows commands the paths of its configuration, to read alone', async () => {
    const [cwd, shown] = [newFolder(), newFolder()];
    writeFileSync(join(shown, 'file'), 'shown');
    const server = await start({ CONV_SANDBOX_READ: shown }, cwd);
    const project = join(cwd, 'workspace/project');
    expect(await run(server, `cat ${shown}/file`, project)).toBe('shown');
    expect(await run(server, `touch ${shown}/new`, project)).toContain('Read-only file system');
  });

  test('a server hides its keys from commands in a folder that holds them', async () => {
    const cwd = newFolder();
    const server = await start({}, cwd);
    const key = join(cwd, 'workspace/.openhands/secret.key');
    expect(existsSync(key)).toBe(true);
    expect(await run(server, `ls -A workspace/.openhands; cat ${key}`, cwd)).toContain('No such file');
  });

  test('a server hides a store in one file from commands in its folder', async () => {
    const cwd = newFolder();
    const server = await start({ CONV_STORE: 'sqlite:conversations.db' }, cwd);
    await make(server, payload({ cwd, llm: { model: 'openai/test-model' } }));
    const file = join(cwd, 'conversations.db');
    expect(existsSync(file)).toBe(true);
    expect(await run(server, 'cat conversations.db* 2>/dev/null | wc --bytes; rm -f conversations.db*', cwd)).toMatch(
      /^0\n/,
    );
    expect(readFileSync(file, 'latin1')).toContain('SQLite format');
  });

  test('a server confines the commands of agents, and tells their model', async () => {
    const requests: string[] = [];
    const script = (request: Parameters<typeof lastUserText>[0]) => {
      requests.push(JSON.stringify(request));
      const [result] = toolResults(request);
      return result ? say('done') : call('terminal', { command: lastUserText(request) });
    };
    const model = await createModelServer({ script });
    onTestFinished(() => model.close());
    const cwd = newFolder();
    const server = await start({}, cwd);
    writeFileSync(join(cwd, 'outside'), 'content outside');
    const llm = { model: 'openai/test-model', base_url: model.url, api_key: 'sk-test-0123456789' };
    const told = says('cat ../../outside; echo made >file; cat file', { run: true });
    const { id } = await make(server, { ...payload({ cwd, llm }), initial_message: told });
    await until(server, id, 'finished');
    const events = JSON.stringify(await eventsOf(server, id));
    expect(events).not.toContain('content outside');
    expect(events).toContain(String.raw`../../outside: No such file or directory\nmade`);
    expect(requests[0]).toContain('Commands run in a sandbox.');
  });

  test("P10: a server runs an agent's command outside once a person allows it, if the operator permits", async () => {
    const model = await createModelServer({
      script: (request) => {
        const [result] = toolResults(request);
        const asks = { command: lastUserText(request), outside_sandbox: 'the file lies outside' };
        return result ? say('done') : call('terminal', asks);
      },
    });
    onTestFinished(() => model.close());
    const [cwd, folder] = [newFolder(), newFolder()];
    const server = await start({ CONV_SANDBOX_OUTSIDE: 'ask' }, cwd);
    writeFileSync(join(folder, 'outside'), 'content outside');
    const llm = { model: 'openai/test-model', base_url: model.url, api_key: 'sk-test-0123456789' };
    const told = says(`cat ${folder}/outside`, { run: true });
    const { id } = await make(server, { ...payload({ cwd, llm }), initial_message: told });
    await until(server, id, 'waiting_for_confirmation');
    expect(JSON.stringify(await eventsOf(server, id))).not.toContain('content outside');
    expect((await server.call('POST', `/api/conversations/${id}/run`)).status).toBe(200);
    await until(server, id, 'finished');
    expect(JSON.stringify(await eventsOf(server, id))).toContain('content outside');
  });

  test('a server confines nothing when it is told so, and says that', async () => {
    const cwd = newFolder();
    writeFileSync(join(cwd, 'outside'), 'content outside');
    const server = await start({ CONV_SANDBOX: 'off' }, cwd);
    await server.logged('commands run without a sandbox, because it is off');
    expect(await run(server, 'cat ../../outside', join(cwd, 'workspace/project'))).toContain('content outside');
    expect((await server.call('GET', '/server_info')).body).toMatchObject({ sandbox: null, unconfined: null });
  });

  test('a server runs a command that begins in the root folder, confined to its working folder', async () => {
    const cwd = newFolder();
    writeFileSync(join(cwd, 'outside'), 'content outside');
    const server = await start({}, cwd);
    const command = `pwd; cat ${cwd}/outside; echo made >${cwd}/workspace/project/file`;
    expect(await run(server, command, '/')).toMatch(/^\/\ncat: .*outside: No such file/);
    expect(readFileSync(join(cwd, 'workspace/project/file'), 'utf8')).toBe('made\n');
  });

  test('a server closes the network of commands when it is told so', async () => {
    const cwd = newFolder();
    const server = await start({ CONV_SANDBOX: 'closed' }, cwd);
    const devices = await run(server, `awk 'NR > 2 { print $1 }' /proc/net/dev`, join(cwd, 'workspace/project'));
    expect(devices).toBe('lo:\n');
  });
});

describe.skipIf(!isHere)('a server whose sandbox has limits', () => {
  test('a server ends a command beyond its limits, says so in output and log, and answers the next one', async () => {
    const server = await start({ CONV_SANDBOX_LIMITS: '{"processes":30}' });
    const cwd = newFolder();
    const output = await run(server, 'for i in $(seq 60); do sleep 1000 & done; wait', cwd);
    expect(output).toContain('the sandbox ended it and all that it had started: expected at most 30 processes');
    expect(await server.logged('ended a program at a limit of the sandbox')).toMatchObject({ limit: 'processes' });
    expect(await run(server, 'echo again', cwd)).toContain('again');
  });
});

describe('a server on a machine without bubblewrap', () => {
  test('a server without bubblewrap runs commands without a sandbox, and says why', async () => {
    const server = await start(WITHOUT);
    expect(await server.logged('commands run without a sandbox')).toMatchObject({
      reason: expect.stringContaining('The sandbox needs'),
    });
    const { body } = await server.call('GET', '/server_info');
    expect(body).toMatchObject({ sandbox: null, unconfined: expect.stringContaining('The sandbox needs') });
  });

  test.each(['on', 'closed'])(
    'a server without bubblewrap does not start when the sandbox is to be %s',
    async (mode) => {
      const { exitCode, stderr } = await launch({ cwd: newFolder(), env: { ...WITHOUT, CONV_SANDBOX: mode } });
      expect(exitCode).toBe(1);
      expect(stderr).toContain(`sandbox: expected a machine that confines commands for ${mode}, found none`);
    },
  );
});
