import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Conversation } from '@conv/core';
import { MemoryStore } from '@conv/core/store';
import { openRemoteConversation, RemoteWorkspace } from '@conv/remote';
import { agentServer, type Principal, type Scope } from '@conv/server';
import { inCi } from '@conv/testing-harness';
import { fastify } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { PROTOCOLS } from '../../src/protocols/protocol-names.ts';
import { servedProtocols } from '../../src/protocols/served-protocols.ts';
import { calls, confirmationPolicy, scripted } from '../openai-api.ts';
import { OPERATIONS, requestOf, type Operation, type Place } from './operations.ts';

const ALL: readonly Scope[] = ['read', 'run', 'approve', 'admin'];
const SETS = Array.from({ length: 2 ** ALL.length }, (_, bits) => ALL.filter((_scope, at) => (bits & (1 << at)) !== 0));

/** Limits of the keys of a set. */
const LIMITS: Readonly<Record<string, NonNullable<Principal['limits']>>> = {
  all: {},
  own: { own: true },
  tagged: { tags: { team: 'red' } },
};

type Which = 'own' | 'foreign' | 'missing';
const WHICH: readonly Which[] = ['own', 'foreign', 'missing'];

/** The key `LIMITS:SCOPES:OWNER` is a principal with these limits and scopes. */
function principal(key: string): Principal | undefined {
  const [limits = '', scopes = '', name = ''] = key.split(':');
  if (!(limits in LIMITS)) return undefined;
  return { name, scopes: scopes.split('+').filter(Boolean) as Scope[], limits: LIMITS[limits] ?? {} };
}

const keyOf = (limits: string, scopes: readonly Scope[], name = 'ann'): string =>
  `${limits}:${scopes.join('+')}:${name}`;

const app = fastify({ pluginTimeout: 0, forceCloseConnections: true });
const store = new MemoryStore();
const places = new Map<Which, Place>();
const opened = new Map<string, Promise<Conversation>>();
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'conv-rights-'));
  const agents = { revive: async () => scripted(calls('echo', 'hi'), { text: 'Done.' }, { text: 'On.' }) };
  const protocols = servedProtocols(PROTOCOLS);
  await app.register(agentServer({ store, persistenceDir: folder, agents, principal, protocols, report: () => {} }));
  await app.listen({ host: '127.0.0.1', port: 0 });
  places.set('own', await waiting('ann', 'red'));
  places.set('foreign', await waiting('bob', 'blue'));
  places.set('missing', { id: randomUUID(), event: randomUUID(), action: randomUUID(), other: randomUUID() });
}, 60_000);

