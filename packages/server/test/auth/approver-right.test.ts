import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { JsonObject } from '@conv/core';
import type { ConversationInfo } from '@conv/openhands/rest';
import { expect, onTestFinished, test } from 'vitest';

import type { Principal } from '../../src/auth/principal.ts';
import { SettingsStore } from '../../src/settings/settings-store.ts';
import { TestSocket } from '../support/test-socket.ts';
import { message } from '../support/conversation-calls.ts';
import {
  newConversation,
  startServer,
  until,
  type TestServer,
  type TestServerOptions,
} from '../support/test-server.ts';
import { echoTool } from '../support/waiting-tool.ts';

type Caller = Record<string, string>;

const SESSION: Caller = { 'x-session-api-key': 'the-session-key' };
const APPROVER: Caller = { 'x-session-api-key': 'the-approver-key' };
const ASKED = { confirmation_policy: { kind: 'AlwaysConfirm' } };
const UNASKED = { confirmation_policy: { kind: 'NeverConfirm' } };

/** A server with an approver key, whose agent says "hi" with a tool until it is done. */
function guarded(options: TestServerOptions = {}): Promise<TestServer> {
  const turns = [{ calls: [{ name: 'echo', arguments: { text: 'hi' } }] }, { text: 'done' }];
  return startServer({
    turns,
    tools: [echoTool],
    sessionKeys: [SESSION['x-session-api-key'] as string],
    approverKeys: [APPROVER['x-session-api-key'] as string],
    workspaceHost: { environment: { PATH: process.env['PATH'] ?? '' }, workingDirectory: '/tmp' },
    ...options,
  });
}

async function start(server: TestServer, by: Caller, more: JsonObject = {}): Promise<{ status: number; id: string }> {
  const body = { ...newConversation(server.folder), ...more };
  const answer = await server.call<ConversationInfo>('POST', '/api/conversations', body, by);
  return { status: answer.status, id: answer.body.id };
}

async function statusOf(server: TestServer, id: string): Promise<string> {
  return (await server.call<ConversationInfo>('GET', `/api/conversations/${id}`, undefined, SESSION)).body
    .execution_status;
}

/** A conversation whose call waits for approval. */
async function waiting(server: TestServer): Promise<string> {
  const { id } = await start(server, SESSION, { ...ASKED, initial_message: message('go') });
  await until(async () => (await statusOf(server, id)) === 'waiting_for_confirmation');
  return id;
}

test('P10: a session key approves, rejects and loosens nothing on a server with an approver key', async () => {
  const server = await guarded();
  const id = await waiting(server);
  const attempts: readonly (readonly [string, JsonObject | undefined])[] = [
    ['events/respond_to_confirmation', { accept: true }],
    ['events/respond_to_confirmation', { accept: false }],
    ['approve', {}],
    ['reject', {}],
    ['run', undefined],
    ['goal', { objective: 'go on' }],
    ['confirmation_policy', { policy: { kind: 'NeverConfirm' } }],
    ['security_analyzer', { security_analyzer: null }],
  ];
  for (const [path, body] of attempts) {
    const { status } = await server.call('POST', `/api/conversations/${id}/${path}`, body, SESSION);
    expect([path, status]).toEqual([path, 403]);
  }
  expect(await statusOf(server, id)).toBe('waiting_for_confirmation');
});

test('P10: an approver key approves, and is a session key, too', async () => {
  const server = await guarded();
  const id = await waiting(server);
  const path = `/api/conversations/${id}/events/respond_to_confirmation`;
  expect((await server.call('POST', path, { accept: true }, APPROVER)).status).toBe(200);
  await until(async () => (await statusOf(server, id)) === 'finished');
  expect((await start(server, APPROVER, UNASKED)).status).toBe(201);
});

