import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { JsonObject } from '@conv/core';
import type { ConversationInfo, Page } from '@conv/openhands/rest';
import { call, createModelServer, lastUserText, say, toolResults, type ModelServer } from '@conv/testing-model-server';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { eventsOf, kindsOf, make, payload, says, until } from './calls.ts';
import { newFolder } from './new-folder.ts';
import { eventually, ServerProcess } from './server-process.ts';

let model: ModelServer;
let server: ServerProcess;
let cwd: string;
let llm: JsonObject;
const asked: string[] = [];

beforeAll(async () => {
  model = await createModelServer({
    script: (request) => {
      asked.push(JSON.stringify(request));
      const said = lastUserText(request) ?? '';
      if (toolResults(request).length > 0) return say('Done.');
      return said.startsWith('ask the client') ? call('ask', { question: 'why?' }) : say('Yes.');
    },
  });
  cwd = newFolder();
  llm = { model: 'openai/test-model', base_url: model.url, api_key: 'sk-test-0123456789' };
  server = await ServerProcess.start({ cwd, env: { HOME: cwd } });
});

afterAll(async () => {
  await server.stop();
  await model.close();
});

/** The path with these in its query. */
function query(path: string, members: Readonly<Record<string, string>>): string {
  return `${path}?${new URLSearchParams(members).toString()}`;
}

test('autotitle: false leaves a conversation without a title', async () => {
  const { id } = await make(server, { ...payload({ cwd, llm }), autotitle: false });
  await server.call('POST', `/api/conversations/${id}/events`, says('hello', { run: true }));
  await until(server, id, 'finished');
  expect((await server.call<ConversationInfo>('GET', `/api/conversations/${id}`)).body.title).toBeNull();
});

test('content of a message reaches the model, image_urls too', async () => {
  const { id } = await make(server, payload({ cwd, llm }));
  const image =
    'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  const content = [
    { type: 'text', text: 'look at this' },
    { type: 'image', image_urls: [image] },
  ];
  await server.call('POST', `/api/conversations/${id}/events`, { role: 'user', content, run: true });
  await until(server, id, 'finished');
  expect(asked.at(-1)).toContain('look at this');
  expect(asked.at(-1)).toContain(image.slice(0, 40));
});

test('annotations of a client tool are told, and is_error of its answer is an error that the model reads', async () => {
  const parameters = { type: 'object', properties: { question: { type: 'string' } } };
  const tool = { name: 'ask', description: 'Asks the user.', parameters, annotations: { readOnlyHint: true } };
  const { id } = await make(server, { ...payload({ cwd, llm }), client_tools: [{ ...tool, answers: 'caller' }] });
  await server.call('POST', `/api/conversations/${id}/events`, says('ask the client', { run: true }));
  const action = await eventually(async () => (await eventsOf(server, id)).find(({ kind }) => kind === 'ActionEvent'));
  const answer = { action_id: action.id, content: [{ type: 'text', text: 'nobody is there' }], is_error: true };
  expect((await server.call('POST', `/api/conversations/${id}/events/answer_call`, answer)).status).toBe(200);
  await until(server, id, 'finished');
  expect(JSON.stringify(await eventsOf(server, id))).toContain('"is_error":true');
  expect(asked.at(-1)).toContain('nobody is there');
  const { body } = await server.call<ConversationInfo>('GET', `/api/conversations/${id}`);
  expect(body.client_tools[0]).toMatchObject({ annotations: { readOnlyHint: true } });
});

test('hooks of session_start, user_prompt_submit, stop and session_end run at their moments', async () => {
  const workspace = { kind: 'LocalWorkspace', working_dir: join(cwd, 'moments') };
  const witness = join(workspace.working_dir, 'witness');
  const moment = (name: string): JsonObject[] => [{ hooks: [{ command: `echo ${name} >> ${witness}` }] }];
  const names = ['session_start', 'user_prompt_submit', 'stop', 'session_end'];
  const hooks = Object.fromEntries(names.map((name) => [name, moment(name)]));
  const { id } = await make(server, { ...payload({ cwd, llm }), workspace, hook_config: hooks });
  await server.call('POST', `/api/conversations/${id}/events`, says('hello', { run: true }));
  await until(server, id, 'finished');
  expect((await kindsOf(server, id)).filter((kind) => kind === 'HookExecutionEvent')).toHaveLength(3);
  await server.call('DELETE', `/api/conversations/${id}`);
  expect(readFileSync(witness, 'utf8').trim().split('\n')).toEqual(names);
});

test('reset_metrics: false has a fork go on counting', async () => {
  const { id } = await make(server, payload({ cwd, llm }));
  await server.call('POST', `/api/conversations/${id}/events`, says('hello', { run: true }));
  await until(server, id, 'finished');
  const usages = async (reset: boolean): Promise<readonly string[]> => {
    const fork = await server.call<ConversationInfo>('POST', `/api/conversations/${id}/fork`, { reset_metrics: reset });
    return Object.keys((fork.body.stats as { usage_to_metrics: object }).usage_to_metrics);
  };
  expect(await usages(false)).toContain('agent');
  expect(await usages(true)).toEqual([]);
});

