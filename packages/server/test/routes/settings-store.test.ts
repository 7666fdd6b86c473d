import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { JsonObject } from '@conv/core';
import type { agentProfileRoutes, llmProfileRoutes, RouteTypes, SettingsResponse } from '@conv/openhands/rest';
import { beforeEach, describe, expect, it } from 'vitest';

import { SettingsStore } from '../../src/settings/settings-store.ts';
import { testCipher as cipher } from '../support/test-cipher.ts';
import { startServer, type Answer, type TestServer } from '../support/test-server.ts';

type AgentProfileList = RouteTypes<typeof agentProfileRoutes.list>['answer'];
type LlmProfileDetail = RouteTypes<typeof llmProfileRoutes.get>['answer'];

const KEY = 'sk-very-secret-0123456789';
const plain = { 'x-expose-secrets': 'plaintext' };

let server: TestServer;
let folder: string;

beforeEach(async () => {
  const outer = await startServer();
  folder = join(outer.folder, 'kept');
  server = await startServer({ cipher, settingsStore: new SettingsStore(folder, cipher) });
});

function call<Body = JsonObject>(
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
): Promise<Answer<Body>> {
  return server.call<Body>(method, path, body, headers);
}

describe('settings', () => {
  const setKey = () =>
    call<SettingsResponse>('PATCH', '/api/settings', { agent_settings_diff: { llm: { model: 'm', api_key: KEY } } });

  it('settings come with their secrets as asterisks, encrypted, or as they are', async () => {
    expect((await setKey()).body).toMatchObject({
      llm_api_key_is_set: true,
      agent_settings: { llm: { api_key: '**********' } },
    });
    const keyOf = async (headers?: Record<string, string>) =>
      (await call<{ agent_settings: { llm: { api_key: string } } }>('GET', '/api/settings', undefined, headers)).body
        .agent_settings.llm.api_key;
    expect(await keyOf()).toBe('**********');
    expect(cipher.decrypt(await keyOf({ 'x-expose-secrets': 'encrypted' }))).toBe(KEY);
    expect(await keyOf(plain)).toBe(KEY);
    expect(await keyOf({ 'x-expose-secrets': 'true' })).toBe(KEY);
    expect((await call('GET', '/api/settings', undefined, { 'x-expose-secrets': 'please' })).status).toBe(400);
    expect(readFileSync(join(folder, 'settings.json'), 'utf8')).not.toContain(KEY);
  });

  it('settings are never encrypted without a key of the server', async () => {
    const bare = await startServer({ settingsStore: new SettingsStore(folder, undefined) });
    const answer = await bare.call('GET', '/api/settings', undefined, { 'x-expose-secrets': 'encrypted' });
    expect(answer.status).toBe(503);
  });

  it('settings are changed in part, and refused where they make no sense, with a name and no value', async () => {
    expect((await call('PATCH', '/api/settings', {})).status).toBe(400);
    await setKey();
    const wrong = await call('PATCH', '/api/settings', {
      agent_settings_diff: { tool_concurrency_limit: 'many', llm: { api_key: KEY } },
    });
    expect(wrong.status).toBe(422);
    expect(JSON.stringify(wrong.body)).toContain('tool_concurrency_limit');
    expect(JSON.stringify(wrong.body)).not.toContain(KEY);
    const { body } = await call<SettingsResponse>('PATCH', '/api/settings', { misc_settings_diff: { theme: 'dark' } });
    expect(body).toMatchObject({ misc_settings: { theme: 'dark' }, agent_settings: { llm: { model: 'm' } } });
  });

  it('settings of newer releases are kept and shown, merged by their names, with their secrets hidden', async () => {
    const change = async (diff: JsonObject) => (await call('PATCH', '/api/settings', diff)).body;
    expect(await change({ active_plan_of_tomorrow: 'fast' })).toMatchObject({ active_plan_of_tomorrow: 'fast' });
    await change({ routing_of_tomorrow_diff: { by: { cost: 1 }, llm: { api_key: KEY } } });
    await change({ routing_of_tomorrow_diff: { by: { speed: 2 } }, misc_settings_diff: { theme: 'dark' } });
    const shown = {
      active_plan_of_tomorrow: 'fast',
      routing_of_tomorrow: { by: { cost: 1, speed: 2 }, llm: { api_key: '**********' } },
    };
    expect((await call('GET', '/api/settings')).body).toMatchObject(shown);
    expect((await call('GET', '/api/settings', undefined, plain)).body).toMatchObject({
      routing_of_tomorrow: { llm: { api_key: KEY } },
    });
    expect(readFileSync(join(folder, 'settings.json'), 'utf8')).not.toContain(KEY);
    expect(await change({ active_plan_of_tomorrow: null })).toMatchObject({ active_plan_of_tomorrow: null });
    expect((await call('PATCH', '/api/settings', { routing_of_tomorrow_diff: null })).status).toBe(400);
  });

  it('P9: settings that no schema describes hide what their names call a key, token, secret or password', async () => {
    const secrets = {
      tavily_api_key: KEY,
      search_of_tomorrow: [{ accessToken: KEY, engine: 'fast' }],
      fallback_api_key: [KEY, { of: [KEY], weight: 2, from: '${ROUTER_KEY}' }],
      router_token: { first: KEY, others: { second: KEY } },
      misc_settings: { login: { password: KEY } },
      agent_settings: { routerSecret: KEY, verification: { judge_token: KEY } },
      conversation_settings: { signing_key: KEY, max_iterations: 7 },
    };
    const { misc_settings, agent_settings, conversation_settings, ...newer } = secrets;
    const diffs = {
      misc_settings_diff: misc_settings,
      agent_settings_diff: agent_settings,
      conversation_settings_diff: conversation_settings,
    };
    const changed = await call<SettingsResponse>('PATCH', '/api/settings', { ...newer, ...diffs });
    const shown = JSON.parse(JSON.stringify(secrets).replaceAll(KEY, '**********')) as typeof secrets;
    expect(changed.body).toMatchObject(shown);
    expect(JSON.stringify(changed.body)).not.toContain('gAAAAA');
    expect((await call('GET', '/api/settings')).body).toEqual(changed.body);
    const encrypted = await call('GET', '/api/settings', undefined, { 'x-expose-secrets': 'encrypted' });
    expect(JSON.stringify(encrypted.body)).not.toContain(KEY);
    expect(readFileSync(join(folder, 'settings.json'), 'utf8')).not.toContain(KEY);
    // a client sends back what it was shown
    await call('PATCH', '/api/settings', {
      search_of_tomorrow: shown.search_of_tomorrow,
      fallback_api_key: shown.fallback_api_key,
      router_token: shown.router_token,
      tavily_api_key: '**********',
    });
    expect((await call('GET', '/api/settings', undefined, plain)).body).toMatchObject(secrets);
  });

  it('P9: settings that an earlier version stored as they are hide their secrets, too', async () => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'settings.json'), JSON.stringify({ schema_version: 2, tavily_api_key: KEY }));
    for (const headers of [{}, { 'x-expose-secrets': 'encrypted' }])
      expect(JSON.stringify((await call('GET', '/api/settings', undefined, headers)).body)).not.toContain(KEY);
    expect((await call('GET', '/api/settings', undefined, plain)).body).toMatchObject({ tavily_api_key: KEY });
    await call('PATCH', '/api/settings', { active_profile_of_tomorrow: 'x' });
    expect(readFileSync(join(folder, 'settings.json'), 'utf8')).not.toContain(KEY);
  });

  it('settings are not replaced whole by a member with the name of their answer', async () => {
    await setKey();
    const { status } = await call('PATCH', '/api/settings', { llm_api_key_is_set: false, schema_version: 99 });
    expect(status).toBe(400);
    await call('PATCH', '/api/settings', { agent_settings: {}, active_profile_of_tomorrow: 'x' });
    expect((await call('GET', '/api/settings')).body).toMatchObject({
      llm_api_key_is_set: true,
      agent_settings: { llm: { model: 'm' } },
    });
  });

  it('settings of a damaged file are 409, and the file stays', async () => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'settings.json'), 'nonsense');
    for (const [method, body] of [
      ['GET', undefined],
      ['PATCH', { active_profile: 'x' }],
    ] as const)
      expect((await call(method, '/api/settings', body)).status).toBe(409);
    expect(readFileSync(join(folder, 'settings.json'), 'utf8')).toBe('nonsense');
  });

  it('settings have forms', async () => {
    for (const path of ['/api/settings/agent-schema', '/api/settings/conversation-schema']) {
      const { body } = await call<{ sections: { fields: { key: string; label: string }[] }[] }>('GET', path);
      expect(body.sections.flatMap(({ fields }) => fields).every(({ key, label }) => key !== '' && label !== '')).toBe(
        true,
      );
    }
  });

  it('settings hold MCP servers', async () => {
    const server = { command: 'npx', args: ['-y', 'x'], env: { TOKEN: KEY } };
    expect((await call('POST', '/api/settings/mcp/files', server)).status).toBe(201);
    expect((await call('POST', '/api/settings/mcp/files', server)).status).toBe(409);
    const patched = await call<SettingsResponse>('PATCH', '/api/settings/mcp/files', { enabled: false });
    expect(patched.body.agent_settings['mcp_config']).toMatchObject({
      files: { command: 'npx', enabled: false, env: { TOKEN: '**********' } },
    });
    expect((await call('PATCH', '/api/settings/mcp/gone', {})).status).toBe(404);
    expect((await call('DELETE', '/api/settings/mcp/files')).status).toBe(200);
    expect((await call('DELETE', '/api/settings/mcp/files')).status).toBe(404);
    expect((await call('POST', '/api/settings/mcp/bad', { command: 7 })).status).toBe(422);
  });

  it('settings take disabled for MCP servers, as other programs write it, and keep enabled', async () => {
    const patch = (server: JsonObject) =>
      call<SettingsResponse>('PATCH', '/api/settings', { agent_settings_diff: { mcp_config: { files: server } } });
    const stored = ({ body }: { readonly body: SettingsResponse }) =>
      (body.agent_settings['mcp_config'] as JsonObject)['files'];
    const off = await patch({ command: 'npx', disabled: true });
    expect(off.status).toBe(200);
    expect(stored(off)).toEqual({ command: 'npx', enabled: false });
    expect(stored(await patch({ disabled: false }))).toEqual({ command: 'npx', enabled: true });
    expect((await patch({ disabled: 'yes' })).status).toBe(422);
    const added = await call<SettingsResponse>('POST', '/api/settings/mcp/more', { command: 'npx', disabled: true });
    expect(added.body.agent_settings['mcp_config']).toMatchObject({ more: { command: 'npx', enabled: false } });
  });

  it('settings take disabled in a change of one MCP server, and keep enabled', async () => {
    await call('POST', '/api/settings/mcp/files', { command: 'npx' });
    const change = async (patch: JsonObject): Promise<unknown> => {
      const { status, body } = await call<SettingsResponse>('PATCH', '/api/settings/mcp/files', patch);
      return status === 200 ? (body.agent_settings['mcp_config'] as JsonObject)['files'] : status;
    };
    expect(await change({ disabled: true })).toEqual({ command: 'npx', enabled: false });
    expect(await change({ disabled: null, cwd: '/tmp' })).toEqual({ command: 'npx', enabled: false, cwd: '/tmp' });
    expect(await change({ disabled: false })).toEqual({ command: 'npx', enabled: true, cwd: '/tmp' });
    expect(await change({ disabled: false, enabled: false })).toMatchObject({ enabled: false });
    expect(await change({ disabled: 'perhaps' })).toBe(422);
  });
});

