import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { BashCommand, BashEvent, BashOutput, Page } from '@conv/openhands/rest';
import { describe, expect, test } from 'vitest';

import { environment, runGit } from '../support/run-git.ts';
import { startServer, until, type Answer, type TestServer } from '../support/test-server.ts';

interface Bench {
  readonly server: TestServer;
  readonly id: string;
  readonly folder: string;
  readonly call: <Body>(method: string, path: string, body?: unknown) => Promise<Answer<Body>>;
}

async function bench(): Promise<Bench> {
  const server = await startServer({ workspaceHost: { environment, workingDirectory: '/' } });
  const { id, workspace } = await server.make();
  const folder = realpathSync(workspace['working_dir'] as string);
  const call: Bench['call'] = (method, path, body) => server.call(method, `/api/conversations/${id}/${path}`, body);
  return { server, id, folder, call };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function query(path: string, parameters: Readonly<Record<string, string>>): string {
  return `${path}?${new URLSearchParams(parameters).toString()}`;
}

describe('the routes of the workspace of a conversation', () => {
  test('the routes of a workspace run commands in its folder, and tell of them to this conversation alone', async () => {
    const { server, id, folder, call } = await bench();
    const execute = `/api/conversations/${id}/bash/execute_bash_command`;
    const done = await server.call<BashOutput>('POST', execute, { command: 'pwd' });
    expect(done).toMatchObject({ status: 200, body: { exit_code: 0, stdout: `${folder}\n` } });
    const { body: started } = await call<BashCommand>('POST', 'bash/start_bash_command', { command: 'sleep 600' });
    expect((await call('POST', `bash/bash_commands/${started.id}/stop`)).status).toBe(200);
    const { body: own } = await call<Page<BashEvent>>('GET', 'bash/bash_events/search?kind__eq=BashCommand');
    expect(own.items.map((event) => 'command' in event && event.command)).toEqual(['pwd', 'sleep 600']);
    expect((await call('GET', `bash/bash_events/${started.id}`)).body).toEqual(started);
    const { body: all } = await server.call<Page<BashEvent>>('GET', '/api/bash/bash_events/search');
    expect(all.items).toEqual([]);
    const { id: other } = await server.make();
    const elsewhere = await server.call('POST', `/api/conversations/${other}/bash/bash_commands/${started.id}/stop`);
    expect(elsewhere.status).toBe(404);
    expect((await call<{ cleared_count: number }>('DELETE', 'bash/bash_events')).body.cleared_count).toBeGreaterThan(2);
  });

  test('the routes of a workspace kill its commands when it is deleted, and keep them from a later same id', async () => {
    const { server, id, call } = await bench();
    const { body: slow } = await call<BashCommand>('POST', 'bash/start_bash_command', {
      command: 'sleep 600 & echo $!; wait',
    });
    const pid = await until(async () => {
      const { body } = await call<Page<BashEvent>>('GET', 'bash/bash_events/search?kind__eq=BashOutput');
      return body.items.flatMap((event) => ('stdout' in event && event.stdout) || []).join('');
    });
    expect((await server.call('DELETE', `/api/conversations/${id}`)).status).toBe(200);
    await until(async () => !isAlive(Number(pid)));
    const again = await server.make({ conversation_id: id });
    const { body: done } = await call<BashOutput>('POST', 'bash/execute_bash_command', { command: 'pwd' });
    expect(done.stdout).toBe(`${realpathSync(again.workspace['working_dir'] as string)}\n`);
    expect((await call('GET', `bash/bash_events/${slow.id}`)).status).toBe(404);
  });

  test('the routes of a workspace read and write its files, and none outside of its folder', async () => {
    const { server, id, folder, call } = await bench();
    const form = new FormData();
    form.append('file', new Blob(['content']), 'a.txt');
    const path = join(folder, 'new', 'a.txt');
    const url = `${server.url}/api/conversations/${id}/${query('file/upload', { path })}`;
    expect((await fetch(url, { method: 'POST', body: form })).status).toBe(200);
    expect(readFileSync(path, 'utf8')).toBe('content');
    expect((await call('GET', query('file/download', { path }))).body).toBe('content');
    expect((await call('POST', query('file/create_directory', { path: join(folder, 'made') }))).status).toBe(200);
    expect((await call('GET', query('file/archive', { path: folder, format: 'tar.gz' }))).status).toBe(200);
    for (const outside of [server.folder, join(folder, '..'), 'new/a.txt'])
      for (const route of ['file/download', 'file/archive', 'git/changes'])
        expect(await call('GET', query(route, { path: outside }))).toMatchObject({
          status: 422,
          body: { detail: 'path must be inside the conversation workspace' },
        });
  });

  test('the routes of a workspace tell of its repository', async () => {
    const { folder, call } = await bench();
    mkdirSync(join(folder, 'project'));
    const project = join(folder, 'project');
    runGit(project, 'init', '-q');
    writeFileSync(join(project, 'a.txt'), 'one\n');
    runGit(project, 'add', '.');
    runGit(project, 'commit', '-q', '-m', 'first');
    writeFileSync(join(project, 'a.txt'), 'two\n');
    const changes = await call('GET', query('git/changes', { path: project, ref: 'HEAD' }));
    expect(changes.body).toEqual([{ status: 'UPDATED', path: 'a.txt' }]);
    const commits = await call<{ commits: { sha: string }[] }>('GET', query('git/commits', { path: project }));
    const [{ sha } = { sha: '' }] = commits.body.commits;
    const made = await call('GET', query(`git/commits/${sha}/changes`, { path: project }));
    expect(made.body).toEqual([{ status: 'ADDED', path: 'a.txt' }]);
  });

  test('the routes of a workspace pack this conversation and no other, and have no editor', async () => {
    const { server, id, call } = await bench();
    expect((await call('GET', `file/download-trajectory/${id}`)).status).toBe(200);
    const { id: other } = await server.make();
    expect(await call('GET', `file/download-trajectory/${other}`)).toMatchObject({
      status: 422,
      body: { detail: 'Trajectory must belong to the selected conversation' },
    });
  });

  test('the place in which tools act is always there, and making it again changes nothing', async () => {
    const { server, call } = await bench();
    const available = { status: 200, body: { runtime_status: 'available', can_resume: true, runtime_error: null } };
    expect(await call('GET', 'runtime')).toMatchObject(available);
    expect(await call('POST', 'runtime/reprovision')).toMatchObject(available);
    expect((await server.call('GET', `/api/conversations/${randomUUID()}/runtime`)).status).toBe(404);
  });

  test('the routes of a workspace are not there for an unknown conversation', async () => {
    const { server } = await bench();
    const asked = (id: string) => server.call('GET', `/api/conversations/${id}/bash/bash_events/search`);
    const unknown = randomUUID();
    expect(await asked(unknown)).toMatchObject({ status: 404, body: { detail: `Conversation not found: ${unknown}` } });
    const place = [{ type: 'uuid_parsing', loc: ['path', 'runtime_conversation_id'] }];
    expect(await asked('x')).toMatchObject({ status: 422, body: { detail: place } });
  });

  test('the routes of a workspace refuse commands of a conversation whose tools act elsewhere', async () => {
    const nowhere = { execute: async () => ({}), end: async () => {} };
    const runtime = { open: () => ({ executor: nowhere, close: async () => {} }) };
    const server = await startServer({
      workspaceHost: { environment, workingDirectory: '/' },
      runtimes: { default: 'elsewhere', offered: { elsewhere: runtime } },
    });
    const { id } = await server.make();
    const answer = await server.call('POST', `/api/conversations/${id}/bash/start_bash_command`, { command: 'pwd' });
    expect(answer).toMatchObject({ status: 409, body: { detail: expect.stringContaining('act in an executor') } });
  });
});
