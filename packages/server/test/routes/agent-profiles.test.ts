import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { JsonObject } from '@conv/core';
import type { AgentProfileDiagnostics, ConversationInfo, SettingsResponse } from '@conv/openhands/rest';
import { beforeEach, describe, expect, test } from 'vitest';

import { SettingsStore } from '../../src/settings/settings-store.ts';
import { testCipher as cipher } from '../support/test-cipher.ts';
import { skill, testPlugins } from '../support/test-plugins.ts';
import { newConversation, startServer, type Answer, type TestServer } from '../support/test-server.ts';

const KEY = 'sk-of-profiles-0123456789';
const llm = { model: 'scripted', api_key: KEY };

let server: TestServer;
let folder: string;

beforeEach(async () => {
  const outer = await startServer();
  folder = join(outer.folder, 'kept');
  const settingsStore = new SettingsStore(folder, cipher);
  server = await startServer({
    cipher,
    settingsStore,
    profiles: settingsStore,
    about: { tools: ['terminal', 'file_editor', 'task_tracker'] },
    plugins: testPlugins({
      skills: [skill('mine'), skill('shared', 'Of the user.')],
      publicSkills: [skill('open'), skill('shared', 'Public.'), skill('other')],
    }),
  });
});

function call<Body = JsonObject>(method: string, path: string, body?: unknown): Promise<Answer<Body>> {
  return server.call<Body>(method, path, body);
}

const settings = async (): Promise<SettingsResponse> => (await call<SettingsResponse>('GET', '/api/settings')).body;

/** Stores a profile. Resolves with its id. */
async function keep(name: string, profile: JsonObject = {}): Promise<string> {
  expect((await call('POST', `/api/agent-profiles/${name}`, { llm_profile_ref: 'base', ...profile })).status).toBe(201);
  return (await call<{ profile: { id: string } }>('GET', `/api/agent-profiles/${name}`)).body.profile.id;
}

async function diagnosed(name: string, profile?: JsonObject): Promise<AgentProfileDiagnostics> {
  const draft = profile && { profile: { llm_profile_ref: 'base', ...profile } };
  return (await call<AgentProfileDiagnostics>('POST', `/api/agent-profiles/${name}/materialize`, draft)).body;
}

async function started(id: string): Promise<Answer<ConversationInfo & JsonObject>> {
  const body = { ...newConversation(server.folder), agent: null, agent_profile_id: id };
  return call('POST', '/api/conversations?include_skills=true', body);
}

function contextOf({ body }: Answer<ConversationInfo>): JsonObject {
  return body.agent['agent_context'] as JsonObject;
}

const namesOf = ({ skills }: JsonObject): unknown => (skills as readonly JsonObject[]).map(({ name }) => name);

