import { systemPlatform, type Platform } from '@conv/core/platform';
import { MemoryStore } from '@conv/core/store';
import { openLocalConversation } from '@conv/local';
import { only, StreamingAgent } from '@conv/testing-harness';
import { eventStreamResponse, untilRest } from '@conv/turns';
import { expect, onTestFinished, test } from 'vitest';

import type { Principal } from '../../src/auth/principal.ts';
import type { ServedProtocol } from '../../src/protocols/served-protocol.ts';
import { message } from '../support/conversation-calls.ts';
import { newConversation, startServer, type TestServer } from '../support/test-server.ts';

const OPERATOR = { 'x-session-api-key': 'key-of-operator' };

/** A protocol that tells the turn in progress, and says at its end that this was all, as adapters do. */
const telling: ServedProtocol = {
  name: 'telling',
  paths: ['/telling/*'],
  handler:
    ({ open }) =>
    async (request) => {
      const conversation = await open(new URL(request.url).pathname.slice('/telling/'.length), request);
      const events = async function* (signal: AbortSignal) {
        yield { data: 'begun' };
        for await (const { type } of untilRest(conversation, { signal })) yield { data: type };
        yield { data: '[DONE]' };
      };
      const shared = { of: conversation, key: 'telling' };
      return eventStreamResponse(events, request.signal, {}, request.url.includes('own') ? undefined : shared);
    },
};

interface Telling {
  readonly server: TestServer;
  readonly people: Record<string, Principal>;
  readonly store: MemoryStore;
  readonly agent: StreamingAgent;
  /** Lets the model answer. */
  readonly answer: () => void;
}

/** A server that tells, whose model answers when the test lets it. */
async function tellingServer(): Promise<Telling> {
  const { promise, resolve } = Promise.withResolvers<void>();
  onTestFinished(() => resolve());
  const agent = new StreamingAgent(async () => {
    await promise;
    return 'done';
  });
  const store = new MemoryStore();
  const people: Record<string, Principal> = { ann: { name: 'ann', scopes: ['read'] } };
  const principal = (key: string): Principal | undefined => people[key];
  const sessionKeys = Object.values(OPERATOR);
  const server = await startServer({ store, agent, sessionKeys, principal, protocols: [telling] });
  return { server, people, store, agent, answer: resolve };
}

/** Opens answers of one key, each when the one before has begun, so that their rights are looked at one after the other. */
async function follow(server: TestServer, id: string): Promise<readonly Promise<string>[]> {
  const answers: Promise<string>[] = [];
  for (const kind of ['shared', 'own', 'shared', 'own']) {
    const answer = await fetch(`${server.url}/telling/${id}?${kind}`, { headers: { 'x-session-api-key': 'ann' } });
    expect(answer.status).toBe(200);
    answers.push(answer.text());
  }
  return answers;
}

const ended = async (answers: readonly Promise<string>[]): Promise<readonly string[]> =>
  (await Promise.allSettled(answers)).map((each) => (each.status === 'fulfilled' ? each.value : String(each.reason)));

test('an answer whose key is revoked is cut off, however many others the key has', async () => {
  const { server, people, answer } = await tellingServer();
  const made = await server.call('POST', '/api/conversations', newConversation(server.folder), OPERATOR);
  const id = made.body['id'] as string;
  await server.call('POST', `/api/conversations/${id}/events`, message('go', { run: true }), OPERATOR);
  const cut = await follow(server, id);
  delete people['ann'];
  expect(await ended(cut)).toEqual(cut.map(() => 'TypeError: terminated'));
  people['ann'] = { name: 'ann', scopes: ['read'] };
  const whole = await follow(server, id);
  answer();
  for (const each of await ended(whole)) expect(each).toMatch(/^data: begun\n\n[^]*data: \[DONE\]\n\n$/);
});

test('an answer of a conversation that another process owns is cut off when its key is revoked', async () => {
  const { server, people, store, agent, answer } = await tellingServer();
  const workspace = server.folder;
  const other = await openLocalConversation({ storeAt: () => store, agents: only(agent) }, { agent, store, workspace });
  onTestFinished(() => other.close());
  await other.sendMessage('go');
  const run = other.run();
  await expect.poll(() => other.state.executionStatus).toBe('running');
  const cut = await follow(server, other.id);
  delete people['ann'];
  expect(await ended(cut)).toEqual(cut.map(() => 'TypeError: terminated'));
  answer();
  await run;
});

/** The platform of the host, on which looks at rights come every millisecond. */
const watchful: Platform = {
  ...systemPlatform,
  setTimer: (milliseconds, ...more) => systemPlatform.setTimer(milliseconds === 500 ? 1 : milliseconds, ...more),
};

test('an answer whose key is revoked as it begins is refused or cut off, at whatever moment', async () => {
  let [moment, isAnswering] = [0, false];
  let [looking, revoked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const beginning: ServedProtocol = {
    name: 'beginning',
    paths: ['/beginning'],
    handler: () => async (request) => {
      isAnswering = true;
      await looking.promise;
      revoked.resolve();
      for (let turn = 0; turn < moment; turn++) await Promise.resolve();
      return new Response(untilTold(request.signal));
    },
  };
  const principal = async (): Promise<Principal | undefined> => {
    if (!isAnswering) return { name: 'ann', scopes: ['read'] };
    looking.resolve();
    return revoked.promise.then(() => undefined);
  };
  const server = await startServer({ principal, protocols: [beginning], platform: watchful });
  const ends = new Set<string>();
  for (moment = 0; moment < 40; moment++) {
    isAnswering = false;
    [looking, revoked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const asked = fetch(`${server.url}/beginning`, { headers: { 'x-session-api-key': 'ann' } });
    ends.add(await asked.then(async (got) => `${got.status} ${got.ok ? await got.text() : ''}`).catch(() => 'cut off'));
  }
  expect(ends).toEqual(new Set(['401 ', 'cut off']));
});

/** A body that says that it is whole when it is told to end. */
function untilTold(signal: AbortSignal): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start: (controller) => {
      const end = (): void => {
        controller.enqueue(new TextEncoder().encode('[DONE]'));
        controller.close();
      };
      if (signal.aborted) end();
      else signal.addEventListener('abort', end, { once: true });
    },
  });
}