describe('secrets', () => {
  it('secrets are kept, listed without values, handed out as text and forgotten', async () => {
    const put = await call('PUT', '/api/settings/secrets', { name: 'TOKEN', value: KEY, description: 'of a service' });
    expect(put).toMatchObject({ status: 200, body: { name: 'TOKEN', description: 'of a service' } });
    const listed = await call('GET', '/api/settings/secrets');
    expect(listed.body).toEqual({ secrets: [{ name: 'TOKEN', description: 'of a service' }] });
    const value = await call<string>('GET', '/api/settings/secrets/TOKEN');
    expect([value.body, value.headers.get('content-type'), value.headers.get('cache-control')]).toEqual([
      KEY,
      'text/plain',
      'no-store',
    ]);
    expect((await call('DELETE', '/api/settings/secrets/TOKEN')).body).toEqual({ deleted: true });
    for (const method of ['GET', 'DELETE'])
      expect((await call(method, '/api/settings/secrets/TOKEN')).status).toBe(404);
  });

  it.each(['', '1x', 'a-b', 'x'.repeat(65), '../x'])('secrets are never called %j', async (name) => {
    expect((await call('PUT', '/api/settings/secrets', { name, value: 'v' })).status).toBe(422);
  });
});

describe('profiles of models', () => {
  it('profiles of models are kept, shown as asked for, activated, renamed and removed', async () => {
    const saved = await call('POST', '/api/profiles/fast', { llm: { model: 'openai/fast', api_key: KEY } });
    expect(saved).toMatchObject({ status: 201, body: { name: 'fast' } });
    expect((await call<LlmProfileDetail>('GET', '/api/profiles/fast')).body).toMatchObject({
      api_key_set: true,
      config: { model: 'openai/fast', api_key: null },
    });
    expect((await call<LlmProfileDetail>('GET', '/api/profiles/fast', undefined, plain)).body.config['api_key']).toBe(
      KEY,
    );
    expect((await call('POST', '/api/profiles/fast/activate')).body).toMatchObject({ name: 'fast', llm_applied: true });
    expect((await call('GET', '/api/settings', undefined, plain)).body).toMatchObject({
      active_profile: 'fast',
      agent_settings: { llm: { model: 'openai/fast', api_key: KEY } },
    });
    await call('POST', '/api/agent-profiles/coder', { llm_profile_ref: 'fast' });
    expect((await call('POST', '/api/profiles/fast/rename', { new_name: 'quick' })).body).toMatchObject({
      name: 'quick',
    });
    expect((await call('GET', '/api/profiles')).body).toMatchObject({
      active_profile: 'quick',
      profiles: [{ name: 'quick' }],
    });
    expect((await call('GET', '/api/agent-profiles/coder')).body).toMatchObject({
      profile: { llm_profile_ref: 'quick' },
    });
    expect((await call('POST', '/api/profiles/quick/rename', { new_name: 'quick' })).body).toEqual({
      name: 'quick',
      message: "Profile 'quick' unchanged (same name)",
    });
    expect(await call('DELETE', '/api/profiles/quick')).toMatchObject({
      status: 409,
      body: { detail: 'LLM profile is referenced by 1 agent profile(s): coder' },
    });
    await call('DELETE', '/api/agent-profiles/coder');
    expect((await call('DELETE', '/api/profiles/quick')).status).toBe(200);
    expect((await call('DELETE', '/api/profiles/quick')).status).toBe(200);
    expect((await call('GET', '/api/profiles')).body).toEqual({ active_profile: null, profiles: [] });
  });

  it('missing profiles are 404, taken names are 409, and invalid profiles are 422', async () => {
    await call('POST', '/api/profiles/a', { llm: { model: 'x' } });
    await call('POST', '/api/profiles/b', { llm: { model: 'x' } });
    expect((await call('POST', '/api/profiles/a/rename', { new_name: 'b' })).status).toBe(409);
    expect((await call('POST', '/api/profiles/c/rename', { new_name: 'd' })).status).toBe(404);
    expect((await call('GET', '/api/profiles/c')).status).toBe(404);
    expect((await call('POST', '/api/profiles/c/activate')).status).toBe(404);
    expect((await call('POST', '/api/profiles/..%2Fsettings', { llm: { model: 'x' } })).status).toBe(422);
    for (const body of [{}, { model: 'x' }, { llm: { model: 7 } }])
      expect((await call('POST', '/api/profiles/a/validate', body)).status).toBe(422);
    const checked = await call('POST', '/api/profiles/a/validate', { llm: { model: 'x' } });
    expect(checked.body).toEqual({ valid: true, error: null });
  });
});

