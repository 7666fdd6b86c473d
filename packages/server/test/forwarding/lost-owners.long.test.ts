import { randomUUID } from 'node:crypto';

import { ConversationError } from '@conv/core';
import { systemPlatform } from '@conv/core/platform';
import { expect, test } from 'vitest';

import { Peers } from '../../src/ownership/peers.ts';
import { testFleet } from '../support/test-fleet.ts';
import { executeOnOwner } from '../../src/forwarding/execute-on-owner.ts';
import { json, startOwner } from '../support/fake-owner.ts';
import { ID, owned, owning, startFront } from '../support/front-server.ts';

const run = `/api/conversations/${ID}/run`;
const events = `/api/conversations/${ID}/events`;
const conversation = `/api/conversations/${ID}`;

const keyed = (): Record<string, string> => ({ 'idempotency-key': randomUUID() });

/** Returns an address without a listener. */
async function deadUrl(): Promise<string> {
  const owner = await startOwner(() => {});
  await owner.stop();
  return owner.url;
}

test('a command waits for an unreachable owner, and runs here when the conversation can be had', async () => {
  const url = await deadUrl();
  let looks = 0;
  const front = await startFront({ owner: () => (++looks < 4 ? owning(url) : undefined) });
  const answer = await fetch(front.url + run, { method: 'POST' });
  expect([answer.status, await answer.json()]).toEqual([200, { success: true }]);
  expect(front.outcomes).toEqual(['here']);
});

test('a command that no server can execute is answered 503 with Retry-After', async () => {
  const url = await deadUrl();
  const front = await startFront({ owner: () => owning(url, 0) });
  const answer = await fetch(front.url + run, { method: 'POST' });
  expect(answer.status).toBe(503);
  expect(answer.headers.get('retry-after')).toBe('1');
  expect(front.outcomes).toEqual(['lost']);
});

test('an owner that has closed, or has it no more, did not begin: any command is tried elsewhere', async () => {
  const refusals = [
    [503, 'closing'],
    [409, 'not-owner'],
  ] as const;
  for (const [status, why] of refusals) {
    let asked = 0;
    const owner = await startOwner((response) => {
      asked++;
      json(response, status, { detail: why }, { 'x-conv-not-begun': why });
    });
    const front = await startFront({ owner: () => (asked < 2 ? owning(owner.url) : undefined) });
    expect((await fetch(front.url + run, { method: 'POST' })).status).toBe(200);
    expect(asked).toBe(2);
  }
});

test('a command that may not be repeated is not: when the owner goes away with it, it is 503', async () => {
  const owner = await startOwner((response) => void response.destroy());
  const front = await startFront({ owner: () => owning(owner.url) });
  const answer = await fetch(front.url + run, { method: 'POST' });
  expect(answer.status).toBe(503);
  expect(await answer.text()).toContain('it is unknown if the command was executed');
  expect(owner.received).toHaveLength(1);
  expect(front.tries()).toBe(1);
});

test('a command that may not be repeated gets a new connection, because a kept connection may be dead', async () => {
  const owner = await startOwner((response) => json(response, 200, { success: true }));
  const front = await startFront({ owner: () => owning(owner.url) });
  for (let count = 1; count <= 3; count++) {
    expect((await fetch(front.url + run, { method: 'POST' })).status).toBe(200);
    expect(owner.connections()).toBe(count);
  }
});

test('a message with a key is repeated until it is answered, with the same key', async () => {
  let asked = 0;
  const owner = await startOwner((response) =>
    ++asked < 3 ? void response.destroy() : json(response, 200, { success: true }),
  );
  const front = await startFront({ owner: () => owning(owner.url) });
  const headers = keyed();
  const answer = await fetch(front.url + events, { method: 'POST', headers, body: '{}' });
  expect(answer.status).toBe(200);
  expect(owner.received.map((one) => one.headers['idempotency-key'])).toEqual(
    Array(3).fill(headers['idempotency-key']),
  );
});

