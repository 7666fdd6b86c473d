import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { JsonObject } from '@conv/core';
import type { ConversationInfo } from '@conv/openhands/rest';
import { expect, onTestFinished, test } from 'vitest';

import { SCOPES, type Principal } from '../../src/auth/principal.ts';
import { newConversation, startServer, type TestServer, type TestServerOptions } from '../support/test-server.ts';
import { TestSocket } from '../support/test-socket.ts';

interface Shared {
  readonly server: TestServer;
  /** A folder with `private/key` and `given/readme`. */
  readonly home: string;
  readonly start: (
    who: string,
    workingDir: string,
    more?: JsonObject,
  ) => Promise<{ status: number; id: string; detail: string }>;
  readonly status: (who: string, method: string, path: string) => Promise<number>;
}

/** A server with limited keys, with a key without limits and without `admin`, and with the key of an operator. */
async function shared(options: TestServerOptions = {}): Promise<Shared> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'conv-reach-')));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  for (const [folder, file] of [
    ['private', 'key'],
    ['given', 'readme'],
  ] as const) {
    mkdirSync(join(home, folder));
    writeFileSync(join(home, folder, file), 'a text');
  }
  const people: Readonly<Record<string, Principal>> = {
    ann: { name: 'ann', scopes: ['read', 'run'], limits: { own: true } },
    bob: { name: 'bob', scopes: ['read', 'run'], limits: { own: true } },
    guest: { name: 'guest', scopes: SCOPES, limits: { tags: { team: 'red' }, folders: [join(home, 'given')] } },
    boss: { name: 'boss', scopes: SCOPES, limits: { own: true } },
    colleague: { name: 'colleague', scopes: ['read', 'run'] },
  };
  const server = await startServer({
    principal: (key) => people[key],
    sessionKeys: ['operator'],
    workspaceHost: { environment: { PATH: process.env['PATH'] ?? '' }, workingDirectory: home },
    ...options,
  });
  const headers = (who: string): Record<string, string> => ({ 'x-session-api-key': who });
  return {
    server,
    home,
    start: async (who, workingDir, more = {}) => {
      const body = {
        ...newConversation(home),
        confirmation_policy: { kind: 'AlwaysConfirm' },
        workspace: { working_dir: workingDir },
        ...more,
      };
      const answer = await server.call<ConversationInfo & { detail?: unknown }>(
        'POST',
        '/api/conversations',
        body,
        headers(who),
      );
      return { status: answer.status, id: answer.body.id, detail: JSON.stringify(answer.body.detail) };
    },
    status: async (who, method, path) => (await server.call(method, path, undefined, headers(who))).status,
  };
}

test('a limited key starts conversations in new folders and in its own, not in folders of others', async () => {
  const { home, start } = await shared();
  const refused = await start('ann', join(home, 'private'));
  expect([refused.status, refused.detail]).toEqual([
    422,
    expect.stringMatching(
      /working_dir.*is limited: expected a new folder without a hidden one on its path, or one of a conversation that it may know/,
    ),
  ]);
  const own = join(home, 'work', 'ann');
  const made = [await start('ann', own), await start('ann', own), await start('ann', join(own, 'deeper'))];
  expect(made.map(({ status }) => status)).toEqual([201, 201, 201]);
  const places = [own, join(own, 'other'), join(home, 'work')];
  for (const place of places) expect([place, (await start('bob', place)).status]).toEqual([place, 422]);
  expect((await start('bob', join(home, 'work', 'bob'))).status).toBe(201);
});

test('a new folder goes to one of several limited keys that start there at the same moment', async () => {
  const { home, start } = await shared();
  for (let round = 0; round < 5; round++) {
    const folder = join(home, `at-once-${round}`);
    const places = [folder, join(folder, 'deeper'), folder, join(folder, 'deeper')];
    const made = await Promise.all(places.map((place, at) => start(at % 2 === 0 ? 'ann' : 'bob', place)));
    const statuses = made.map(({ status }) => status);
    // the two of the first key
    expect([
      [201, 422, 201, 422],
      [422, 201, 422, 201],
    ]).toContainEqual(statuses);
  }
});

test("a limited key starts no conversation in a hidden folder, which programs of the server's user read", async () => {
  const { home, start } = await shared();
  for (const place of ['.ssh', '.config/autostart', 'work/.git/hooks'])
    expect([place, (await start('ann', join(home, place))).status]).toEqual([place, 422]);
  expect((await start('colleague', join(home, '.hidden'))).status).toBe(201);
});

