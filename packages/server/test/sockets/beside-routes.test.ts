import { expect, onTestFinished, test } from 'vitest';

import { startServer, type TestServer } from '../support/test-server.ts';
import { isState, TestSocket, textsOf, type Frame } from '../support/test-socket.ts';

const KEY = { 'X-Session-API-Key': 'key' };
const statusOf = (frame: Frame): unknown => (frame['value'] as { execution_status?: unknown }).execution_status;
const isOver = (frame: Frame): boolean => isState(frame, 'full_state') && statusOf(frame) !== 'running';

function open({ url }: TestServer, path: string): TestSocket {
  const socket = new TestSocket(`${url.replace('http', 'ws')}/sockets/${path}`, { headers: KEY });
  onTestFinished(() => socket.terminate());
  return socket;
}

test('a client that posts, runs and waits for the state that says it is over has everything by then', async () => {
  const turns = Array.from({ length: 3 }, (_, turn) => ({ text: `answer ${turn}` }));
  const server = await startServer({ turns, sessionKeys: ['key'] });
  const created = await server.call<{ id: string }>(
    'POST',
    '/api/conversations',
    {
      agent: { kind: 'Agent', llm: { model: 'scripted' }, tools: [] },
      workspace: { working_dir: `${server.folder}/work` },
    },
    KEY,
  );
  const { id } = created.body;
  const socket = open(server, `events/${id}`);
  await socket.find((frame) => isState(frame, 'full_state'));
  for (let turn = 0; turn < 3; turn++) {
    const sent = { role: 'user', content: [{ type: 'text', text: `question ${turn}` }], run: false };
    await server.call('POST', `/api/conversations/${id}/events`, sent, KEY);
    const { status } = await server.call('POST', `/api/conversations/${id}/run`, undefined, KEY);
    const armed = socket.frames.length;
    await socket.until((frames) => frames.slice(armed).some(isOver));
    const end = armed + socket.frames.slice(armed).findIndex(isOver);
    expect([status, statusOf(socket.frames[end] as Frame)]).toEqual([200, 'finished']);
    expect(textsOf(socket.frames.slice(0, end)).at(-1)).toBe(`answer ${turn}`);
  }
  const stored = await server.call<{ items: { id: string }[] }>(
    'GET',
    `/api/conversations/${id}/events/search?limit=100`,
    undefined,
    KEY,
  );
  const session = open(server, `session/${id}?after_seq=-1`);
  await session.find((frame) => frame['type'] === 'transient');
  const durable = session.frames.filter(({ type }) => type === 'durable').map(({ event }) => event);
  expect(durable).toEqual(stored.body.items);
  const refused = new TestSocket(`${server.url.replace('http', 'ws')}/sockets/events/${id}?session_api_key=no`);
  expect(await refused.refused).toBe(403);
});

test('a conversation that is deleted by another client closes its sockets for good', async () => {
  const server = await startServer({ sessionKeys: ['key'] });
  const { body } = await server.call<{ id: string }>(
    'POST',
    '/api/conversations',
    {
      agent: { kind: 'Agent', llm: { model: 'scripted' }, tools: [] },
      workspace: { working_dir: `${server.folder}/work` },
    },
    KEY,
  );
  const socket = open(server, `session/${body.id}`);
  await socket.find((frame) => frame['type'] === 'transient');
  await server.call('DELETE', `/api/conversations/${body.id}`, undefined, KEY);
  expect((await socket.closed).code).toBe(4004);
});