test('P10: a session key starts no conversation that runs actions without asking', async () => {
  const server = await guarded();
  const hooks = { hook_config: { pre_tool_use: [{ matcher: '*', hooks: [{ command: 'touch /tmp/x' }] }] } };
  const { agent } = newConversation(server.folder) as { agent: JsonObject };
  const mcp = { agent: { ...agent, mcp_config: { mcpServers: { any: { command: 'touch', args: ['/tmp/x'] } } } } };
  const ofSubAgent = { agent_definitions: [{ name: 'hooked', hooks: hooks.hook_config }] };
  for (const more of [UNASKED, { ...ASKED, ...hooks }, { ...ASKED, ...ofSubAgent }, { ...ASKED, ...mcp }])
    expect((await start(server, SESSION, more)).status).toBe(403);
  expect((await start(server, SESSION, ASKED)).status).toBe(201);
  expect((await start(server, SESSION, { confirmation_policy: { kind: 'ConfirmRisky' } })).status).toBe(201);
});

test.each<[string, JsonObject, number]>([
  ['nobody who rates, and what is not rated runs', { confirm_unknown: false }, 403],
  ['the model that its creator chose', { security_analyzer: { kind: 'LLMSecurityAnalyzer' } }, 403],
  ['three rules alone', { security_analyzer: { kind: 'PolicyRailSecurityAnalyzer' } }, 403],
  [
    'the model and three rules',
    {
      security_analyzer: {
        kind: 'EnsembleSecurityAnalyzer',
        analyzers: [{ kind: 'LLMSecurityAnalyzer' }, { kind: 'PolicyRailSecurityAnalyzer' }],
      },
    },
    403,
  ],
  ['the rules of the server', { security_analyzer: { kind: 'PatternSecurityAnalyzer' } }, 201],
  [
    'the model and the rules of the server',
    {
      security_analyzer: {
        kind: 'EnsembleSecurityAnalyzer',
        analyzers: [{ kind: 'LLMSecurityAnalyzer' }, { kind: 'PatternSecurityAnalyzer' }],
      },
    },
    201,
  ],
])('P10: a session key starts a conversation whose actions are rated by %s: %j is %i', async (_, more, status) => {
  const server = await guarded();
  const { security_analyzer: analyzer = null, ...policy } = more;
  const risky = { confirmation_policy: { kind: 'ConfirmRisky', ...policy }, security_analyzer: analyzer };
  expect((await start(server, SESSION, risky)).status).toBe(status);
  expect((await start(server, APPROVER, risky)).status).toBe(201);
});

test('P10: a session key runs no command and writes no file beside conversations', async () => {
  const server = await guarded();
  const routes = ['bash/execute_bash_command', 'bash/start_bash_command', 'file/upload?path=/tmp/x'];
  for (const path of routes)
    expect((await server.call('POST', `/api/${path}`, { command: 'id' }, SESSION)).status).toBe(403);
  const address = `${server.url.replace('http', 'ws')}/sockets/bash-events`;
  const socket = new TestSocket(`${address}?session_api_key=${SESSION['x-session-api-key']}`);
  await socket.opened();
  socket.send({ command: 'id' });
  expect(await socket.find(({ kind }) => kind === 'BashError')).toMatchObject({ code: 'Forbidden' });
  socket.terminate();
  const { status } = await server.call('POST', '/api/bash/execute_bash_command', { command: 'id' }, APPROVER);
  expect(status).toBe(200);
});