describe('profiles of agents', () => {
  it('profiles of agents begin with one, and say what they resolve to', async () => {
    const { body } = await call<AgentProfileList>('GET', '/api/agent-profiles');
    expect(body.profiles).toMatchObject([{ name: 'default', revision: 0 }]);
    await call('POST', '/api/agent-profiles/writer', { llm_profile_ref: 'gone', mcp_server_refs: ['none'] });
    const { body: found } = await call<{ profile: { id: string } }>('GET', '/api/agent-profiles/writer');
    expect((await call('POST', '/api/agent-profiles/writer/materialize')).body).toMatchObject({
      valid: false,
      errors: ["LLM profile 'gone' not found", 'MCP server(s) not configured: none'],
      dangling_mcp_server_refs: ['none'],
    });
    expect((await call('POST', `/api/agent-profiles/${found.profile.id}/activate`)).status).toBe(200);
    expect((await call('GET', '/api/settings')).body).toMatchObject({ active_agent_profile_id: found.profile.id });
    expect((await call('DELETE', '/api/agent-profiles/writer')).status).toBe(200);
    const [first] = body.profiles;
    expect((await call('GET', '/api/settings')).body).toMatchObject({ active_agent_profile_id: first?.id });
    expect((await call('GET', '/api/agent-profiles/writer')).status).toBe(404);
  });
});

