import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { JsonObject } from '@conv/core';
import { isEvent } from '@conv/core/events';
import { sandboxProblem } from '@conv/sandbox';
import { createModelServer, type ModelServer } from '@conv/testing-model-server';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import { eventsOf, make, payload, says, until } from '../calls.ts';
import { newFolder } from '../new-folder.ts';
import { eventually, launch, ServerProcess, type Setting } from '../server-process.ts';
import { MODEL_KEY, script, type WantedCall } from './loop.ts';

const hasSandbox = (await sandboxProblem()) === undefined;

let model: ModelServer;

beforeAll(async () => {
  model = await createModelServer({ script, apiKey: MODEL_KEY });
});

afterAll(() => model.close());

async function start(setting: Partial<Setting> = {}): Promise<ServerProcess> {
  const { cwd = newFolder(), args = ['--runtimes', 'sandbox', 'local'], env = {} } = setting;
  const server = await ServerProcess.start({ cwd, args, env });
  onTestFinished(() => server.kill('SIGKILL'));
  return server;
}

/** Makes a conversation whose folder lies in `cwd`. Resolves with its id and its folder. */
async function begin(
  server: ServerProcess,
  cwd: string,
  more: JsonObject = {},
): Promise<{ readonly id: string; readonly folder: string }> {
  const llm = { model: 'openai/test-model', base_url: model.url, api_key: MODEL_KEY };
  const { id, workspace } = await make(server, { ...payload({ cwd, llm }), ...more });
  return { id, folder: workspace['working_dir'] as string };
}

/** Starts a run that makes these calls. */
async function ask(server: ServerProcess, id: string, ...wanted: readonly WantedCall[]): Promise<void> {
  const { status, body } = await server.call(
    'POST',
    `/api/conversations/${id}/events`,
    says(JSON.stringify(wanted), { run: true }),
  );
  expect({ status, body }).toEqual({ status: 200, body: expect.anything() });
}

/** Has these commands run, and resolves with the results that the model read. */
async function commands(server: ServerProcess, id: string, ...wanted: readonly string[]): Promise<readonly string[]> {
  const before = (await eventsOf(server, id)).length;
  await ask(server, id, ...wanted.map((command): WantedCall => ['terminal', { command }]));
  await until(server, id, 'finished');
  return resultsOf(server, id, before);
}

async function resultsOf(server: ServerProcess, id: string, before = 0): Promise<readonly string[]> {
  return (await eventsOf(server, id)).slice(before).flatMap((event) => {
    if (isEvent(event, 'AgentErrorEvent')) return [event.error];
    return isEvent(event, 'ObservationEvent') ? [JSON.stringify(event.observation)] : [];
  });
}

/** Returns the ids of executors that run on this machine for a server in a folder. */
function executorsOf(cwd: string): readonly string[] {
  return readdirSync('/proc').filter((name) => {
    try {
      const line = readFileSync(`/proc/${name}/cmdline`, 'utf8');
      return /^\d+$/.test(name) && line.includes('executor-worker') && line.includes(cwd);
    } catch {
      return false;
    }
  });
}

describe.skipIf(!hasSandbox)('a server whose conversations act in executors of their own', () => {
  test("a server starts an executor with a conversation's first call, and stops it with the conversation", async () => {
    const cwd = newFolder();
    const server = await start({ cwd, env: { CONV_IDLE_SECONDS: '1' } });
    expect((await server.call('GET', '/server_info')).body).toMatchObject({
      conversation_runtime: 'sandbox',
      available_conversation_runtimes: ['sandbox', 'local'],
    });
    const { id, folder } = await begin(server, cwd);
    expect(executorsOf(cwd)).toEqual([]);
    const [said] = await commands(server, id, 'pwd; echo made > made');
    expect(said).toContain(folder);
    expect(readFileSync(join(folder, 'made'), 'utf8')).toBe('made\n');
    await eventually(() => executorsOf(cwd).length === 0);
    expect((await commands(server, id, 'cat made'))[0]).toContain('made');
  });

  test('P9: a server with executors keeps the key of the model and the store from commands', async () => {
    const cwd = newFolder();
    const server = await start({ cwd, env: { CONV_SECRET_OF_MINE: 'value-of-the-server' } });
    const { id } = await begin(server, cwd);
    const [seen] = await commands(server, id, `env; cat /proc/[0-9]*/environ | tr '\\0' '\\n'; ls ${cwd}/workspace`);
    expect(seen).not.toContain(MODEL_KEY);
    expect(seen).not.toContain(server.key);
    expect(seen).not.toContain('.openhands');
  });

  test('P4, P5: a killed server makes no call twice, leaves no executor, and goes on with the same files', async () => {
    const cwd = newFolder();
    const first = await start({ cwd });
    const { id, folder } = await begin(first, cwd);
    await ask(first, id, ['terminal', { command: 'echo run >> runs; sleep 4401' }]);
    await eventually(() => existsSync(join(folder, 'runs')));
    first.kill('SIGKILL');
    await first.ended();
    await eventually(() => executorsOf(cwd).length === 0);
    const second = await start({ cwd });
    await until(second, id, 'finished');
    expect((await resultsOf(second, id))[0]).toContain('outcome is unknown');
    const [runs] = await commands(second, id, 'cat runs | wc -l');
    expect(runs).toContain('"text":"1"');
  });

  test('a server refuses a runtime that it does not offer, by name', async () => {
    const cwd = newFolder();
    const server = await start({ cwd });
    const llm = { model: 'openai/test-model' };
    const body = { ...payload({ cwd, llm }), conversation_runtime: 'docker' };
    expect(await server.call('POST', '/api/conversations', body)).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'conversation_runtime'] }] },
    });
  });
});

test.each([
  [['--runtimes', 'sandbox', '--sandbox', 'off'], '--runtimes: sandbox needs a sandbox, which is off'],
  [['--runtimes', 'docker'], '--runtimes: docker needs an image'],
  [['--container-image', 'conv-agent-server'], '--container-image: it has no effect without the runtime docker'],
  [['--runtimes', 'podman'], 'expected one of local, sandbox, docker'],
] as const)('a server with %j does not start', async (args, text) => {
  const { exitCode, stderr } = await launch({ cwd: newFolder(), args });
  expect(exitCode).not.toBe(0);
  expect(stderr).toContain(text);
});

test('a server with the runtime sandbox does not start on a machine without bubblewrap', async () => {
  const { exitCode, stderr } = await launch({
    cwd: newFolder(),
    args: ['--runtimes', 'sandbox'],
    env: { PATH: '/nowhere' },
  });
  expect(exitCode).toBe(1);
  expect(stderr).toContain('expected a machine that confines programs for the runtime sandbox');
});
