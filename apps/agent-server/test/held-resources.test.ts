import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';

import { leaks } from '@conv/testing-harness';
import {
  call,
  createModelServer,
  fail,
  lastUserText,
  say,
  toolResults,
  type ModelServer,
} from '@conv/testing-model-server';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { startAgentServer } from '../src/agent-server.ts';
import type { RunningServer } from '../src/running-server.ts';
import { readConfiguration, type Sources } from '../src/configuration/read-configuration.ts';
import { LivingVaults } from '../src/living-vaults.ts';
import { createLog } from '../src/log.ts';
import { payload, says } from './calls.ts';
import { newFolder } from './new-folder.ts';
import { eventually } from './server-process.ts';

const KEY = 'held-resources-key-1f2e3d4c';

let model: ModelServer;

beforeAll(async () => {
  model = await createModelServer({
    script: (request) => {
      if (lastUserText(request) === 'fail') return fail(400, { message: 'no' });
      if (toolResults(request).length > 0) return say('Done.');
      return call('terminal', { command: 'sleep 1000 & echo started' });
    },
  });
});
afterAll(() => model.close());

async function start(cwd: string, options: Sources['options'] = {}): Promise<RunningServer> {
  const environment = { CONV_WORKSPACE_FOLDER: join(cwd, 'work'), OH_SESSION_API_KEYS_0: KEY };
  const configuration = await readConfiguration({
    options: { host: '127.0.0.1', port: 0, store: `fs:${join(cwd, 'store')}`, logLevel: 'silent', ...options },
    environment,
  });
  const vaults = new LivingVaults();
  return startAgentServer(configuration, { log: createLog(configuration, vaults.mask), vaults });
}

/** Asks with the key, reads the answer and lets the connection go. */
async function ask(server: RunningServer, method: string, path: string, body?: object): Promise<Response> {
  return fetch(server.url + path, {
    method,
    headers: { 'x-session-api-key': KEY, connection: 'close', ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
}

async function json(
  server: RunningServer,
  method: string,
  path: string,
  body?: object,
): Promise<Record<string, unknown>> {
  return (await (await ask(server, method, path, body)).json()) as Record<string, unknown>;
}

/** Makes a conversation, follows it on a socket, and has it run to this status. */
async function ran(server: RunningServer, cwd: string, text: string, status: string): Promise<string> {
  const llm = { model: 'openai/test-model', base_url: model.url, api_key: 'sk-test', num_retries: 0 };
  const { id } = await json(server, 'POST', '/api/conversations', payload({ cwd, llm }));
  const path = `/api/conversations/${String(id)}`;
  const socket = new WebSocket(
    `${server.url.replace('http', 'ws')}/sockets/events/${String(id)}?session_api_key=${KEY}`,
  );
  await once(socket, 'open');
  await json(server, 'POST', `${path}/events`, says(text, { run: true }));
  await eventually(async () => (await json(server, 'GET', path))['execution_status'] === status);
  return path;
}

/** Uses of a server, by what becomes of it. */
const uses: Readonly<Record<string, (cwd: string) => Promise<unknown>>> = {
  'was started and stopped': async (cwd) => (await start(cwd)).close(),
  'ran conversations, and was stopped under their sockets': async (cwd) => {
    const server = await start(cwd);
    await ran(server, cwd, 'work', 'finished');
    await ran(server, cwd, 'fail', 'error');
    await server.close();
  },
  'deleted a conversation': async (cwd) => {
    const server = await start(cwd);
    await json(server, 'DELETE', await ran(server, cwd, 'work', 'finished'));
    await server.close();
  },
  'refused requests and sockets': async (cwd) => {
    const server = await start(cwd);
    const answers = [
      await fetch(`${server.url}/api/conversations/search`, { headers: { connection: 'close' } }),
      await ask(server, 'POST', '/api/conversations', { agent: 1 }),
      await ask(server, 'GET', `/api/conversations/${crypto.randomUUID()}`),
      await ask(server, 'GET', '/api/nowhere'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([401, 422, 404, 404]);
    await Promise.all(answers.map((answer) => answer.text()));
    const sockets = `${server.url.replace('http', 'ws')}/sockets/events/${crypto.randomUUID()}`;
    await once(new WebSocket(`${sockets}?session_api_key=wrong`), 'close');
    // a socket that waits for its key when the server stops
    await once(new WebSocket(sockets), 'open');
    await server.close();
  },
  'ran commands of clients': async (cwd) => {
    const server = await start(cwd);
    await json(server, 'POST', '/api/bash/execute_bash_command', { command: 'echo here', timeout: 10 });
    await json(server, 'POST', '/api/bash/start_bash_command', { command: 'sleep 1000', timeout: 1000 });
    await server.close();
  },
  'found its port taken': async (cwd) => {
    // a client of another test, which waits for its server at this port, must not keep this one open
    const other = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    await expect(start(cwd, { port })).rejects.toThrow('another program listens there');
    await new Promise((resolve) => other.close(resolve));
  },
  'could not reach its store': async (cwd) => {
    const server = await start(cwd, { store: 'postgres://u:p@127.0.0.1:1/x' });
    expect((await ask(server, 'GET', '/ready')).status).toBe(503);
    await server.close();
  },
};

test.each(Object.entries(uses))('nothing is held of a server that %s', async (_, use) => {
  expect(await leaks(() => use(newFolder()), { warmUp: 2, rounds: 3 })).toEqual({});
});