afterAll(async () => {
  for (const conversation of opened.values()) await conversation.then((each) => each.close());
  await app.close();
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

function url(): string {
  const { port } = app.server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}

function workspaceOf(apiKey: string): RemoteWorkspace {
  return new RemoteWorkspace({ host: url(), apiKey, workingDir: folder });
}

/** Makes a conversation whose first call waits for a person. */
async function waiting(owner: string, team: string): Promise<Place> {
  const workspace = workspaceOf(keyOf('all', ALL, owner));
  const agent = scripted().describe();
  const make = async (): Promise<Conversation> => {
    const made = await openRemoteConversation({}, { workspace, agent, confirmationPolicy, tags: { team } });
    opened.set(made.id, Promise.resolve(made));
    return made;
  };
  const conversation = await make();
  const { id: event } = await conversation.sendMessage('Go');
  await conversation.run();
  const [call] = conversation.state.pendingActions;
  return { id: conversation.id, event, action: String(call?.id), other: (await make()).id };
}

interface Asked {
  readonly operation: Operation;
  readonly scopes: readonly Scope[];
  readonly limits: string;
  readonly which: Which;
}

/** Returns the refusal that the scopes and limits of a key say; `undefined` if its holder may do it. */
function expected({ operation, scopes, limits, which }: Asked): 403 | 404 | undefined {
  if (!scopes.includes('read')) return 403;
  const isKnown = which === 'own' || (which === 'foreign' && limits === 'all');
  if (!isKnown && operation.begins !== true) return 404;
  return operation.needs.every((scope) => scopes.includes(scope)) ? undefined : 403;
}

/** Resolves with the status, in which refusals of JSON-RPC and of tools are those of HTTP, and the text of the answer. */
async function ask({ operation, scopes, limits, which }: Asked): Promise<{ status: number; said: string }> {
  const answer = await fetch(
    requestOf(operation, places.get(which) as Place, { url: url(), key: keyOf(limits, scopes) }),
  );
  const said = await answer.text();
  const status = REFUSALS.find(([text]) => said.includes(text))?.[1] ?? answer.status;
  return { status, said };
}

const REFUSALS: readonly (readonly [string, number])[] = [
  ['"code":-32001', 404],
  ['"text":"[NOT_FOUND]', 404],
  ['"text":"[DENIED]', 403],
];

const CASES: readonly Asked[] = OPERATIONS.flatMap((operation) =>
  SETS.flatMap((scopes) =>
    Object.keys(LIMITS).flatMap((limits) => WHICH.map((which) => ({ operation, scopes, limits, which }))),
  ),
);

test('P10: a key without the right reads, runs and approves nothing through an adapter', async () => {
  const wrong: string[] = [];
  const refused = inCi(
    CASES.filter((asked) => expected(asked) !== undefined),
    5,
  );
  expect(refused.length).toBeGreaterThan(400);
  for (const asked of refused) {
    const { status, said } = await ask(asked);
    const leaks = expected(asked) === 404 && /bob|blue|red/.test(said);
    if (status === expected(asked) && !leaks) continue;
    const { operation, scopes, limits, which } = asked;
    wrong.push(`${operation.name} ${keyOf(limits, scopes)} ${which}: ${expected(asked)} is ${status} ${said}`);
  }
  expect(wrong.slice(0, 20)).toEqual([]);
  for (const which of ['own', 'foreign'] as const) {
    const { id, other } = places.get(which) as Place;
    const { state, events } = await (opened.get(id) as Promise<Conversation>);
    const untouched = [state.executionStatus, state.queue.length, events.length, Object.keys(state.calls)];
    expect(untouched).toEqual(['waiting_for_confirmation', 0, 3, []]);
    expect((await opened.get(other))?.events.length).toBe(0);
  }
}, 300_000);

const ABOUT = OPERATIONS.filter(({ begins }) => begins !== true);

test.each(ABOUT)('$name tells of a foreign conversation what it tells of none', async (operation) => {
  const asked = { operation, scopes: ALL, limits: 'own' };
  const [foreign, missing] = [await ask({ ...asked, which: 'foreign' }), await ask({ ...asked, which: 'missing' })];
  const named = (place: Which): readonly string[] => Object.values(places.get(place) as Place);
  const same = named('foreign').reduce((text, id, at) => text.replaceAll(id, named('missing')[at] ?? ''), foreign.said);
  expect([foreign.status, same]).toEqual([404, missing.said]);
});

test.each(OPERATIONS)('$name is allowed with its scopes', async (operation) => {
  const place = await waiting('ann', 'red');
  const key = keyOf('own', [...new Set<Scope>([...operation.needs, 'run'])]);
  const answer = await fetch(requestOf(operation, place, { url: url(), key }));
  const said = staysOpen(operation) ? await firstPart(answer) : await answer.text();
  expect([answer.ok, said]).toEqual([
    true,
    expect.not.stringMatching(/"error":(?!null)|"type":"error"|RUN_ERROR|"isError":true/),
  ]);
  if (!operation.needs.includes('approve')) return;
  // read again, because the conversation of the key may be a moment behind
  const { id, action } = place;
  const now = await openRemoteConversation({}, { workspace: workspaceOf(keyOf('all', ALL)), id, create: 'never' });
  const results = (await now.events.slice()).filter((event) => 'action_id' in event && event.action_id === action);
  await now.close();
  const kind = /cancel|stop/i.test(operation.name) ? 'UserRejectObservation' : 'ObservationEvent';
  expect(results.map((event) => event.kind)).toEqual([kind]);
});

/** True for a stream that goes on while a call waits. */
function staysOpen({ name, method }: Operation): boolean {
  return (method === 'GET' && name.endsWith('stream')) || name.includes('Subscribe');
}

/** Resolves with the first part of an answer; `` for one without. */
async function firstPart({ body }: Response): Promise<string> {
  const reader = body?.getReader();
  const part = await reader?.read();
  await reader?.cancel();
  return new TextDecoder().decode(part?.value);
}
