import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type Route, routes } from '@conv/openhands/rest';
import { sockets } from '@conv/openhands/sockets';
import { describe, expect, onTestFinished, test } from 'vitest';

import { SCOPES, type Principal, type Scope } from '../../src/auth/principal.ts';
import { SettingsStore } from '../../src/settings/settings-store.ts';
import { testCipher } from '../support/test-cipher.ts';
import { testPlugins } from '../support/test-plugins.ts';
import { testTrials } from '../support/test-trials.ts';
import { newConversation, startServer, type TestServer } from '../support/test-server.ts';
import { TestSocket } from '../support/test-socket.ts';

/** All sets of scopes. */
const SETS: readonly (readonly Scope[])[] = Array.from({ length: 2 ** SCOPES.length }, (_, bits) =>
  SCOPES.filter((_scope, at) => (bits & (1 << at)) !== 0),
);

/** Limits of the keys of a set. */
const LIMITS: Readonly<Record<string, Principal['limits']>> = {
  all: {},
  own: { own: true },
  tagged: { tags: { team: 'red' } },
};

/** Conversations that a route is asked for, and the limits within which they are. */
const CONVERSATIONS = {
  own: ['all', 'own', 'tagged'],
  foreign: ['all'],
  missing: [],
} as const;
type Which = keyof typeof CONVERSATIONS;

/** The key `LIMITS:SCOPES:OWNER` is a principal with these limits and scopes, and one name for all its keys. */
function principalOf(key: string): Principal | undefined {
  const [limits = '', scopes = '', name = ''] = key.split(':');
  if (!(limits in LIMITS)) return undefined;
  return { name, scopes: scopes.split('+').filter(Boolean) as Scope[], limits: LIMITS[limits] ?? {} };
}

function keyOf(limits: string, scopes: readonly Scope[], name = 'ann'): string {
  return `${limits}:${scopes.join('+')}:${name}`;
}

const ids: Record<Which, string> = { own: '', foreign: '', missing: randomUUID() };

/** A server that serves all that it can, with a conversation of `ann` and one of `bob`. */
async function fullServer(): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), 'conv-matrix-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const server = await startServer({
    principal: principalOf,
    cipher: testCipher,
    settingsStore: new SettingsStore(join(folder, 'kept'), testCipher),
    workspaceHost: { environment: {}, workingDirectory: folder },
    catalog: { models: {} },
    plugins: testPlugins(),
    metrics: { text: async () => 'some 1' },
    logins: { finish: async () => ({ ok: false, message: 'This login is not known.' }) },
    mcpTrials: testTrials(),
  });
  for (const [which, name, team] of [
    ['own', 'ann', 'red'],
    ['foreign', 'bob', 'blue'],
  ] as const)
    ids[which] = await start(server, keyOf('all', SCOPES, name), { tags: { team } });
  return server;
}

async function start(server: TestServer, key: string, more: object = {}): Promise<string> {
  const body = { ...newConversation(server.folder), ...more };
  const answer = await server.call<{ id: string }>('POST', '/api/conversations', body, { 'x-session-api-key': key });
  expect(answer.status).toBe(201);
  return answer.body.id;
}

/** Routes that change what the others are asked about. They come last, or have a server of their own. */
const LAST: ReadonlySet<string> = new Set(['delete_conversation']);

/** Returns the routes of the table that the server serves. */
async function served(server: TestServer): Promise<readonly Route[]> {
  const { body } = await server.call<{ paths: Record<string, object> }>('GET', '/openapi.json');
  const isServed = ({ method, path }: Route): boolean => method.toLowerCase() in (body.paths[path] ?? {});
  return routes.filter(isServed);
}

const OF_CONVERSATION = /\{(?:runtime_)?conversation_id\}/g;

/** A body that no route takes, so that a caller that may call is told so and nothing is done. */
const NO_BODY = '{"this is": "no body';

interface Asked {
  readonly route: Route;
  readonly scopes: readonly Scope[];
  readonly limits: string;
  /** Default: the route is about no conversation. */
  readonly which?: Which;
}

/** Returns the status that the declarations of a route say; `undefined` if the caller may do it, and its handler decides. */
function expected({ route, scopes, limits, which }: Asked): number | undefined {
  if (route.auth === 'none') return undefined;
  const isKnown = which === undefined || limits === 'all' || isWithin(limits, which);
  if (!isKnown) return 404;
  if (!mayWith(scopes, route.scope)) return 403;
  if (route.allConversations === true && limits !== 'all') return 403;
  return undefined;
}

/** True if the scopes are all that are needed. */
function mayWith(scopes: readonly Scope[], needed: Route['scope']): boolean {
  const all = needed === 'none' ? [] : [needed].flat();
  return all.every((scope) => scopes.includes(scope));
}

function isWithin(limits: string, which: Which): boolean {
  return (CONVERSATIONS[which] as readonly string[]).includes(limits);
}

/** Asks with a body that breaks off, which is refused with 400 or 422 after the rights were checked. A route without a body just answers. */
async function ask(
  server: TestServer,
  { route, scopes, limits, which }: Asked,
): Promise<{ status: number; said: string }> {
  const path = route.path
    .replaceAll(OF_CONVERSATION, which === undefined ? randomUUID() : ids[which])
    .replaceAll(/\{[^}]+\}/g, 'x');
  const key = keyOf(limits, scopes);
  const hasBody = route.method !== 'GET';
  // a stream that ends, and a request that does not wait
  const query = route.path.endsWith('/stream') || route.path.endsWith('/poll') ? '?follow=false&wait=0' : '';
  const { status, body } = await server.call(route.method, path + query, hasBody ? NO_BODY : undefined, {
    'x-session-api-key': key,
    // one route asks for this key instead
    'x-init-api-key': key,
  });
  return { status, said: JSON.stringify(body) };
}