it.each([
  { active_agent_profile_id: 'not-an-id' },
  { active_agent_profile_id: '11111111222243338444555555555555' },
  { active_profile: '.hidden' },
  { active_meta_profile: 'two words' },
])('names that no profile can have are refused as wrong, and others as unknown: %j', async (wrong) => {
  const { status, body } = await call('PATCH', '/api/settings', wrong);
  const [member = ''] = Object.keys(wrong);
  expect([status, body]).toMatchObject([422, { detail: [{ loc: ['body', member] }] }]);
  const unknown = member === 'active_agent_profile_id' ? '11111111-2222-4333-8444-555555555555' : 'none';
  expect((await call('PATCH', '/api/settings', { [member]: unknown })).status).toBe(404);
});

it('folders that clients work in are listed, added and removed', async () => {
  const item = { id: 'a', name: 'A', path: '/a', parentPath: null };
  expect((await call('POST', '/api/workspaces', { workspaces: [item] })).body).toEqual({
    workspaces: [{ id: 'a', name: 'A', path: '/a' }],
    workspaceParents: [],
  });
  await call('POST', '/api/workspaces/parents', { parents: [{ id: 'p', name: 'P', path: '/p' }] });
  expect((await call('DELETE', '/api/workspaces?path=%2Fa')).body).toEqual({ deleted: true });
  expect((await call('DELETE', '/api/workspaces?path=%2Fa')).status).toBe(404);
  expect((await call('GET', '/api/workspaces')).body).toEqual({
    workspaces: [],
    workspaceParents: [{ id: 'p', name: 'P', path: '/p' }],
  });
});