test('a key does not make a command repeatable that takes none', async () => {
  const owner = await startOwner((response) => void response.destroy());
  const front = await startFront({ owner: () => owning(owner.url) });
  expect((await fetch(front.url + run, { method: 'POST', headers: keyed() })).status).toBe(503);
  expect(owner.received).toHaveLength(1);
});

test('an overloaded owner is asked again for what may be repeated, and not for anything else', async () => {
  let asked = 0;
  const owner = await startOwner((response) => json(response, ++asked % 2 === 0 ? 200 : 503, { detail: 'x' }));
  const front = await startFront({ owner: () => owning(owner.url) });
  expect((await fetch(front.url + events, { method: 'POST', headers: keyed(), body: '{}' })).status).toBe(200);
  expect((await fetch(front.url + run, { method: 'POST' })).status).toBe(503);
  expect(owner.received).toHaveLength(3);
});

test('a deletion whose answer was lost counts as done', async () => {
  let asked = 0;
  const owner = await startOwner((response) =>
    ++asked === 1 ? void response.destroy() : json(response, 404, { detail: 'Not Found' }),
  );
  const front = await startFront({ owner: () => owning(owner.url) });
  const answer = await fetch(front.url + conversation, { method: 'DELETE' });
  expect([answer.status, await answer.json()]).toEqual([200, { success: true }]);
  const again = await fetch(front.url + conversation, { method: 'DELETE' });
  expect(again.status).toBe(404);
});

test('an owner that stands still and has lost the conversation is not waited for', async () => {
  const silent = await startOwner(() => {});
  let isLost = false;
  const front = await startFront({ owner: () => (isLost ? undefined : owning(silent.url, 100)) });
  const answered = fetch(front.url + events, { method: 'POST', headers: keyed(), body: '{}' });
  await expect.poll(() => silent.received.length).toBe(1);
  isLost = true;
  expect((await answered).status).toBe(200);
  expect(front.outcomes).toEqual(['here']);
});

test('an owner that stands still and keeps the conversation is waited for', async () => {
  const release = Promise.withResolvers<void>();
  const slow = await startOwner(async (response) => {
    await release.promise;
    json(response, 200, { success: 'late' });
  });
  let looks = 0;
  const front = await startFront({
    owner: () => {
      // once for the command, and then whenever its lease should be over
      if (++looks === 4) release.resolve();
      return owning(slow.url, 0);
    },
  });
  const answer = await fetch(front.url + run, { method: 'POST' });
  expect([answer.status, await answer.json()]).toEqual([200, { success: 'late' }]);
  expect(slow.received).toHaveLength(1);
});

test('a conversation that is taken over while a command works on it: repeated if it may be, 503 if not', async () => {
  let asked = 0;
  const fenced = (): unknown => {
    if (++asked % 2 === 0) return { success: true };
    throw new ConversationError('FENCED', 'taken over', { conversationId: ID });
  };
  const front = await startFront({ owner: () => undefined, here: fenced });
  expect((await fetch(front.url + events, { method: 'POST', headers: keyed(), body: '{}' })).status).toBe(200);
  const lost = await fetch(front.url + run, { method: 'POST' });
  expect(lost.status).toBe(503);
  expect(await lost.text()).toContain('it was taken over by another server meanwhile');
  expect(asked).toBe(3);
});

test('a client that goes away ends the waiting', async () => {
  const gone = new AbortController();
  const carried = executeOnOwner(
    {
      repeatable: true,
      signal: gone.signal,
      here: () => Promise.reject(owned(owning('http://dead.invalid'))),
      there: async () => {
        gone.abort();
        return { begun: false, cause: undefined };
      },
    },
    {
      platform: systemPlatform,
      peers: new Peers(testFleet('http://front.invalid'), systemPlatform),
      ownerOf: async () => undefined,
      observer: undefined,
    },
  );
  await expect(carried).rejects.toMatchObject({ status: 499 });
});
