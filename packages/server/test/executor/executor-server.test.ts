import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { JsonObject } from '@conv/core';
import { ToolError, type Executor } from '@conv/core/tool';
import { fastify } from 'fastify';
import { describe, expect, onTestFinished, test } from 'vitest';

import type { Scope } from '../../src/access.ts';
import { executorServer, type ExecutorServerOptions } from '../../src/index.ts';

const KEY = 'key-of-the-executor-2c8f';

function newFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'conv-executor-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

interface Answer {
  readonly status: number;
  readonly body: JsonObject;
}

interface Served {
  readonly folder: string;
  readonly url: string;
  readonly reported: readonly unknown[];
  readonly ended: readonly string[];
  readonly ask: (working_dir: string, key?: string, signal?: AbortSignal) => Promise<Answer>;
  readonly close: () => Promise<void>;
}

const ID = crypto.randomUUID();

const SCOPES: readonly Scope[] = ['read', 'run', 'approve', 'admin'];

/** Serves an executor that answers as given. */
async function serve(
  execute: Executor['execute'] = async () => ({}),
  more: Partial<ExecutorServerOptions> = {},
): Promise<Served> {
  const folder = newFolder();
  const reported: unknown[] = [];
  const ended: string[] = [];
  const app = fastify({ pluginTimeout: 0, forceCloseConnections: true });
  await app.register(
    executorServer({
      executor: { execute, end: async (id) => void ended.push(id) },
      workspaceHost: { workingDirectory: folder, environment: {}, allowedFolders: [folder] },
      sessionKeys: [KEY],
      report: (error) => reported.push(error),
      ...more,
    }),
  );
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => app.close());
  const ask: Served['ask'] = async (working_dir, key = KEY, signal) => {
    const answer = await fetch(`${url}/api/executor/${ID}/requests`, {
      method: 'POST',
      headers: { 'x-session-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ working_dir, request: { wanted: 'this' } }),
      ...(signal ? { signal } : {}),
    });
    return { status: answer.status, body: (await answer.json()) as JsonObject };
  };
  return { folder, url, reported, ended, ask, close: () => app.close() };
}

describe('a server that only executes', () => {
  test('an executing server hands a request to its executor, and answers with the output and the result', async () => {
    const seen: unknown[] = [];
    const { ask, folder } = await serve(async (session, request, { onOutput }) => {
      seen.push(session, request);
      onOutput?.('a line\n');
      onOutput?.('"another"');
      return { result: 42 };
    });
    expect(await ask(folder)).toEqual({
      status: 200,
      body: { output: ['a line\n', '"another"'], answer: { result: 42 } },
    });
    expect(seen).toEqual([{ conversationId: ID, workingDirectory: folder }, { wanted: 'this' }]);
  });

  test('an executing server aborts a request whose client goes away', async () => {
    const started = Promise.withResolvers<void>();
    const aborted = Promise.withResolvers<void>();
    const { ask, folder } = await serve(async (_, _request, { signal }) => {
      started.resolve();
      signal.addEventListener('abort', () => aborted.resolve());
      await aborted.promise;
      return {};
    });
    const gone = new AbortController();
    const asking = ask(folder, KEY, gone.signal);
    await started.promise;
    gone.abort(new Error('gone'));
    await expect(asking).rejects.toThrow('gone');
    await aborted.promise;
  });

  test('an executing server answers with the words of a tool that refuses, and reports no error', async () => {
    const { ask, folder, reported } = await serve(() => Promise.reject(new ToolError('FAILED', 'there is no bash')));
    expect((await ask(folder)).body).toMatchObject({ failure: 'there is no bash' });
    expect(reported).toEqual([]);
  });

  test('an executing server calls the outcome of any other error unknown, and reports it without telling', async () => {
    const fault = new Error('a fault with details');
    const { ask, folder, reported } = await serve(() => Promise.reject(fault));
    const { body } = await ask(folder);
    expect(body).toMatchObject({ failure: expect.stringContaining('outcome is unknown') });
    expect(JSON.stringify(body)).not.toContain('details');
    expect(reported).toEqual([fault]);
  });

  test('an executing server refuses folders outside of its own', async () => {
    const { ask } = await serve();
    expect(await ask('/')).toMatchObject({ status: 403 });
    expect(await ask('project')).toMatchObject({ status: 400 });
  });

  test('an executing server ends what its conversations run when it closes', async () => {
    const { ask, folder, ended, close } = await serve();
    await ask(folder);
    await close();
    expect(ended).toEqual([ID]);
  });

  test.each([
    [['read', 'run', 'approve'], 403],
    [['read', 'run', 'admin'], 403],
    [['admin', 'approve'], 200],
  ] as const)(
    'an executing server asks for a key with the scopes admin and approve: %j gets %i',
    async (scopes, status) => {
      const principal = (key: string) =>
        key === 'named' ? { name: 'someone', scopes: scopes as readonly Scope[] } : undefined;
      const { ask, folder } = await serve(undefined, { principal });
      expect(await ask(folder, 'named')).toMatchObject({ status });
      expect(await ask(folder, 'wrong')).toMatchObject({ status: 401 });
    },
  );

  test('an executing server has no conversation and no setting', async () => {
    const { url } = await serve();
    for (const path of ['conversations', 'conversations/search', 'settings', 'settings/secrets', 'llm/models']) {
      const { status } = await fetch(`${url}/api/${path}`, { headers: { 'x-session-api-key': KEY } });
      expect([path, status]).toEqual([path, 404]);
    }
  });

  test('an executing server is not made without a key', () => {
    const options = { executor: {} as Executor, report: () => undefined };
    const workspaceHost = { workingDirectory: '/', environment: {} };
    expect(() => executorServer({ ...options, workspaceHost })).toThrow('expected a key');
  });
});

test('a key for some conversations executes nothing, and reaches only the folders that it names', async () => {
  const given = newFolder();
  const keys: Readonly<Record<string, readonly string[]>> = { named: [given], none: [] };
  const principal: NonNullable<ExecutorServerOptions['principal']> = (key) =>
    keys[key] && { name: key, scopes: SCOPES, limits: { own: true, folders: keys[key] } };
  const { folder, url, ask } = await serve(undefined, {
    principal,
    workspaceHost: { workingDirectory: given, environment: {} },
  });
  const status = async (key: string, path: string): Promise<number> =>
    (await fetch(`${url}/api/file/search_subdirs?path=${path}`, { headers: { 'x-session-api-key': key } })).status;
  expect([await status('named', given), await status('named', folder), await status('none', given)]).toEqual([
    200, 403, 403,
  ]);
  for (const key of ['named', 'none']) expect((await ask(given, key)).status).toBe(403);
  expect((await ask(given)).status).toBe(200);
});
