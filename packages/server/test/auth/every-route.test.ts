import { join } from 'node:path';

import { type Route, routes } from '@conv/openhands/rest';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';

import { SettingsStore } from '../../src/settings/settings-store.ts';
import { testCipher } from '../support/test-cipher.ts';
import { testTrials } from '../support/test-trials.ts';
import { startServer, type TestServer } from '../support/test-server.ts';

const KEY = 'the-key-of-this-server';
const ID = '00000000-0000-4000-8000-000000000000';
/** Wrong keys that are tried: none, another key, the beginning of the key, more than the key, and an empty key. */
const WRONG = [undefined, 'another-key', KEY.slice(0, -1), `${KEY}x`, ''];

/** A server that serves all that it can. */
async function fullServer(): Promise<TestServer> {
  const outer = await startServer();
  return startServer({
    sessionKeys: [KEY],
    cipher: testCipher,
    settingsStore: new SettingsStore(join(outer.folder, 'kept'), testCipher),
    workspaceHost: { environment: {}, workingDirectory: outer.folder },
    catalog: { models: {} },
    logins: { finish: async () => ({ ok: false, message: 'This login is not known.' }) },
    mcpTrials: testTrials(),
  });
}

function pathOf({ path }: Route): string {
  return path.replace(/\{conversation_id\}/, ID).replaceAll(/\{[^}]+\}/g, 'x');
}

describe('without the key', () => {
  it('no route that needs the key does anything without it, whatever is sent in its place', async () => {
    const server = await fullServer();
    const { body } = await server.call<{ paths: Record<string, object> }>('GET', '/openapi.json');
    const isServed = ({ method, path }: Route): boolean => method.toLowerCase() in (body.paths[path] ?? {});
    const guarded = Object.values(routes).filter((route) => isServed(route) && route.auth !== 'none');
    expect(guarded.length).toBeGreaterThan(80);
    const open: string[] = [];
    for (const route of guarded) {
      for (const key of WRONG) {
        const headers: Record<string, string> = key === undefined ? {} : { 'x-session-api-key': key };
        const { status } = await server.call(route.method, pathOf(route), undefined, headers);
        if (status !== 401) open.push(`${route.method} ${route.path} with ${key}: ${status}`);
      }
    }
    expect(open).toEqual([]);
  });

  it('each route answers something else with the key', async () => {
    const server = await fullServer();
    const headers = { 'x-session-api-key': KEY };
    const asked = ['/api/conversations/search', '/api/settings', '/api/file/home', '/api/llm/models', '/api/tools/'];
    for (const path of asked) expect((await server.call('GET', path, undefined, headers)).status).toBe(200);
  });

  it.each(['/sockets/events/', '/sockets/session/', '/sockets/bash-events'])(
    'no socket of %s is opened',
    async (path) => {
      const server = await fullServer();
      const address = `${server.url.replace('http', 'ws')}${path.endsWith('/') ? path + ID : path}`;
      for (const key of ['another-key', KEY.slice(0, -1), `${KEY}x`]) {
        const refused = await new Promise<number | undefined>((resolve, reject) => {
          const socket = new WebSocket(`${address}?session_api_key=${key}`);
          socket.once('unexpected-response', (_request, response) => resolve(response.statusCode));
          socket.once('open', () => reject(new Error('it was opened')));
          socket.once('error', () => {});
        });
        expect(refused).toBe(403);
      }
    },
  );
});
