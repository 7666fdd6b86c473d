import { join } from 'node:path';

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

import { make, payload, says, until } from '../calls.ts';
import { newFolder } from '../new-folder.ts';
import { eventually, ServerProcess } from '../server-process.ts';
import { askEverything } from './ask-everything.ts';
import { Recorder, type Heard } from './recorder.ts';

const VALUE = 'ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8';
const ENCODED = Buffer.from(VALUE).toString('base64').replace(/=+$/, '');
/** Characters of a value of which nothing can be known. */
const LEGIBLE = 7;
const SESSION_KEY = 'session-key-of-later-secrets-0c4e';
/** More than a model is shown of a result, and more than an event holds, with the value in every line. */
const LINES = `i=0; while [ $i -lt 30000 ]; do echo "$i TOKEN=${VALUE} and $i more words of a line"; i=$((i+1)); done`;

const cwd = newFolder();
const env = {
  OH_SESSION_API_KEYS_0: SESSION_KEY,
  OH_SECRET_KEY: 'a-secret-key-of-later-secrets',
  OH_PERSISTENCE_DIR: join(cwd, 'settings'),
  CONV_HOST: '127.0.0.1',
  CONV_LOG_LEVEL: 'trace',
};
let model: ModelServer;
let server: ServerProcess;
let client: Recorder;
let id = '';
/** Amounts of heard, logged and requested data before the value was known. */
const before = { heard: 0, log: 0, requests: 0 };

beforeAll(async () => {
  model = await createModelServer({
    script: (request) => {
      const said = lastUserText(request);
      if (/fail with \S+$/.test(said)) return fail(400, { message: `no such key: ${VALUE}` });
      if (request.tools.length === 0) return say(`Deploy with ${VALUE.slice(0, 30)}…`);
      if (said.startsWith('print') && toolResults(request).length === 0) return call('terminal', { command: LINES });
      const results = toolResults(request);
      const [file = ''] = results.flatMap(({ text }) => /\/\S+\/observations\/[\w.-]+/.exec(text) ?? []);
      if (said.endsWith('read the file') && results.length === 1)
        return call('terminal', { command: `tail -n 2 ${file}` });
      // in pieces, so that every border goes through the value once
      return say([...(`${VALUE} and ${ENCODED}, as you said`.match(/.{1,3}/g) ?? [])], {
        reasoning: [`they said ${VALUE.slice(0, 21)}`, VALUE.slice(21)],
      });
    },
  });
  server = await ServerProcess.start({ cwd, env });
  client = new Recorder(server.url, SESSION_KEY);
  const llm = { model: 'openai/test', base_url: model.url, api_key: 'k', stream: true };
  ({ id } = await make(server, payload({ cwd, llm })));
  await client.follow(`/sockets/session/${id}`);
  await sayAll();
  before.heard = client.heard.length;
  before.log = server.log.length;
  await client.ask('POST', `/api/conversations/${id}/secrets`, { secrets: { TOKEN: VALUE } });
  before.requests = model.requests.length;
}, 240_000);

afterAll(async () => {
  client.close();
  await server.stop();
  await model.close();
});

/** Says the value in every way in which it is cut later on. */
async function sayAll(): Promise<void> {
  for (const text of [`print, with ${VALUE}`, 'and now', `fail with ${VALUE.slice(0, 33)}`]) await answered(text);
  await client.ask('PATCH', `/api/conversations/${id}`, { title: `Deploy with ${VALUE.slice(0, 25)}…` });
  await client.ask('POST', `/api/conversations/${id}/generate_title`, { max_length: 40 });
  await client.ask('POST', `/api/conversations/${id}/fork`, {});
}

async function answered(text: string): Promise<void> {
  await client.ask('POST', `/api/conversations/${id}/events`, says(text));
  await client.ask('POST', `/api/conversations/${id}/run`);
  await until(server, id, 'finished', 'error');
}

/** The longest part of the value, in either way of writing, that stands in a text. */
function legible(text: string): number {
  const parts = [VALUE, ENCODED].map((written) => {
    for (let length = written.length; length > 0; length--)
      for (let start = 0; start + length <= written.length; start++)
        if (text.includes(written.slice(start, start + length))) return length;
    return 0;
  });
  return Math.max(...parts);
}

function telling(heard: readonly Heard[]): readonly string[] {
  return heard.flatMap(({ where, bytes }) => {
    const text = Buffer.from(bytes).toString();
    return legible(text) > LEGIBLE ? [`${where}: ${text.slice(0, 200)}`] : [];
  });
}

test('the value was said, cut and stored before it was known', () => {
  expect(telling(client.heard.slice(0, before.heard)).length).toBeGreaterThan(3);
  expect(before.requests).toBeGreaterThan(3);
});

test('P9: no later answer and no later frame says a value that became known, even in a text cut within it', async () => {
  const path = `/sockets/events/${id}?resend_mode=all`;
  await client.follow(path);
  await eventually(() => client.frames(path) > 5);
  await askEverything(client, { ids: [id], folder: cwd });
  await answered('print it again');
  await client.ask('POST', `/api/conversations/${id}/ask_agent`, { question: 'what was said?' });
  await client.ask('POST', `/api/conversations/${id}/fork`, {});
  const since = client.heard.slice(before.heard);
  expect(since.some(({ bytes }) => Buffer.from(bytes).includes('<secret-hidden>'))).toBe(true);
  expect(since.length).toBeGreaterThan(100);
  expect(telling(since)).toEqual([]);
}, 120_000);

test('P9: an agent that reads the file of a long result is not shown a value that became known', async () => {
  const asked = model.requests.length;
  await answered('read the file');
  const [read] = toolResults(model.requests[asked + 1] as never).slice(-1);
  expect(read?.text).toMatch(/29999 TOKEN=<secret-hidden> and 29999 more words/);
  expect(legible(read?.text ?? '')).toBeLessThanOrEqual(LEGIBLE);
});

test('P9: the model is not shown a value that became known, and no later line of the log says it', () => {
  const requests = model.requests.slice(before.requests).map(({ body }) => JSON.stringify(body));
  expect(requests.length).toBeGreaterThan(1);
  expect(requests.filter((text) => legible(text) > LEGIBLE).map((text) => text.slice(0, 200))).toEqual([]);
  const lines = server.log.slice(before.log).split('\n');
  expect(lines.length).toBeGreaterThan(50);
  expect(lines.filter((line) => legible(line) > LEGIBLE)).toEqual([]);
});

test('P9: a server that is started anew does not say it either', async () => {
  client.close();
  await server.stop();
  server = await ServerProcess.start({ cwd, env });
  client = new Recorder(server.url, SESSION_KEY);
  await askEverything(client, { ids: [id], folder: cwd });
  await answered('and once more');
  expect(telling(client.heard)).toEqual([]);
  expect(server.log.split('\n').filter((line) => legible(line) > LEGIBLE)).toEqual([]);
}, 120_000);
