import { randomUUID } from 'node:crypto';
import { request as httpRequest } from 'node:http';

import type { JsonObject } from '@conv/core';
import type { ConversationInfo } from '@conv/openhands/rest';
import { expect, test } from 'vitest';

import { says } from '../calls.ts';
import { eventsAt, statusAt, TestFleet, userTexts, type FleetMember } from './test-fleet.ts';
import { newConversation } from './work-script.ts';

/** A fleet of two; the first owns a conversation. */
async function two(kind: 'fs' | 'sqlite' = 'fs', more: JsonObject = {}) {
  const fleet = await TestFleet.start(kind);
  const owner = await fleet.join();
  const other = await fleet.join();
  const id = await fleet.make(owner, 'says', more);
  return { fleet, owner, other, id };
}

const finished = (member: FleetMember, id: string): Promise<void> =>
  expect.poll(() => statusAt(member, id)).toBe('finished');

test.each(['fs', 'sqlite'] as const)('P1: every server shows what any server acknowledges (%s)', async (kind) => {
  const { owner, other, id } = await two(kind);
  for (let round = 0; round < 5; round++) {
    const [one, two] = round % 2 === 0 ? [owner, other] : [other, owner];
    const text = `message ${round}`;
    expect((await one.call('POST', `/api/conversations/${id}/events`, says(text))).status).toBe(200);
    expect(userTexts(await eventsAt(two, id)).at(-1)).toBe(text);
  }
  expect((await other.call('POST', `/api/conversations/${id}/run`)).status).toBe(200);
  await finished(other, id);
  expect(await eventsAt(other, id)).toEqual(await eventsAt(owner, id));
});

test('a message with a used key is the same message at another server, after its owner changed too', async () => {
  const { fleet, owner, other, id } = await two();
  const headers = { 'idempotency-key': randomUUID() };
  const send = (member: FleetMember): Promise<{ status: number; body: unknown }> =>
    member
      .call('POST', `/api/conversations/${id}/events`, says('once', { run: true }), headers)
      .then(({ status, body }) => ({ status, body }));
  const first = await send(owner);
  expect(first.status).toBe(200);
  expect(await send(other)).toEqual(first);
  await finished(other, id);
  await owner.close();
  const third = await fleet.join();
  expect([await send(other), await send(third)]).toEqual([first, first]);
  const events = await eventsAt(third, id);
  expect(userTexts(events)).toEqual(['once']);
  expect(events.filter(({ kind, source }) => kind === 'MessageEvent' && source === 'agent')).toHaveLength(1);
});

test('starting a conversation that another server has answers with that one', async () => {
  const { fleet, owner, other, id } = await two();
  const folder = `${fleet.folder}/work`;
  const again = await other.call<ConversationInfo>(
    'POST',
    '/api/conversations',
    newConversation('says', folder, { conversation_id: id }),
  );
  expect([again.status, again.body.id]).toEqual([200, id]);
  const headers = { 'idempotency-key': randomUUID() };
  const made = await Promise.all(
    [owner, other, owner, other].map((member) =>
      member.call<ConversationInfo>('POST', '/api/conversations', newConversation('says', folder), headers),
    ),
  );
  const statuses = made.map(({ status }) => status);
  expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 200, 200, 201]);
  expect(new Set(made.map(({ body }) => body.id)).size).toBe(1);
});

test('a conversation of another server is forked, and the fork can be used at any server', async () => {
  const { owner, other, id } = await two('fs', { initial_message: says('Before.', { run: false }) });
  const forked = await other.call<ConversationInfo>('POST', `/api/conversations/${id}/fork`, {});
  expect(forked.status).toBe(201);
  expect(forked.body.forked_from_conversation_id).toBe(id);
  const fork = forked.body.id;
  for (const member of [owner, other])
    expect((await member.call('POST', `/api/conversations/${fork}/events`, says('After.'))).status).toBe(200);
  expect(userTexts(await eventsAt(owner, fork))).toEqual(['Before.', 'After.', 'After.']);
  expect(userTexts(await eventsAt(owner, id))).toEqual(['Before.']);
});