test('P9: a session key reads no kept secret and no file of server keys on a server with an approver key', async () => {
  const home = mkdtempSync(join(tmpdir(), 'conv-own-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const settings = join(home, 'settings');
  mkdirSync(settings);
  writeFileSync(join(settings, 'secret.key'), 'the secret key of the server');
  writeFileSync(join(home, 'notes.txt'), 'notes');
  symlinkSync(join(settings, 'secret.key'), join(home, 'link'));
  const server = await guarded({
    settingsStore: new SettingsStore(settings, undefined),
    protect: () => ({ addresses: [], paths: [settings] }),
  });
  const { id } = await start(server, SESSION, { ...ASKED, workspace: { working_dir: home } });
  await server.call('PUT', '/api/settings/secrets', { name: 'DEPLOY', value: 'a value' }, SESSION);
  const own = [
    '/api/settings/secrets/DEPLOY',
    `/api/file/download?path=${settings}/secret.key`,
    `/api/file/download?path=${home}/link`,
    `/api/file/archive?path=${settings}`,
    `/api/file/archive?path=${home}`,
    `/api/file/search_subdirs?path=${settings}`,
    `/api/git/changes?path=${settings}`,
    `/api/git/diff?path=${settings}/secret.key`,
    `/api/conversations/${id}/workspace/settings/secret.key`,
    `/api/conversations/${id}/workspace/link`,
  ];
  for (const path of own) {
    const refused = await server.call('GET', path, undefined, SESSION);
    expect([path, [403, 404].includes(refused.status)]).toEqual([path, true]);
    expect(JSON.stringify(refused.body)).not.toMatch(/the secret key|a value/);
  }
  const shown = { ...SESSION, 'x-expose-secrets': 'plaintext' };
  expect((await server.call('GET', '/api/settings', undefined, shown)).status).toBe(403);
  const open = [`/api/file/download?path=${home}/notes.txt`, `/api/conversations/${id}/workspace/notes.txt`];
  for (const path of open) expect((await server.call('GET', path, undefined, SESSION)).status).toBe(200);
  for (const path of [...own.slice(0, 3), ...own.slice(-2)])
    expect([path, (await server.call('GET', path, undefined, APPROVER)).status]).toEqual([path, 200]);
});

test("P9: a folder that is another name of the server's keys is archived with the right to approve alone", async () => {
  const home = mkdtempSync(join(tmpdir(), 'conv-approver-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const [settings, work] = [join(home, 'settings'), join(home, 'work')];
  mkdirSync(settings);
  mkdirSync(join(work, 'deep'), { recursive: true });
  writeFileSync(join(settings, 'secret.key'), 'the secret key of the server');
  writeFileSync(join(work, 'file'), 'a file');
  linkSync(join(work, 'file'), join(work, 'same'));
  const server = await guarded({ protect: () => ({ addresses: [], paths: [settings] }) });
  const archive = async (format: string, by: Caller): Promise<number> =>
    (await server.call('GET', `/api/file/archive?format=${format}&path=${work}`, undefined, by)).status;
  expect(await archive('tar.gz', SESSION)).toBe(200);
  linkSync(join(settings, 'secret.key'), join(work, 'deep/notes'));
  for (const format of ['tar.gz', 'git-delta']) expect([format, await archive(format, SESSION)]).toEqual([format, 403]);
  expect(await archive('tar.gz', APPROVER)).toBe(200);
});

test('P10: damage is confirmed with the right to approve', async () => {
  const server = await guarded();
  const { id } = await start(server, SESSION, ASKED);
  const path = `/api/conversations/${id}/settings`;
  expect((await server.call('POST', path, { damage_confirmed: true }, SESSION)).status).toBe(403);
  expect((await server.call('POST', path, { title: null }, SESSION)).status).toBe(200);
  expect((await server.call('POST', path, { damage_confirmed: true }, APPROVER)).status).toBe(200);
});

test('P10: a fork, and a place in the past, have the policy that was set', async () => {
  const server = await guarded();
  const { id } = await start(server, APPROVER, UNASKED);
  const policy = { policy: { kind: 'AlwaysConfirm' } };
  await server.call('POST', `/api/conversations/${id}/confirmation_policy`, policy, APPROVER);
  await server.call('POST', `/api/conversations/${id}/events`, message('one', { run: false }), SESSION);
  const moved = await server.call<ConversationInfo>(
    'POST',
    `/api/conversations/${id}/navigate`,
    { event_id: null },
    SESSION,
  );
  expect(moved.body.confirmation_policy).toMatchObject({ kind: 'AlwaysConfirm' });
  const fork = await server.call<ConversationInfo>('POST', `/api/conversations/${id}/fork`, {}, SESSION);
  expect(fork.status).toBe(201);
  expect(fork.body.confirmation_policy).toMatchObject({ kind: 'AlwaysConfirm' });
});

test('a session key approves on a server without an approver key, as clients of OpenHands do', async () => {
  const turns = [{ calls: [{ name: 'echo', arguments: { text: 'hi' } }] }, { text: 'done' }];
  const server = await startServer({ turns, tools: [echoTool], sessionKeys: ['the-session-key'] });
  const id = await waiting(server);
  expect((await server.call('POST', `/api/conversations/${id}/run`, undefined, SESSION)).status).toBe(200);
  await until(async () => (await statusOf(server, id)) === 'finished');
});

test('P10: a session key approves no kind of calls for good by a tag, at a start, in a change or in a fork', async () => {
  const server = await guarded();
  const standing = { tags: { alwaysapproved: 'echo:UNKNOWN' } };
  const made = await server.call(
    'POST',
    '/api/conversations',
    { ...newConversation(server.folder), ...ASKED, ...standing },
    SESSION,
  );
  expect(made.status).toBe(403);
  const id = await waiting(server);
  const path = `/api/conversations/${id}`;
  expect((await server.call('PATCH', path, standing, SESSION)).status).toBe(403);
  expect((await server.call('POST', `${path}/fork`, standing, SESSION)).status).toBe(403);
  expect((await server.call('PATCH', path, standing, APPROVER)).status).toBe(200);
  // what holds already may be told again, and taken back
  const others = { tags: { alwaysapproved: 'echo:UNKNOWN', team: 'red' } };
  expect((await server.call('PATCH', path, others, SESSION)).status).toBe(200);
  expect((await server.call('PATCH', path, { tags: {} }, SESSION)).status).toBe(200);
  expect((await server.call('PATCH', path, others, SESSION)).status).toBe(403);
});

test('P10: a session key stores no agent that is a program, in settings and in profiles', async () => {
  const outer = await startServer();
  const settingsStore = new SettingsStore(join(outer.folder, 'kept'), undefined);
  const server = await guarded({ settingsStore, profiles: settingsStore });
  const settings = (changes: JsonObject): [string, string, JsonObject] => [
    'PATCH',
    '/api/settings',
    { agent_settings_diff: changes },
  ];
  const profile = (members: JsonObject): [string, string, JsonObject] => [
    'POST',
    '/api/agent-profiles/program',
    { agent_kind: 'acp', acp_server: 'custom', ...members },
  ];
  const attempts = [
    // the settings' agent is no program yet
    settings({ acp_command: ['sh', '-c', 'true'] }),
    settings({ agent_kind: 'acp' }),
    settings({ acp_args: ['--all'] }),
    settings({ acp_session_mode: 'bypassPermissions' }),
    settings({ acp_session_mode: null }),
    profile({}),
    profile({ acp_command: ['sh', '-c', 'true'] }),
  ];
  for (const [method, path, body] of attempts) {
    expect((await server.call(method, path, body, SESSION)).status).toBe(403);
    expect((await server.call(method, path, body, APPROVER)).status).toBeLessThan(300);
    // what is the same already needs no right
    expect((await server.call(method, path, body, SESSION)).status).toBeLessThan(300);
  }
  expect((await server.call('PATCH', '/api/settings', settings({ acp_model: 'x' })[2], SESSION)).status).toBe(200);
});

test.each<[string, Partial<Principal>, number]>([
  ['every right', {}, 200],
  ['limits', { limits: { own: true } }, 403],
  ['no right to administrate', { scopes: ['read', 'run', 'approve'] }, 403],
  ['no right to approve', { scopes: ['read', 'run', 'admin'] }, 403],
])('P10: a key with %s asks a program for its models: %j is %i', async (_, rights, status) => {
  const asked: JsonObject[] = [];
  const server = await startServer({
    principal: () => ({ name: 'ann', scopes: ['read', 'run', 'approve', 'admin'], ...rights }),
    acpModels: async ({ agent }) => {
      asked.push(agent);
      return { name: '', version: '', currentModel: null, models: [] };
    },
  });
  const body = { agent_settings: { acp_command: ['sh', '-c', 'true'] } };
  const answer = await server.call('POST', '/api/acp/models', body, { 'x-session-api-key': 'ann' });
  expect([answer.status, asked.length]).toEqual([status, status === 200 ? 1 : 0]);
});