describe('an agent of a profile', () => {
  test.for([
    [{}, ['open', 'shared', 'other', 'mine']],
    [{ disabled_skills: ['open', 'mine', 'gone'] }, ['shared', 'other']],
    [{ public_skills: ['other', 'gone'] }, ['other', 'mine', 'shared']],
    [{ public_skills: [], disabled_skills: ['shared'] }, ['mine']],
  ] as const)('an agent of a profile with %j has the skills that its diagnosis names', async ([profile, names]) => {
    await call('POST', '/api/profiles/base', { llm });
    const id = await keep('learner', profile as JsonObject);
    const found = await diagnosed('learner');
    expect(new Set(found.resolved_skills)).toEqual(new Set(names));
    const resolved = found.resolved_settings?.['agent_context'] as JsonObject;
    expect(namesOf(resolved)).toEqual(found.resolved_skills);
    const context = contextOf(await started(id));
    expect(namesOf(context)).toEqual(found.resolved_skills);
    expect(JSON.stringify(context)).not.toContain('Public.');
  });

  test('a new profile keeps the id that it was sent with, and its revision counts its changes', async () => {
    const id = '11111111-2222-4333-8444-555555555555';
    expect(await keep('known', { id, revision: 7 })).toBe(id);
    expect(await keep('known', { id: '22222222-2222-4333-8444-555555555555' })).toBe(id);
    const { body } = await call<{ profiles: readonly JsonObject[] }>('GET', '/api/agent-profiles');
    expect(body.profiles.find(({ name }) => name === 'known')).toMatchObject({ id, revision: 1 });
  });

  test.each(['id', 'revision', 'agent', 'condenser', 'verification', 'schema_version'])(
    'a profile with a wrong %s is refused',
    async (member) => {
      const wrong = { llm_profile_ref: 'base', [member]: [] };
      expect((await call('POST', '/api/agent-profiles/a', wrong)).status).toBe(422);
      expect((await call('POST', '/api/agent-profiles/a/materialize', { profile: wrong })).status).toBe(422);
    },
  );

  test('P9: variables of a program, as old clients send them, are stored nowhere', async () => {
    const program = { acp_server: 'custom', acp_command: ['cat'], acp_env: { SERVICE: 'value-of-a-variable' } };
    const changed = await call('PATCH', '/api/settings', { agent_settings_diff: { agent_kind: 'acp', ...program } });
    expect([changed.status, JSON.stringify(changed.body)]).toEqual([200, expect.not.stringContaining('acp_env')]);
    for (const kind of [{ agent_kind: 'acp' }, { llm_profile_ref: 'base' }]) {
      const { status, body } = await call('POST', '/api/agent-profiles/program', { ...kind, ...program });
      expect([status, body]).toMatchObject([422, { detail: [{ loc: ['body', 'acp_env'] }] }]);
    }
    for (const sent of [{ agent: { kind: 'Agent', llm, ...program } }, { agent_settings: { llm, ...program } }]) {
      const made = await call<ConversationInfo>('POST', '/api/conversations', {
        ...newConversation(server.folder),
        agent: null,
        ...sent,
      });
      expect(made.status).toBe(201);
      expect(made.body.agent).not.toHaveProperty('acp_env');
      expect(made.body['ignored_members']).toContainEqual(expect.stringContaining('acp_env'));
      expect(JSON.stringify(made.body)).not.toContain('value-of-a-variable');
    }
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
    expect(files.length).toBeGreaterThan(0);
    for (const file of files)
      expect(readFileSync(join(file.parentPath, file.name), 'utf8')).not.toContain('value-of-a-variable');
  });

  test('the condenser of a profile is that of its agent', async () => {
    await call('POST', '/api/profiles/base', { llm });
    const id = await keep('brief', { condenser: { enabled: true, max_size: 33 } });
    expect((await started(id)).body.agent).toMatchObject({ condenser: { max_size: 33 } });
    const without = await keep('long', { condenser: { enabled: false } });
    expect((await started(without)).body.agent['condenser']).toBeNull();
  });

  test('an agent of a profile takes its MCP servers and its model from the settings, and nothing else', async () => {
    await call('POST', '/api/profiles/base', { llm });
    for (const name of ['files', 'web'])
      await call('POST', `/api/settings/mcp/${name}`, { url: `https://${name}.example` });
    const context = { system_message_suffix: 'Of the settings.', load_memory: true };
    await call('PATCH', '/api/settings', {
      agent_settings_diff: { agent_context: context, tool_concurrency_limit: 7 },
    });
    await keep('worker', { mcp_server_refs: ['web', 'files', 'web'], system_message_suffix: 'Of the profile.' });
    const found = await diagnosed('worker');
    expect(found).toMatchObject({ valid: true, errors: [], resolved_mcp_config_keys: ['web', 'files'] });
    expect(found.resolved_settings).toMatchObject({
      llm: { model: 'scripted', api_key: '**********' },
      tool_concurrency_limit: 1,
      agent_context: { system_message_suffix: 'Of the profile.', load_memory: true, load_project_skills: true },
    });
  });

  test('an agent of a profile does not start while references of the profile lead nowhere', async () => {
    const id = await keep('lost', { mcp_server_refs: ['none', 'gone', 'none'] });
    const errors = ["LLM profile 'base' not found", 'MCP server(s) not configured: none, gone'];
    expect(await diagnosed('lost')).toMatchObject({
      valid: false,
      errors,
      llm_profile_resolved: false,
      dangling_mcp_server_refs: ['none', 'gone'],
      resolved_skills: [],
      resolved_settings: null,
    });
    const refused = {
      code: 'unresolved_profile_references',
      message: errors.join('; '),
      dangling_llm_profile_ref: 'base',
      dangling_mcp_server_refs: ['none', 'gone'],
      dangling_meta_profile_ref: null,
      dangling_meta_profile_llm_refs: [],
    };
    expect(await started(id)).toMatchObject({ status: 422, body: { detail: refused } });
    await call('POST', '/api/profiles/base', { llm });
    const half = await diagnosed('lost');
    expect(half).toMatchObject({ valid: false, llm_profile_resolved: true, llm_api_key_set: true });
    expect(half.resolved_skills).toHaveLength(4);
  });

  test('the diagnosis of a profile tells of a provider connection that does not exist', async () => {
    await call('POST', '/api/profiles/base', { llm: { model: 'openai/m', provider_connection_id: 'gone' } });
    const found = await diagnosed('any', {});
    expect(found).toMatchObject({ valid: false, llm_profile_resolved: false, resolved_skills: [] });
    expect(found.errors).toEqual([expect.stringContaining("Failed to build agent settings: LLM profile 'base': ")]);
  });
});

