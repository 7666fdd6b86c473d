import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';

import { inCi } from '@conv/testing-harness';
import { call, createModelServer, lastUserText, say, toolResults, type ModelServer } from '@conv/testing-model-server';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { eventsOf, kindsOf, make, payload, says, until } from './calls.ts';
import { newFolder } from './new-folder.ts';
import { eventually, ServerProcess, type Setting } from './server-process.ts';

let model: ModelServer;

beforeAll(async () => {
  model = await createModelServer({
    script: (request) => {
      const [result] = toolResults(request);
      if (result) return say('Over.');
      return lastUserText(request) === 'sleep' ? call('terminal', { command: 'echo begun; sleep 600' }) : say('Yes.');
    },
  });
});

afterAll(() => model.close());

/** Makes a conversation and sends its first message, with a run. */
async function asked(server: ServerProcess, cwd: string, text: string): Promise<string> {
  const llm = { model: 'openai/test-model', base_url: model.url, api_key: 'sk-test-0123456789' };
  const { id } = await make(server, payload({ cwd, llm }));
  await server.call('POST', `/api/conversations/${id}/events`, says(text, { run: true }));
  return id;
}

/** Has a conversation in which a command runs that does not end. */
async function sleeping(server: ServerProcess, cwd: string): Promise<string> {
  const id = await asked(server, cwd, 'sleep');
  await eventually(async () => (await kindsOf(server, id)).includes('ActionEvent'));
  return id;
}

/** A client that never sends what it announced. */
async function halfRequest(server: ServerProcess): Promise<Socket> {
  const client = connect(Number(new URL(server.url).port), '127.0.0.1').on('error', () => {});
  await once(client, 'connect');
  const head = 'POST /api/conversations HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9';
  client.write(`${head}\r\n\r\n{`);
  // it is heard: answers on other connections come after it
  await server.call('GET', '/health');
  return client;
}

/** Expects that the run of a server that has ended goes on by itself, knowing that the outcome of its call is unknown. */
async function expectGoesOn(server: ServerProcess, id: string): Promise<void> {
  expect((await until(server, id, 'finished', 'paused', 'idle', 'error')).execution_status).toBe('finished');
  const kinds = await kindsOf(server, id);
  expect(kinds.slice(kinds.indexOf('ActionEvent'))).toEqual(['ActionEvent', 'AgentErrorEvent', 'MessageEvent']);
}

/** The server records the same in every store, so CI takes one. */
const stores = inCi(['fs', 'sqlite'], 2);

test.each(stores)(
  'P5: SIGTERM of the only server is not recorded as of the user, and runs go on at the next start (%s)',
  async (kind) => {
    const cwd = newFolder();
    const env = { CONV_SHUTDOWN_SECONDS: '10', OH_MAX_CONCURRENT_RUNS: '1' };
    const setting: Setting = {
      cwd,
      env,
      args: kind === 'fs' ? [] : ['--store', `sqlite:${join(cwd, 'conversations.db')}`],
    };
    const first = await ServerProcess.start(setting);
    const id = await sleeping(first, cwd);
    const queued = await asked(first, cwd, 'hello');
    expect(await first.stop()).toBe(0);
    expect(first.lines.at(-1)).toMatchObject({ msg: 'stopped' });
    const second = await ServerProcess.start(setting);
    await expectGoesOn(second, id);
    expect((await until(second, queued, 'finished', 'paused', 'error')).execution_status).toBe('finished');
    expect(await kindsOf(second, queued)).toEqual(['SystemPromptEvent', 'MessageEvent', 'MessageEvent']);
    expect(await second.stop()).toBe(0);
  },
);

test('P4, P5: a process that was killed comes back with what it had acknowledged, and nothing is run twice', async () => {
  const cwd = newFolder();
  const first = await ServerProcess.start({ cwd });
  const id = await sleeping(first, cwd);
  const before = await eventsOf(first, id);
  first.kill('SIGKILL');
  expect(await first.ended()).toBe('SIGKILL');
  const second = await ServerProcess.start({ cwd });
  const after = await eventually(async () => {
    const events = await eventsOf(second, id);
    return events.length > before.length && events;
  });
  expect(after.slice(0, before.length)).toEqual(before);
  await expectGoesOn(second, id);
  expect(await second.stop()).toBe(0);
});

test('a client that never ends what it began does not keep it from an orderly end', async () => {
  const server = await ServerProcess.start({ cwd: newFolder(), env: { CONV_SHUTDOWN_SECONDS: '6' } });
  const client = await halfRequest(server);
  expect(await server.stop()).toBe(0);
  client.destroy();
});

test('a second SIGINT ends the server at once, even while it waits for a client', async () => {
  const server = await ServerProcess.start({ cwd: newFolder(), env: { CONV_SHUTDOWN_SECONDS: '600' } });
  const client = await halfRequest(server);
  server.kill('SIGINT');
  await server.logged('stopping: the next start will continue the runs, everything is stored');
  server.kill('SIGINT');
  expect(await server.ended()).toBe(130);
  client.destroy();
});