test('a key without limits starts conversations and reads anywhere, as the single key of a server does', async () => {
  const { home, start, status } = await shared();
  for (const who of ['colleague', 'operator']) {
    const { id } = await start(who, join(home, 'private'));
    expect(await status(who, 'GET', `/api/conversations/${id}/workspace/key`)).toBe(200);
  }
});

test('a key that names folders starts conversations in them, and in no other new folder', async () => {
  const { home, start } = await shared();
  for (const place of ['given', 'given/new'])
    expect([place, (await start('guest', join(home, place))).status]).toEqual([place, 201]);
  symlinkSync(join(home, 'private'), join(home, 'given', 'link'));
  for (const place of ['elsewhere', 'private', 'given/link', '.']) {
    const { status, detail } = await start('guest', join(home, place));
    expect([place, status, detail]).toEqual([place, 422, expect.stringContaining('expected a folder that it names')]);
  }
});

test('a limited key gets no worktree of a repository that it does not reach', async () => {
  const { home, start } = await shared();
  const git = (...args: string[]): void => void execFileSync('git', args, { cwd: home, stdio: 'ignore' });
  git('init', '--quiet');
  git('add', '.');
  git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--quiet', '--message', 'all');
  const { status, detail } = await start('guest', join(home, 'given'), { worktree: true });
  expect([status, detail]).toEqual([422, expect.stringContaining(`found the repository ${home}`)]);
});

test('the file and git routes open to a limited key the folders that it reaches alone', async () => {
  const { home, start, status } = await shared();
  const own = join(home, 'own');
  const { id } = await start('boss', own);
  writeFileSync(join(own, 'page'), 'a text');
  symlinkSync(join(home, 'private'), join(own, 'link'));
  const routes = [
    ['GET', '/api/file/download?path=PLACE/FILE'],
    ['GET', '/api/file/search_subdirs?path=PLACE'],
    ['GET', '/api/file/archive?format=tar.gz&path=PLACE'],
    ['POST', '/api/file/create_directory?path=PLACE/new'],
    ['GET', '/api/git/changes?path=PLACE'],
    ['GET', '/api/git/commits?path=PLACE'],
  ] as const;
  const answers = (who: string, place: string, file: string): Promise<readonly number[]> =>
    Promise.all(
      routes.map(([method, path]) => status(who, method, path.replace('PLACE', place).replace('FILE', file))),
    );
  const all = routes.map(() => 200);
  expect(await answers('boss', own, 'page')).toEqual(all);
  const none = routes.map(() => 403);
  expect(await answers('boss', join(home, 'private'), 'key')).toEqual(none);
  expect(await answers('boss', join(own, 'link'), 'key')).toEqual(none);
  expect(await answers('guest', own, 'page')).toEqual(none);
  expect(await answers('guest', join(home, 'given'), 'readme')).toEqual(all);
  expect(await answers('operator', join(home, 'private'), 'key')).toEqual(all);
  expect(await status('boss', 'DELETE', `/api/conversations/${id}`)).toBe(200);
  expect(await answers('boss', own, 'page')).toEqual(none);
});

test('a limited key runs no command beside conversations, and sees those of no other key', async () => {
  const { server, status } = await shared();
  const routes = ['POST /api/bash/execute_bash_command', 'GET /api/bash/bash_events/search', 'GET /api/file/home'];
  for (const route of routes) {
    const [method = '', path = ''] = route.split(' ');
    expect([route, await status('boss', method, path)]).toEqual([route, 403]);
  }
  expect(await status('operator', 'GET', '/api/bash/bash_events/search')).toBe(200);
  const socket = new TestSocket(`${server.url.replace('http', 'ws')}/sockets/bash-events?session_api_key=boss`);
  onTestFinished(() => socket.terminate());
  expect(await socket.closed).toMatchObject({ code: 4003 });
});

test('a link that a program put in the place of a folder opens nothing to a limited key', async () => {
  const { home, start, status } = await shared();
  const own = join(home, 'own', 'deep');
  await start('boss', join(home, 'own'));
  const { id } = await start('boss', own);
  writeFileSync(join(own, 'key'), 'a text');
  const paths = [`/api/conversations/${id}/workspace/key`, `/api/file/download?path=${own}/key`];
  for (const path of paths) expect(await status('boss', 'GET', path)).toBe(200);
  rmSync(own, { recursive: true });
  symlinkSync(join(home, 'private'), own);
  expect(await Promise.all(paths.map((path) => status('boss', 'GET', path)))).toEqual([404, 403]);
});
