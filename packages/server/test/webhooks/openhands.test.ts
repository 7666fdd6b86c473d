import type { JsonObject } from '@conv/core';
import type { WebhookReceiver } from '@conv/testing-harness';
import { expect, test } from 'vitest';

import { ended, events, message } from '../support/conversation-calls.ts';
import { hookedServer, startReceiver } from './hooked-server.ts';

const openhands = { format: 'openhands', bufferSize: 2, flushDelay: 20 } as const;

function batches(receiver: WebhookReceiver, id: string): readonly (readonly JsonObject[])[] {
  const path = `/hook/events/${id.replaceAll('-', '')}`;
  const told = new Map(receiver.taken.filter((one) => one.path === path).map((one) => [one.id, one.body]));
  return [...told.values()].map((body) => JSON.parse(body) as readonly JsonObject[]);
}

function infos(receiver: WebhookReceiver, id: string): readonly JsonObject[] {
  return receiver.taken
    .filter(({ path }) => path === '/hook/conversations')
    .map(({ body }) => JSON.parse(body) as JsonObject)
    .filter((info) => info['id'] === id);
}

test("a receiver of OpenHands' server gets the conversation, then batches of events, and its last status", async () => {
  const receiver = await startReceiver();
  const server = await hookedServer({ receiver, webhook: openhands });
  const { id } = await server.make({ initial_message: message('hello') });
  await ended(server, id);
  await receiver.until(() => infos(receiver, id).some((info) => info['execution_status'] === 'finished'));
  expect(batches(receiver, id).flat()).toEqual(await events(server, id));
  expect(receiver.taken[0]).toMatchObject({ path: '/hook/conversations' });
  expect(receiver.taken[0]?.headers['content-type']).toBe('application/json');
  expect(infos(receiver, id)[0]).toMatchObject({ id, agent: { kind: 'Agent' } });
  expect(JSON.stringify(receiver.received)).not.toContain('sk-plain-0123456789');
});

test('P1: the repetition of a batch has the same events, however many came meanwhile', async () => {
  const receiver = await startReceiver();
  receiver.answer = ({ path }, earlier) => (path.includes('/events/') && earlier < 3 ? 'lost' : 200);
  const server = await hookedServer({ receiver, webhook: openhands });
  const { id } = await server.make({ initial_message: message('hello') });
  await ended(server, id);
  await server.call('POST', `/api/conversations/${id}/events`, message('more', { run: true }));
  await receiver.until(() => batches(receiver, id).flat().length >= 5);
  await receiver.until(() => infos(receiver, id).some((info) => info['execution_status'] === 'finished'));
  expect(batches(receiver, id).flat()).toEqual(await events(server, id));
  const sent = receiver.received.filter(({ path }) => path.includes('/events/'));
  for (const repeated of Map.groupBy(sent, (one) => one.id).values())
    expect(new Set(repeated.map(({ body }) => body)).size).toBe(1);
});
