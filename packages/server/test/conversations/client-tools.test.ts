import type { Event } from '@conv/core/events';
import type { ConversationPage } from '@conv/openhands/rest';
import { expect, test } from 'vitest';

import { ended, events, kinds, message } from '../support/conversation-calls.ts';
import { startServer, until, type TestServer } from '../support/test-server.ts';

const tool = {
  name: 'ui',
  description: 'Shows something.',
  parameters: { type: 'object', properties: { show: { type: 'string' } } },
};
const callsUi = { calls: [{ name: 'ui', arguments: { show: 'map' } }] };

async function openCall(server: TestServer, id: string): Promise<Event> {
  return until(async () => {
    const [action] = await events(server, id, '?kind=ActionEvent');
    return action;
  });
}

test('a tool of the client is acknowledged at once, and told of as it was given', async () => {
  const server = await startServer({ turns: [callsUi, { text: 'shown' }] });
  const { id, client_tools: tools } = await server.make({ client_tools: [tool], initial_message: message('show it') });
  expect(tools).toEqual([tool]);
  expect((await ended(server, id)).execution_status).toBe('finished');
  expect((await openCall(server, id)) as unknown).toMatchObject({ action: { kind: 'ClientAction_ui', show: 'map' } });
  expect(await kinds(server, id)).toContain('ObservationEvent');
});

test('a call that the client answers waits for the answer, after the conversation was loaded anew too', async () => {
  const first = await startServer({ turns: [] });
  const { id } = await first.make({ client_tools: [{ ...tool, answers: 'caller' }] });
  await first.close();
  const server = await startServer({ store: first.store, turns: [callsUi, { text: 'answered' }] });
  await server.call('POST', `/api/conversations/${id}/events`, message('show it', { run: true }));
  const { id: actionId } = await openCall(server, id);
  const answer = (more: object): ReturnType<TestServer['call']> =>
    server.call('POST', `/api/conversations/${id}/events/answer_call`, {
      action_id: actionId,
      content: [{ type: 'text', text: 'it is shown' }],
      ...more,
    });
  expect((await answer({ action_id: 'another' })).status).toBe(409);
  await until(async () => (await answer({})).status === 200);
  expect((await ended(server, id)).execution_status).toBe('finished');
  expect(JSON.stringify(await events(server, id, '?kind=ObservationEvent'))).toContain('it is shown');
  expect((await answer({})).status).toBe(409);
});

test('the list tells that a conversation waits for the answer of a client, until the answer is there', async () => {
  const server = await startServer({ turns: [callsUi, { text: 'answered' }] });
  const client_tools = [{ ...tool, answers: 'caller' }];
  const { id } = await server.make({ client_tools, initial_message: message('show it') });
  const waits = async (): Promise<readonly unknown[]> => {
    const { body } = await server.call<ConversationPage>('GET', '/api/conversations/search');
    return body.items.map(({ execution_status: status, unanswered_calls: calls }) => [status, calls]);
  };
  const { id: actionId } = await openCall(server, id);
  await until(async () => JSON.stringify(await waits()) === JSON.stringify([['running', [actionId]]]));
  const content = [{ type: 'text', text: 'it is shown' }];
  await server.call('POST', `/api/conversations/${id}/events/answer_call`, { action_id: actionId, content });
  await ended(server, id);
  expect(await waits()).toEqual([['finished', []]]);
});

test.each(['finish', 'think'])('P10: a tool of the client that is named %s is refused by name', async (name) => {
  const server = await startServer();
  await expect(server.make({ client_tools: [{ ...tool, name }] })).rejects.toThrow(/422.*reserved/u);
});

test('a tool of the client with the name of a tool of the agent is refused', async () => {
  const server = await startServer();
  await expect(server.make({ client_tools: [{ ...tool, name: 'finish' }] })).rejects.toThrow('422');
});