describe('the active profile of agents', () => {
  test('the active profile is one of the settings until a client stores one', async () => {
    const diff = {
      llm: { model: 'm', api_key: KEY },
      tool_concurrency_limit: 3,
      agent_context: { disabled_skills: ['x'] },
    };
    await call('PATCH', '/api/settings', { agent_settings_diff: diff });
    const { body } = await call('GET', '/api/agent-profiles');
    const [{ id }] = body['profiles'] as unknown as readonly [{ readonly id: string }];
    expect(body).toMatchObject({
      active_agent_profile_id: id,
      profiles: [{ name: 'default', llm_profile_ref: 'default' }],
    });
    expect((await settings()).active_agent_profile_id).toBe(id);
    expect((await call('GET', '/api/agent-profiles/default')).body['profile']).toMatchObject({
      tool_concurrency_limit: 3,
      disabled_skills: ['x'],
      public_skills: null,
      condenser: { enabled: true },
    });
    // the reader of 1.43.1 refuses the members of later releases
    const stored = readFileSync(join(folder, 'agent-profiles', 'default.json'), 'utf8');
    expect(Object.keys(JSON.parse(stored) as object)).not.toContain('persona');
    expect(stored).not.toContain('critic_api_key');
    expect((await call('GET', '/api/profiles/default')).body).toMatchObject({
      config: { model: 'm' },
      api_key_set: true,
    });
    expect(await diagnosed('default')).toMatchObject({ valid: true });
  });

  test('two first lists at once make one profile, and a caller who may only read makes none', async () => {
    const settingsStore = new SettingsStore(join(folder, 'other'), cipher);
    const reader = await startServer({ cipher, settingsStore, principal: () => ({ name: 'ann', scopes: ['read'] }) });
    const { body: seen } = await reader.call('GET', '/api/agent-profiles', undefined, { 'x-session-api-key': 'ann' });
    expect(seen).toEqual({ profiles: [], active_agent_profile_id: null });
    const list = async (): Promise<JsonObject> => (await call('GET', '/api/agent-profiles')).body;
    const [one, other] = await Promise.all([list(), list()]);
    expect(one).toEqual(other);
    expect(one).toMatchObject({ profiles: [{ name: 'default', revision: 0 }] });
  });

  test('the active profile of a server without settings names a model that does not exist yet', async () => {
    await call('GET', '/api/agent-profiles');
    expect((await call('GET', '/api/profiles')).body).toMatchObject({ profiles: [] });
    expect(await diagnosed('default')).toMatchObject({ errors: ["LLM profile 'default' not found"] });
  });

  test('the active profile is the default one again after it was deleted', async () => {
    const id = await keep('chosen');
    expect((await call('POST', `/api/agent-profiles/${id}/activate`)).body).toEqual({
      id,
      message: `Agent profile '${id}' activated`,
      agent_settings_applied: false,
    });
    expect((await settings()).active_agent_profile_id).toBe(id);
    await call('DELETE', '/api/agent-profiles/chosen');
    const { body } = await call<{ profile: { id: string } }>('GET', '/api/agent-profiles/default');
    expect((await settings()).active_agent_profile_id).toBe(body.profile.id);
  });

  test('profiles of agents are at most 50, and one of them can still be replaced', async () => {
    for (let count = 0; count < 50; count++) await keep(`p${count}`);
    expect((await call('POST', '/api/agent-profiles/more', { llm_profile_ref: 'base' })).status).toBe(409);
    await keep('p7');
  });
});