function casesOf(route: Route): readonly Asked[] {
  const isAbout = route.path.search(OF_CONVERSATION) >= 0;
  const which: readonly (Which | undefined)[] = isAbout ? ['own', 'foreign', 'missing'] : [undefined];
  return SETS.flatMap((scopes) =>
    Object.keys(LIMITS).flatMap((limits) =>
      which.map((one) => ({ route, scopes, limits, ...(one === undefined ? {} : { which: one }) })),
    ),
  );
}

describe('each route, for each set of scopes, limits and conversation', () => {
  test('each route answers its declared status, and tells nothing of foreign conversations', async () => {
    const server = await fullServer();
    const all = (await served(server)).toSorted(
      (one, other) => Number(LAST.has(one.operationId)) - Number(LAST.has(other.operationId)),
    );
    expect(all.length).toBeGreaterThan(85);
    expect(all.map(({ operationId }) => operationId)).toContain('finish_mcp_login');
    const wrong: string[] = [];
    let asked = 0;
    for (const route of all) {
      if (LAST.has(route.operationId)) continue;
      for (const one of casesOf(route)) {
        const { status, said } = await ask(server, one);
        asked++;
        const wanted = expected(one);
        const isRight = wanted === undefined ? status !== 401 && status !== 403 : status === wanted;
        const leaks = wanted === 404 && (said.includes('bob') || said.includes('blue'));
        const isNamed = wanted !== 403 || /scopes? (read|run|approve|admin)|about all conversations/.test(said);
        if (!isRight || leaks || !isNamed)
          wrong.push(
            `${route.operationId} ${keyOf(one.limits, one.scopes)} ${one.which ?? ''}: ${wanted} is ${status} ${said}`,
          );
      }
    }
    expect(wrong.slice(0, 20)).toEqual([]);
    expect(asked).toBeGreaterThan(8000);
  }, 200_000);

  test('each route refuses a conversation outside of the limits with the words for an unknown id', async () => {
    const server = await fullServer();
    const about = (await served(server)).filter(({ path }) => path.search(OF_CONVERSATION) >= 0);
    expect(about.length).toBeGreaterThan(30);
    for (const route of about)
      for (const limits of ['own', 'tagged']) {
        const [foreign, missing] = await Promise.all(
          (['foreign', 'missing'] as const).map((which) => ask(server, { route, scopes: SCOPES, limits, which })),
        );
        const same = foreign?.said.replaceAll(ids.foreign, ids.missing);
        expect([route.operationId, foreign?.status, same]).toEqual([route.operationId, missing?.status, missing?.said]);
      }
  });

  test('a foreign conversation is not deleted, and an own one is', async () => {
    const server = await fullServer();
    const remove = async (which: Which): Promise<number> => {
      const headers = { 'x-session-api-key': keyOf('own', ['run']) };
      return (await server.call('DELETE', `/api/conversations/${ids[which]}`, undefined, headers)).status;
    };
    expect([await remove('foreign'), await remove('missing'), await remove('own')]).toEqual([404, 404, 200]);
  });
});

describe('each socket, for each set of scopes, limits and conversation', () => {
  /** Resolves with the code with which the server closes the socket; with `open` if it sends something or stays. */
  async function codeOf(server: TestServer, path: string, key: string): Promise<number | 'open'> {
    const url = `${server.url.replace('http', 'ws')}${path}?session_api_key=${encodeURIComponent(key)}`;
    // the server answers a wrong frame of an open socket
    const socket = new TestSocket(url, { anything: true, first: 'no JSON' });
    onTestFinished(() => socket.terminate());
    const closed = socket.closed.then(({ code }) => code);
    const answered = socket
      .until((frames) => frames.length > 0)
      .then(
        () => 'open' as const,
        () => closed,
      );
    const code = await Promise.race([closed, answered]);
    socket.terminate();
    return code;
  }

  test('each socket is opened or closed as its declaration says', async () => {
    const server = await fullServer();
    const wrong: string[] = [];
    expect(sockets).toHaveLength(3);
    for (const { path, scope, allConversations = false } of sockets)
      for (const scopes of SETS)
        for (const limits of Object.keys(LIMITS))
          for (const which of Object.keys(CONVERSATIONS) as Which[]) {
            if (!path.includes('{') && which !== 'own') continue;
            const isAbout = path.includes('{');
            const isKnown = !isAbout || limits === 'all' || isWithin(limits, which);
            const may = mayWith(scopes, scope) && !(allConversations && limits !== 'all');
            const wanted = !isKnown ? 4004 : !may ? 4003 : which === 'missing' && isAbout ? 4004 : 'open';
            const code = await codeOf(server, path.replace('{conversation_id}', ids[which]), keyOf(limits, scopes));
            if (code !== wanted) wrong.push(`${path} ${keyOf(limits, scopes)} ${which}: ${wanted} is ${code}`);
          }
    expect(wrong).toEqual([]);
  }, 120_000);
});
