import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import type { JsonObject } from '@conv/core';
import type { gitRoutes, RouteTypes } from '@conv/openhands/rest';
import { expect, onTestFinished, test } from 'vitest';

import { SettingsStore } from '../../src/settings/settings-store.ts';
import { testCipher as cipher } from '../support/test-cipher.ts';
import { startServer, type Answer, type TestServer } from '../support/test-server.ts';

type ProviderRepositoryPage = RouteTypes<typeof gitRoutes.searchRepositories>['answer'];

const AT = '/api/git/repositories/search';

/** A GitHub whose pages have these names. Resolves with its address and the requests that it got. */
async function github(
  pages: readonly (readonly string[])[],
  status = 200,
): Promise<{ readonly url: string; readonly requests: IncomingMessage[] }> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    const page = Number(new URL(request.url ?? '', 'http://here').searchParams.get('page'));
    const link =
      page < pages.length ? { link: `<http://here/user/repos?page=${page + 1}>; rel="next", <x>; rel="last"` } : {};
    const body = (pages[page - 1] ?? []).map((name, id) => ({
      id,
      full_name: name,
      private: name.startsWith('secret'),
      stargazers_count: 3,
      pushed_at: '2026-01-01T00:00:00Z',
      default_branch: 'main',
    }));
    response.writeHead(status, { 'content-type': 'application/json', ...link }).end(JSON.stringify(body));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => new Promise((closed) => server.close(() => closed(undefined))));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

async function serverWith(githubApi: string, token?: string): Promise<TestServer> {
  const outer = await startServer();
  const settingsStore = new SettingsStore(join(outer.folder, 'kept'), cipher);
  if (token !== undefined) await settingsStore.secrets.set('GITHUB_TOKEN', token, null);
  return startServer({ cipher, settingsStore, githubApi });
}

const search = <Body = ProviderRepositoryPage>(server: TestServer, query: string): Promise<Answer<Body>> =>
  server.call<Body>('GET', `${AT}?provider=github${query}`);

test('a provider is not asked without a token, and other providers are not supported', async () => {
  const { url, requests } = await github([['a/b']]);
  const server = await serverWith(url);
  expect(await search(server, '')).toMatchObject({
    status: 200,
    body: { items: [], next_page_id: null, missing_token: true },
  });
  expect(await server.call<JsonObject>('GET', `${AT}?provider=gitlab`)).toMatchObject({
    status: 400,
    body: { detail: "Repository discovery is not supported for provider 'gitlab'" },
  });
  for (const query of ['?provider=svn', '', '?provider=github&limit=0', '?provider=github&limit=101'])
    expect((await server.call('GET', `${AT}${query}`)).status).toBe(422);
  expect(requests).toEqual([]);
});

test('a stored token lists repositories, by query, limit and page_id', async () => {
  const { url, requests } = await github([['me/one', 'secret/two', 'me/three'], ['me/four'], ['you/five']]);
  const server = await serverWith(url, 'token-of-github');
  const names = async (query: string): Promise<unknown> => {
    const { body } = await search(server, query);
    return [body.items.map(({ full_name: name }) => name), body.next_page_id];
  };
  expect((await search(server, '&limit=2')).body).toEqual({
    items: [
      {
        id: '0',
        full_name: 'me/one',
        git_provider: 'github',
        is_public: true,
        stargazers_count: 3,
        pushed_at: '2026-01-01T00:00:00Z',
        main_branch: 'main',
      },
      expect.objectContaining({ full_name: 'secret/two', is_public: false }),
    ],
    next_page_id: '1:2',
    missing_token: false,
  });
  expect(await names('&page_id=1:2')).toEqual([['me/three'], '2']);
  expect(await names('&query=ME/&limit=3')).toEqual([['me/one', 'me/three', 'me/four'], '3']);
  expect(await names('&query=nothing')).toEqual([[], null]);
  expect(requests[0]?.headers.authorization).toBe('Bearer token-of-github');
  expect((await search<JsonObject>(server, '&page_id=x')).status).toBe(400);
});

test.each([
  [401, 401, 'detail'],
  [403, 403, 'detail'],
  [422, 400, 'detail'],
  [500, 502, 'exception'],
])('a provider that answers %i is a failure with %i, without the token', async (status, told, member) => {
  const { url } = await github([[]], status);
  const refused = await search<JsonObject>(await serverWith(url, 'token-of-github'), '');
  expect(refused.status).toBe(told);
  expect(refused.body[member]).toContain('GitHub repository search failed');
  expect(JSON.stringify(refused.body)).not.toContain('token-of-github');
});

test('a provider that cannot be reached is a failure with 502', async () => {
  expect((await search(await serverWith('http://127.0.0.1:1', 'token'), '')).status).toBe(502);
});