test('a conversation of another server is deleted with the run that is on', async () => {
  const fleet = await TestFleet.start();
  const owner = await fleet.join();
  const other = await fleet.join();
  const id = await fleet.make(owner, 'works', { initial_message: says('Work.') });
  await expect.poll(() => fleet.gate.begun).toBe(1);
  expect((await other.call('DELETE', `/api/conversations/${id}`)).status).toBe(200);
  for (const member of [owner, other]) expect((await member.call('GET', `/api/conversations/${id}`)).status).toBe(404);
  expect((await other.call('DELETE', `/api/conversations/${id}`)).status).toBe(404);
});

test('a run is paused, and interrupted, from any server', async () => {
  const fleet = await TestFleet.start();
  const owner = await fleet.join();
  const other = await fleet.join();
  const id = await fleet.make(owner, 'works', { initial_message: says('Work.') });
  await expect.poll(() => fleet.gate.begun).toBe(1);
  expect(await statusAt(other, id)).toBe('running');
  expect((await other.call('POST', `/api/conversations/${id}/run`)).status).toBe(409);
  expect((await other.call('POST', `/api/conversations/${id}/interrupt`)).status).toBe(200);
  expect(await statusAt(other, id)).toBe('paused');
  expect([...owner.tookOver, ...other.tookOver]).toEqual([]);
});

test('the owner believes a server of its fleet, and no other client, about the rights of a caller', async () => {
  const fleet = await TestFleet.start();
  const owner = await fleet.join({ sessionKeys: ['theirs', 'both'] });
  const other = await fleet.join({ sessionKeys: ['ours', 'both'] });
  const body = newConversation('says', `${fleet.folder}/work`);
  const made = await owner.call<ConversationInfo>('POST', '/api/conversations', body, { 'x-session-api-key': 'both' });
  const path = `/api/conversations/${made.body.id}/events`;
  const statuses = [];
  for (const key of ['both', 'ours', 'theirs', undefined]) {
    const headers: Record<string, string> = key === undefined ? {} : { 'x-session-api-key': key };
    statuses.push((await other.call('POST', path, says('Hello.'), headers)).status);
  }
  expect(statuses).toEqual([200, 200, 401, 401]);
  // saying that it was handed on is no key
  const forged = { 'x-conv-forwarded-by': owner.url, 'x-conv-peer': `approver.${Date.now()}.nonce.signature` };
  expect((await owner.call('POST', path, says('Hello.'), forged)).status).toBe(401);
  expect((await owner.call('POST', path, says('Hello.'), { ...forged, 'x-session-api-key': 'ours' })).status).toBe(401);
});

test('a client that says its request was handed on gets no more than a refusal by it', async () => {
  const { owner, other, id } = await two();
  const forged = { 'x-conv-forwarded-by': owner.url };
  const refused = await other.call('POST', `/api/conversations/${id}/events`, says('Hello.'), forged);
  expect(refused.status).toBe(409);
  expect(refused.headers.get('x-conv-not-begun')).toBe('not-owner');
  expect((await owner.call('POST', `/api/conversations/${id}/events`, says('Hello.'), forged)).status).toBe(200);
  expect(userTexts(await eventsAt(other, id))).toEqual(['Hello.']);
});

test('a server without keys is asked under its own name alone, by clients and by servers', async () => {
  const { owner, other, id } = await two();
  const status = (url: string, host: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const headers = { host, 'content-type': 'application/json' };
      const sent = httpRequest(`${url}/api/conversations/${id}/events`, { method: 'POST', headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.on('error', reject).end(JSON.stringify(says('Hello.')));
    });
  expect(await status(other.url, 'rebound.example.org')).toBe(403);
  expect(await status(owner.url, 'rebound.example.org')).toBe(403);
  expect(other.forwarded).toEqual([]);
  // the owner is asked under its own name, whatever name the client has for the other one
  expect(await status(other.url, 'localhost')).toBe(200);
  expect(userTexts(await eventsAt(owner, id))).toEqual(['Hello.']);
});

test('a store of one process cannot be shared: such a fleet is not started', async () => {
  const { MemoryStore } = await import('@conv/core/store');
  const { agentServer } = await import('@conv/server');
  const start = (url: string, store = new MemoryStore()): unknown =>
    agentServer({
      store,
      persistenceDir: '/tmp',
      agents: { revive: async () => undefined },
      fleet: { url, peers: [], key: 'the key of a test fleet' },
    });
  expect(() => start('http://127.0.0.1:1')).toThrow('PostgreSQL or S3');
});
