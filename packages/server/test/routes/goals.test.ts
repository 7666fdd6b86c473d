import { expect, test } from 'vitest';

import { ended, events, kinds, message } from '../support/conversation-calls.ts';
import { startServer, until, type Answer, type TestServer } from '../support/test-server.ts';
import { waitingTool } from '../support/waiting-tool.ts';

const verdict = (complete: boolean, missing = ''): { text: string } => ({
  text: JSON.stringify({ complete, score: complete ? 1 : 0.2, missing }),
});

const post = (server: TestServer, id: string, path: string, body?: unknown): Promise<Answer> =>
  server.call('POST', `/api/conversations/${id}/${path}`, body);

async function goalOf(server: TestServer, id: string): Promise<unknown> {
  const { body } = await server.call('GET', `/api/conversations/${id}/state`);
  return (body['state'] as { readonly goal?: { readonly status: string } }).goal?.status;
}

test('a goal is worked on round by round without its client, as one run', async () => {
  const server = await startServer({
    turns: [{ text: 'Written.' }, verdict(false, 'the tests'), { text: 'Tested.' }, verdict(true)],
  });
  const { id } = await server.make();
  expect((await post(server, id, 'goal', { objective: 'Ship it.' })).body).toEqual({ success: true });
  await until(async () => (await goalOf(server, id)) === 'complete');
  expect((await ended(server, id)).execution_status).toBe('finished');
  expect(await events(server, id, '?kind=MessageEvent&source=agent')).toHaveLength(2);
  expect(server.reported).toEqual([]);
});

test('a goal ends after max_iterations rounds, whatever the judge says', async () => {
  const round = [{ text: 'Written.' }, verdict(false, 'the tests')];
  const server = await startServer({ turns: [...round, ...round, ...round] });
  const { id } = await server.make();
  expect((await post(server, id, 'goal', { objective: 'Ship it.', max_iterations: 2 })).status).toBe(200);
  await until(async () => (await goalOf(server, id)) === 'capped');
  expect(await events(server, id, '?kind=MessageEvent&source=agent')).toHaveLength(2);
});

test('a goal is refused during a run, and a run during a goal; it is stopped and gone on with', async () => {
  const wait = waitingTool();
  const server = await startServer({
    turns: [{ calls: [{ name: 'wait', arguments: {} }] }, { text: 'Written.' }, verdict(true)],
    tools: [wait.tool],
  });
  const { id } = await server.make();
  expect((await post(server, id, 'goal', { objective: 'Ship it.' })).status).toBe(200);
  await wait.begun;
  expect((await post(server, id, 'goal', { objective: 'Another.' })).status).toBe(409);
  expect((await post(server, id, 'run')).status).toBe(409);
  expect((await post(server, id, 'goal/stop')).status).toBe(200);
  wait.release();
  await until(async () => (await server.info(id)).execution_status === 'paused');
  expect(await goalOf(server, id)).toBe('interrupted');
  expect((await post(server, id, 'goal/resume')).status).toBe(200);
  await until(async () => (await goalOf(server, id)) === 'complete');
});

test('P13: a goal without words or rounds is refused, and a missing goal cannot be resumed', async () => {
  const server = await startServer({ turns: [{ text: 'hi' }] });
  const { id } = await server.make({ initial_message: message('hi') });
  await ended(server, id);
  const before = await kinds(server, id);
  expect((await post(server, id, 'goal', { objective: '  ' })).status).toBe(400);
  expect((await post(server, id, 'goal', { objective: 'x', max_iterations: 0 })).status).toBe(422);
  expect((await post(server, id, 'goal', {})).status).toBe(422);
  const resumed = await post(server, id, 'goal/resume');
  expect([resumed.status, resumed.body['detail']]).toEqual([400, 'no_resumable_goal']);
  expect(await kinds(server, id)).toEqual(before);
});
