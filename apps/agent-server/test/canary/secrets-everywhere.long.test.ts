import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { JsonObject } from '@conv/core';
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

import { says } from '../calls.ts';
import { newFolder } from '../new-folder.ts';
import { eventually, ServerProcess } from '../server-process.ts';
import { askEverything } from './ask-everything.ts';
import { Canaries, type Finding } from './canaries.ts';
import { changes, kept, mangled, starts, type Door, type Places } from './doors.ts';
import { Recorder, type Heard } from './recorder.ts';

const canaries = new Canaries();
const cwd = newFolder();
const SESSION_KEY = canaries.value('session-key');

/**
 * Command that prints its secrets in every form that a program has, and the length of a secret, which proves that the command got
 * it.
 */
const COMMAND =
  'echo "raw $TOKEN"; printf %s "$TOKEN" | base64 -w0; echo; printf %s "$ADDED$CONTEXT" | od -An -c | head -2; echo "length ${#TOKEN}"';

let model: ModelServer;
let server: ServerProcess;
let client: Recorder;
let log = '';
const ids = new Map<string, string>();
const statuses = new Map<string, number>();

/** Sends everything in, has the agent work with it, asks for everything, and ends the server as it should. */
beforeAll(async () => {
  const key = `${canaries.value('start-llm-key')}`;
  model = await createModelServer({
    script: (request) => {
      const said = lastUserText(request);
      if (said === 'fail') return fail(401, { message: `Incorrect API key provided: ${key}` });
      if (toolResults(request).length > 0) return say('Done.');
      return call('terminal', { command: COMMAND });
    },
  });
  const env = {
    OH_SESSION_API_KEYS_0: SESSION_KEY,
    OH_SECRET_KEY: canaries.value('secret-key'),
    OH_PERSISTENCE_DIR: join(cwd, 'settings'),
    CONV_HOST: '127.0.0.1',
    CONV_LOG_LEVEL: 'trace',
  };
  server = await ServerProcess.start({ cwd, env });
  client = new Recorder(server.url, SESSION_KEY);
  const places = { cwd, modelUrl: model.url };
  await enter(places);
  await work();
  await askEverything(client, { ids: [ids.get('working') ?? '', ...ids.values()], folder: cwd });
  client.close();
  await server.stop();
  log = server.log;
}, 240_000);

afterAll(() => model.close());

async function send({ method, path, body }: Door): Promise<JsonObject> {
  const answer = await client.ask(method, path, body);
  statuses.set(`${method} ${path}`, answer.status);
  return answer.body;
}

async function enter(places: Places): Promise<void> {
  for (const [name, body] of Object.entries(starts(canaries, places))) {
    const door = { method: 'POST', path: '/api/conversations', body };
    for (const wrong of mangled(door)) await client.ask(wrong.method, wrong.path, wrong.body);
    const { id } = await send(door);
    if (typeof id === 'string') ids.set(name, id);
    statuses.set(name, statuses.get('POST /api/conversations') ?? 0);
  }
  for (const door of kept(canaries, places)) {
    for (const wrong of mangled(door)) await client.ask(wrong.method, wrong.path, wrong.body);
    await send(door);
  }
}

/** Every conversation answers a message; the first is changed, followed and works a second time. */
async function work(): Promise<void> {
  const working = ids.get('working') ?? '';
  for (const socket of ['events', 'session']) await client.follow(`/sockets/${socket}/${working}`);
  await client.follow('/sockets/bash-events');
  for (const id of ids.values()) {
    await answered(id, 'go');
  }
  for (const door of changes(canaries, working, { cwd, modelUrl: model.url })) {
    for (const wrong of mangled(door)) await client.ask(wrong.method, wrong.path, wrong.body);
    await send(door);
    for (const text of ['again', 'fail']) await answered(working, text);
  }
  await client.ask('POST', `/api/conversations/${working}/ask_agent`, { question: 'fail' });
  await client.ask('POST', `/api/conversations/${working}/fork`, {});
  await client.ask('POST', '/api/bash/execute_bash_command', { command: 'env' });
}

/** Says something and waits for the end of the run, if one could begin. */
async function answered(id: string, text: string): Promise<void> {
  await client.ask('POST', `/api/conversations/${id}/events`, says(text));
  const { status } = await client.ask('POST', `/api/conversations/${id}/run`);
  if (status !== 200) return;
  await eventually(async () => {
    const { body } = await client.ask('GET', `/api/conversations/${id}`);
    return body['execution_status'] !== 'running';
  });
}

function findings(heard: readonly Heard[]): readonly string[] {
  const told = ({ where, bytes }: Heard): readonly string[] =>
    canaries.find(bytes).map(({ door, form, around }: Finding) => `${where}: ${door} as ${form}: ${around}`);
  return [...new Set(heard.flatMap(told))];
}

function filesOf(folder: string): readonly Heard[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    if (!entry.isFile()) return [];
    const path = join(entry.parentPath, entry.name);
    return [{ where: path, bytes: readFileSync(path) }];
  });
}

test('P9: no secret that came in through any door is in any answer, error or frame', () => {
  expect(client.heard.length).toBeGreaterThan(500);
  expect(findings(client.heard)).toEqual([]);
});

test('P9: no secret that came in through any door is in a file of the server', () => {
  const files = filesOf(cwd);
  expect(files.length).toBeGreaterThan(20);
  expect(findings(files)).toEqual([]);
});

test('P9: no secret that came in through any door is in the log', () => {
  expect(log).toContain('"msg":"request"');
  expect(findings(log.split('\n').map((line) => ({ where: 'log', bytes: Buffer.from(line) })))).toEqual([]);
});

test('the secrets came in, and reached the places that need them', () => {
  expect(model.requests.some(({ headers }) => JSON.stringify(headers).includes('cnry.start-llm-key.'))).toBe(true);
  const told = client.heard.map(({ bytes }) => Buffer.from(bytes).toString()).join('\n');
  expect(canaries.size).toBeGreaterThan(80);
  const refused = [...statuses].filter(([, status]) => status >= 300).map(([door]) => door);
  // a password in the address of a lookup, and plugins, are refused by name; the others are not served
  expect(refused).toEqual(['looking', 'helped', 'POST /api/llm/provider-connections', 'POST /api/init']);
  expect(told).toContain(`length ${canaries.value('start-static').length}`);
  expect(client.frames(`/sockets/session/${ids.get('working')}`)).toBeGreaterThan(10);
  expect(client.frames(`/sockets/events/${ids.get('working')}`)).toBeGreaterThan(10);
});