test('each member of a search for events of commands narrows it', async () => {
  const run = async (command: string): Promise<string> =>
    (await server.call<{ command_id: string }>('POST', '/api/bash/execute_bash_command', { command })).body.command_id;
  await run('echo one');
  const second = await run('echo two');
  const search = async (members: Readonly<Record<string, string>>): Promise<readonly JsonObject[]> =>
    (await server.call<Page<JsonObject>>('GET', query('/api/bash/bash_events/search', members))).body.items;
  const all = await search({});
  const commands = await search({ kind__eq: 'BashCommand' });
  expect(commands.map(({ command }) => command)).toEqual(['echo one', 'echo two']);
  // the end of a command may have an event of its own, behind its text
  const outputs = await search({ command_id__eq: second });
  expect(outputs.flatMap(({ stdout }) => stdout ?? [])).toEqual(['two\n']);
  expect(await search({ timestamp__gte: '2999-01-01T00:00:00Z' })).toEqual([]);
  expect(await search({ timestamp__lt: '2000-01-01T00:00:00Z' })).toEqual([]);
  expect(await search({ order__gt: '7', kind__eq: 'BashOutput' })).toEqual([]);
  expect(await search({ sort_order: 'TIMESTAMP_DESC' })).toEqual(all.toReversed());
  expect(await search({ limit: '1' })).toHaveLength(1);
  const at = all.findIndex(({ id }) => id === commands[1]?.['id']);
  expect(await search({ page_id: commands[1]?.['id'] as string })).toEqual(all.slice(at));
});

test('use_default_excludes of an archive and limit of commits hold', async () => {
  const project = join(cwd, 'archived');
  mkdirSync(join(project, 'node_modules'), { recursive: true });
  writeFileSync(join(project, 'node_modules', 'made.js'), 'made');
  writeFileSync(join(project, 'mine.txt'), 'mine');
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd: project, encoding: 'utf8' });
  git('init', '-q');
  for (const name of ['one', 'two']) git('commit', '-q', '--allow-empty', '-m', name);
  const size = async (excludes: string): Promise<number> => {
    const path = query('/api/file/archive', { path: project, format: 'tar.gz', use_default_excludes: excludes });
    const archive = join(cwd, `archive-${excludes}.tar.gz`);
    writeFileSync(
      archive,
      Buffer.from(
        await (await fetch(server.url + path, { headers: { 'x-session-api-key': server.key ?? '' } })).arrayBuffer(),
      ),
    );
    return execFileSync('tar', ['-tzf', archive], { encoding: 'utf8' })
      .split('\n')
      .filter((name) => name.includes('made.js')).length;
  };
  expect([await size('true'), await size('false')]).toEqual([0, 1]);
  const { body } = await server.call<{ commits: JsonObject[]; has_more: boolean }>(
    'GET',
    query('/api/git/commits', { path: project, limit: '1' }),
  );
  expect(body.commits.map(({ subject }) => subject)).toEqual(['two']);
  expect(body.has_more).toBe(true);
});

test('each member of a change of an MCP server is kept, and null takes it away', async () => {
  await server.call('POST', '/api/settings/mcp/mine', { command: 'server' });
  const change: JsonObject = {
    url: 'http://127.0.0.1:9/mcp',
    transport: 'http',
    args: ['-v'],
    env: { MODE: 'fast' },
    cwd: '/tmp',
    description: 'mine',
    icon: 'anchor',
    timeout: 5,
    sse_read_timeout: 6,
    keep_alive: false,
    headers: { 'x-team': 'a' },
    auth: { strategy: 'none' },
    enabled: false,
    command: null,
  };
  const { status, body } = await server.call('PATCH', '/api/settings/mcp/mine', change);
  expect(status).toBe(200);
  const { mine } = (body['agent_settings'] as { mcp_config: { mine: JsonObject } }).mcp_config;
  const { command: _, env, headers, ...rest } = change;
  expect(mine).toMatchObject({ ...rest, env: { MODE: expect.anything() }, headers: { 'x-team': expect.anything() } });
  expect([env, headers]).toHaveLength(2);
  expect(mine).not.toHaveProperty('command');
  await server.call('DELETE', '/api/settings/mcp/mine');
});

test('include_secrets: false keeps a profile without its key', async () => {
  await server.call('POST', '/api/profiles/keyless', { llm, include_secrets: false });
  expect((await server.call('GET', '/api/profiles/keyless')).body).toMatchObject({ api_key_set: false });
  await server.call('POST', '/api/profiles/keyed', { llm });
  expect((await server.call('GET', '/api/profiles/keyed')).body).toMatchObject({ api_key_set: true });
});

test('load_user and load_project choose which skills are listed', async () => {
  const project = join(cwd, 'with-skills');
  for (const [folder, name] of [
    [join(cwd, '.openhands', 'skills'), 'of-user'],
    [join(project, '.openhands', 'skills'), 'of-project'],
  ] as const) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${name}.md`), `---\nname: ${name}\n---\nDo it well.\n`);
  }
  const names = async (members: JsonObject): Promise<readonly string[]> => {
    const { body } = await server.call<{ skills: { name: string }[] }>('POST', '/api/skills', {
      project_dir: project,
      ...members,
    });
    return body.skills.map(({ name }) => name);
  };
  expect(await names({ load_user: true, load_project: false })).toEqual(['of-user']);
  expect(await names({ load_user: false, load_project: true })).toEqual(['of-project']);
  expect(existsSync(project)).toBe(true);
});
