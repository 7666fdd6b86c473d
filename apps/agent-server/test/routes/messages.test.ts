import { randomUUID } from 'node:crypto';

import type { JsonObject } from '@conv/core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

import { eventsOf, says } from '../calls.ts';
import { type Answer, eventually } from '../server-process.ts';
import { Bench } from './bench.ts';

// Content reaches the model by several requests, and by sockets.

let bench: Bench;

beforeAll(async () => {
  bench = await Bench.start();
});

afterAll(() => bench.stop());

const IMAGE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** A socket of the server that shows the key in its first frame, and the frames that it was sent. */
class Socket {
  readonly frames: JsonObject[] = [];
  readonly #socket: WebSocket;
  readonly #opened: Promise<void>;
  /** With which code it was closed. */
  readonly closed: Promise<number>;

  constructor(path: string, key: string | undefined) {
    this.#socket = new WebSocket(`${bench.server.url.replace('http', 'ws')}${path}`);
    this.#socket.addEventListener('message', ({ data }) => this.frames.push(JSON.parse(data as string) as JsonObject));
    this.#opened = new Promise((resolve) => this.#socket.addEventListener('open', () => resolve(), { once: true }));
    this.closed = new Promise((resolve) => this.#socket.addEventListener('close', ({ code }) => resolve(code)));
    onTestFinished(() => this.#socket.close());
    void this.send({ type: 'auth', session_api_key: key ?? '' });
  }

  async send(frame: JsonObject): Promise<void> {
    await this.#opened;
    this.#socket.send(JSON.stringify(frame));
  }

  /** The first frame that holds the text. */
  find(text: string): Promise<JsonObject> {
    return eventually(() => this.frames.find((frame) => JSON.stringify(frame).includes(text)));
  }
}

/** Outcome of sending content: the id of the conversation, and the reason if it was refused. */
type Sent = { readonly id: string } | { readonly id: string; readonly refused: string };

async function outcome(id: string, answer: Promise<Answer<JsonObject>>): Promise<Sent> {
  const { status, body } = await answer;
  return status < 300 ? { id } : { id, refused: JSON.stringify(body) };
}

async function overSocket(kind: string, content: JsonObject[]): Promise<Sent> {
  const id = await bench.plain();
  const socket = new Socket(`/sockets/${kind}/${id}`, bench.server.key);
  await socket.find('full_state');
  await socket.send({ role: 'user', content });
  const seen = await Promise.race([socket.find('"MessageEvent"'), socket.find('ValidationError')]);
  const text = JSON.stringify(seen);
  return text.includes('ValidationError') ? { id, refused: text } : { id };
}

const ROUTES: Readonly<Record<string, (content: JsonObject[]) => Promise<Sent>>> = {
  'POST /api/conversations initial_message': async (content) => {
    const id = randomUUID();
    const agent = { kind: 'Agent', llm: bench.llm, tools: [] };
    return outcome(id, bench.start({ conversation_id: id, agent, initial_message: { role: 'user', content } }));
  },
  'POST /api/conversations/{conversation_id}/events content': async (content) => {
    const id = await bench.plain();
    const message = { role: 'user', content, run: true };
    return outcome(id, bench.server.call('POST', `/api/conversations/${id}/events`, message));
  },
  'POST /api/conversations/{conversation_id}/events/answer_call content': async (content) => {
    const ask = {
      name: 'ask',
      description: 'Asks.',
      parameters: { type: 'object', properties: {} },
      answers: 'caller',
    };
    const id = await bench.plain({ client_tools: [ask] });
    const told = says(JSON.stringify({ tool: 'ask', arguments: {} }), { run: true });
    await bench.ok('POST', `/api/conversations/${id}/events`, told);
    const action = await eventually(async () =>
      (await eventsOf(bench.server, id)).find(({ kind }) => kind === 'ActionEvent'),
    );
    const answer = { action_id: action.id, content };
    return outcome(id, bench.server.call('POST', `/api/conversations/${id}/events/answer_call`, answer));
  },
  'WS /sockets/events/{conversation_id} content': (content) => overSocket('events', content),
  'WS /sockets/session/{conversation_id} content': (content) => overSocket('session', content),
};

test.each(Object.entries(ROUTES))('%s: text and image_urls of the content reach the model', async (route, send) => {
  const words = `look, it came by ${route}`;
  const sent = await send([
    { type: 'text', text: words },
    { type: 'image', image_urls: [IMAGE] },
  ]);
  expect(sent).not.toHaveProperty('refused');
  await bench.ended(sent.id);
  const asked = JSON.stringify(bench.lastRequest().messages);
  expect(asked).toContain(words);
  expect(asked).toContain(IMAGE.slice(0, 60));
});

test.each(Object.entries(ROUTES))('P13: %s: a text with a member that it cannot have is refused', async (_, send) => {
  const sent = await send([{ type: 'text', text: 'unwanted words', colour: 'red' }]);
  expect(sent).toHaveProperty('refused', expect.stringContaining('colour'));
  expect(
    JSON.stringify((await bench.server.call('GET', `/api/conversations/${sent.id}/events/search`)).body),
  ).not.toContain('unwanted words');
});

const MESSAGES: Readonly<Record<string, (message: JsonObject) => Promise<string>>> = {
  'POST /api/conversations initial_message': (message) => bench.plain({ initial_message: message }),
  'POST /api/conversations/{conversation_id}/events': async (message) => {
    const id = await bench.plain();
    await bench.ok('POST', `/api/conversations/${id}/events`, message);
    return id;
  },
};

test.each(Object.entries(MESSAGES))('%s: run and sender of a message hold', async (_, send) => {
  const quiet = await send(says('hello', { run: false, sender: 'a sailor' }));
  const events = await eventsOf(bench.server, quiet);
  expect(events.find(({ kind }) => kind === 'MessageEvent')).toMatchObject({ sender: 'a sailor' });
  expect((await bench.ok('GET', `/api/conversations/${quiet}`))['execution_status']).toBe('idle');
  const id = await send(says('hello', { run: true }));
  expect((await bench.ended(id)).execution_status).toBe('finished');
});

test.each(['/sockets/events/{conversation_id}', '/sockets/session/{conversation_id}'])(
  'WS %s: a message frame of another role than user is refused',
  async (route) => {
    const id = await bench.plain();
    const socket = new Socket(route.replace('{conversation_id}', id), bench.server.key);
    await socket.find('full_state');
    await socket.send({ role: 'assistant', content: [{ type: 'text', text: 'I say' }] });
    expect(JSON.stringify(await socket.find('AssertionError'))).toContain('role');
  },
);

test.each(['/sockets/events/{conversation_id}', '/sockets/session/{conversation_id}', '/sockets/bash-events'])(
  'WS %s: session_api_key of the first frame opens the socket, and a wrong one closes it',
  async (route) => {
    const path = route.replace('{conversation_id}', await bench.plain());
    expect(await new Socket(path, 'wrong').closed).toBe(4001);
    const socket = new Socket(path, bench.server.key);
    await socket.send(route.includes('bash') ? { command: 'echo here' } : { role: 'user', content: 'here' });
    await socket.find('here');
  },
);

/** The last output of a command, with the text of all of them: it is told in pieces when it takes long. `undefined` before its end. */
function whole(outputs: readonly JsonObject[]): JsonObject | undefined {
  const last = outputs.at(-1);
  const texts = outputs.map(({ stdout }) => (typeof stdout === 'string' ? stdout : ''));
  return typeof last?.['exit_code'] === 'number' ? { ...last, stdout: texts.join('') } : undefined;
}

const COMMANDS: Readonly<Record<string, (request: JsonObject) => Promise<JsonObject>>> = {
  'POST /api/bash/execute_bash_command': (request) => bench.ok('POST', '/api/bash/execute_bash_command', request),
  'POST /api/bash/start_bash_command': async (request) => {
    const { id } = await bench.ok<{ id: string }>('POST', '/api/bash/start_bash_command', request);
    const path = `/api/bash/bash_events/search?command_id__eq=${id}&kind__eq=BashOutput`;
    return eventually(async () => whole((await bench.ok<{ items: JsonObject[] }>('GET', path)).items));
  },
  'WS /sockets/bash-events': async (request) => {
    const socket = new Socket('/sockets/bash-events', bench.server.key);
    await socket.send(request);
    const { id } = await socket.find(JSON.stringify(request['command']));
    return eventually(() => whole(socket.frames.filter(({ command_id: of }) => of === id)));
  },
};

test.each(Object.entries(COMMANDS))('%s: command, cwd and timeout of a command hold', async (_, run) => {
  const mark = randomUUID();
  expect(await run({ command: `pwd; echo ${mark}`, cwd: bench.cwd })).toMatchObject({
    exit_code: 0,
    stdout: `${bench.cwd}\n${mark}\n`,
  });
  expect(await run({ command: `sleep 300; echo ${mark}-2`, timeout: 1 })).toMatchObject({ exit_code: -1 });
});

const RENAMED = {
  'POST /api/profiles/{name}/rename': { llm: { model: 'x' } },
  'POST /api/agent-profiles/{name}/rename': { llm_profile_ref: 'x' },
} as const;

test.each(Object.entries(RENAMED))('%s: new_name is the name from then on', async (route, profile) => {
  const path = route.slice('POST '.length, -'/{name}/rename'.length);
  await bench.ok('POST', `${path}/before`, profile);
  await bench.ok('POST', `${path}/before/rename`, { new_name: 'after' });
  expect((await bench.server.call('GET', `${path}/before`)).status).toBe(404);
  expect((await bench.server.call('GET', `${path}/after`)).status).toBe(200);
});
