import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import type { JsonObject } from '@conv/core';
import { AuthorizationServer, ProtectedMcpServer } from '@conv/testing-harness';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { eventsOf } from '../calls.ts';
import type { Answer } from '../server-process.ts';
import { Bench, idOf } from './bench.ts';

// Several requests describe an agent. Each has to make the same agent of the description.

let bench: Bench;
let authorization: AuthorizationServer;
let guarded: ProtectedMcpServer;
/** The headers of each request to this server, by its path. */
const seen = new Map<string, IncomingHttpHeaders>();
const other = createServer((request, response) => {
  const path = request.url ?? '';
  seen.set(path, { ...seen.get(path), ...request.headers });
  if (path === '/secret') response.end('fetched-0123456789');
  else response.writeHead(404).end();
});
let otherUrl: string;
let number = 0;

beforeAll(async () => {
  authorization = await AuthorizationServer.start();
  guarded = await ProtectedMcpServer.start(authorization);
  bench = await Bench.start({ CONV_MCP_HOSTS: authorization.host });
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  otherUrl = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  await bench.ok('POST', '/api/profiles/spare', { llm: bench.llmOf('spare') });
  await bench.ok('POST', '/api/profiles/calm', { llm: bench.llm });
});

afterAll(async () => {
  await bench.stop();
  await Promise.all([authorization.stop(), guarded.stop()]);
  other.close();
});

type Begin = (parts: JsonObject) => ReturnType<Bench['start']>;

/** Keeps an agent profile and starts a conversation with it. */
async function ofProfile(profile: JsonObject): ReturnType<Bench['start']> {
  const path = `/api/agent-profiles/profile-${++number}`;
  await bench.ok('POST', path, { llm_profile_ref: 'calm', mcp_server_refs: [], ...profile });
  const { profile: kept } = await bench.ok<{ profile: { id: string } }>('GET', path);
  return bench.start({ agent_profile_id: kept.id });
}

const BEGIN: Readonly<Record<string, Begin>> = {
  'POST /api/conversations agent': (parts) =>
    bench.start({ agent: { kind: 'Agent', llm: bench.llm, tools: [], ...parts } }),
  'POST /api/conversations agent_settings': (parts) => bench.start({ agent_settings: { llm: bench.llm, ...parts } }),
  'PATCH /api/settings agent_settings_diff': async (parts) => {
    await bench.ok('PATCH', '/api/settings', { agent_settings_diff: { llm: bench.llm, ...parts } });
    // as OpenHands' web UI begins a conversation by the settings, whose secrets it never sees
    const encrypted = { 'x-expose-secrets': 'encrypted' };
    type Kept = { readonly agent_settings: JsonObject };
    const { body: kept } = await bench.server.call<Kept>('GET', '/api/settings', undefined, encrypted);
    const { mcp_config: servers, ...agent } = kept.agent_settings;
    const own = Object.entries(servers as JsonObject).filter(([name]) => name in Object(parts['mcp_config']));
    const settings = { ...agent, mcp_config: Object.fromEntries(own) };
    return bench.start({ agent_settings: settings, secrets_encrypted: true });
  },
};

/** The ways of {@link BEGIN}, with the part in its place among others. */
function inAgents(place: (part: JsonObject) => JsonObject): Readonly<Record<string, Begin>> {
  return Object.fromEntries(Object.entries(BEGIN).map(([route, begin]) => [route, (part) => begin(place(part))]));
}

const done = (id: string): Promise<Answer<never>> => Promise.resolve({ status: 201, body: { id } as never });

const skill = { content: 'Reef the sails.', is_agentskills_format: false };
const context: JsonObject = {
  system_message_suffix: 'Mind the tide.',
  disabled_skills: ['off'],
  registered_marketplaces: [{ name: 'harbour', source: 'https://harbour.example' }],
  skills: [
    {
      ...skill,
      name: 'always',
      content: 'Always look ahead.',
      resources: { skill_root: '/skills', scripts: ['a.sh'] },
    },
    { ...skill, name: 'off', content: 'Never read.' },
    { ...skill, name: 'word', trigger: { type: 'keyword', keywords: ['storm'] } },
    {
      ...skill,
      name: 'task',
      content: 'Draw a chart.',
      trigger: { type: 'task', triggers: ['/chart'] },
      inputs: [{ name: 'place', description: 'Of which place?' }],
    },
    { ...skill, name: 'path', content: 'Sails are white.', trigger: { type: 'path', paths: ['**/*.sail'] } },
  ],
};

test.each(Object.entries(BEGIN))('%s: the agent is described by the parts that it was sent', async (_, begin) => {
  const llm: JsonObject = { ...bench.llm, usage_id: 'mine', fallback_strategy: { fallback_llms: ['spare'] } };
  const unused = { url: `${otherUrl}/unused`, enabled: false };
  const parts = {
    llm,
    tools: [{ name: 'terminal', params: {} }],
    agent_context: context,
    mcp_config: {
      none: { ...unused, auth: { strategy: 'none' } },
      key: { ...unused, auth: { strategy: 'api_key', header_name: 'x-team' } },
      ours: { ...unused, description: 'ours', auth: { strategy: 'basic', username: 'me' } },
    },
  };
  const id = idOf(await begin(parts));
  const { agent } = await bench.ok<{ agent: JsonObject }>('GET', `/api/conversations/${id}?include_skills=true`);
  const { api_key: _key, ...shown } = llm;
  expect(agent).toMatchObject({ ...parts, llm: shown });
});

test.each(Object.entries(BEGIN))('%s: the model reads what the context of the agent says', async (_, begin) => {
  const { body } = await begin({ tools: [{ name: 'file_editor' }], agent_context: context });
  const { id, workspace } = body;
  const file = join((workspace as { readonly working_dir: string }).working_dir, 'main.sail');
  writeFileSync(file, 'a sail');
  const asked = (): string => JSON.stringify(bench.lastRequest().messages);
  await bench.run(id, 'there is a storm');
  expect(asked()).toContain('Mind the tide.');
  expect(asked()).toContain('Always look ahead.');
  expect(asked()).toContain('Reef the sails.');
  expect(asked()).not.toContain('Never read.');
  expect(asked()).not.toContain('Draw a chart.');
  await bench.run(id, '/chart of the bay');
  expect(asked()).toContain('Draw a chart.');
  expect(asked()).toContain('Of which place?');
  expect(asked()).not.toContain('Sails are white.');
  await bench.run(id, { tool: 'file_editor', arguments: { command: 'view', path: file } });
  expect(asked()).toContain('Sails are white.');
});

const MODELS: Readonly<Record<string, Begin>> = {
  ...inAgents((llm) => ({ llm })),
  'POST /api/conversations/{conversation_id}/switch_llm llm': async (llm) => {
    const id = await bench.plain();
    await bench.ok('POST', `/api/conversations/${id}/switch_llm`, { llm });
    return done(id);
  },
  'POST /api/profiles/{name} llm': async (llm) => {
    const id = await bench.plain();
    await bench.ok('POST', '/api/profiles/kept', { llm });
    await bench.ok('POST', `/api/conversations/${id}/switch_profile`, { profile_name: 'kept' });
    return done(id);
  },
};

test.each(Object.entries(MODELS))(
  '%s: the model is asked as its description says, and a fallback that it names answers for it',
  async (route, begin) => {
    const temperature = Object.keys(MODELS).indexOf(route) / 10 + 0.1;
    const fallbacks = { fallback_strategy: { fallback_llms: ['spare'] } };
    const id = idOf(await begin({ ...bench.llmOf('busy'), temperature, ...fallbacks }));
    expect(await bench.run(id, 'hello')).toBe('finished');
    expect(bench.lastRequest('busy').body['temperature']).toBe(temperature);
    expect(await bench.said(id)).toBe('It is spare.');
  },
);

test('POST /api/profiles/{name}/validate asks the model as its description says', async () => {
  await bench.ok('POST', '/api/profiles/new/validate', { llm: { ...bench.llm, temperature: 0.95 } });
  // the short question is one for a title
  expect(bench.titles.map(({ body }) => body['temperature'])).toContain(0.95);
});

const SECRETS: Readonly<Record<string, Begin>> = {
  ...inAgents((secrets) => ({ tools: [{ name: 'terminal' }], agent_context: { secrets } })),
  'POST /api/conversations secrets': async (secrets) => done(await bench.plain({ secrets })),
  'POST /api/conversations/{conversation_id}/secrets secrets': async (secrets) => {
    const id = await bench.plain();
    await bench.ok('POST', `/api/conversations/${id}/secrets`, { secrets });
    return done(id);
  },
};

test.each(Object.entries(SECRETS))(
  'P9: %s: a secret that is given and one that is looked up reach the command that names them',
  async (_, begin) => {
    seen.clear();
    const given = { kind: 'StaticSecret', value: 'given-0123456789' };
    const headers = { 'x-key': 'lookup-key-0123456789' };
    const looked = { kind: 'LookupSecret', url: `${otherUrl}/secret`, headers };
    const id = idOf(await begin({ GIVEN: given, LOOKED: looked }));
    await bench.run(id, { tool: 'terminal', arguments: { command: 'printf %s "$GIVEN $LOOKED" > values' } });
    type Made = { readonly workspace: { readonly working_dir: string } };
    const { workspace } = await bench.ok<Made>('GET', `/api/conversations/${id}`);
    expect(readFileSync(join(workspace.working_dir, 'values'), 'utf8')).toBe('given-0123456789 fetched-0123456789');
    expect(seen.get('/secret')).toMatchObject(headers);
    expect(JSON.stringify(await eventsOf(bench.server, id))).not.toContain('given-0123456789');
  },
);

const addServers = async (servers: JsonObject, patch: (server: JsonObject) => JsonObject): Promise<void> => {
  for (const [name, server] of Object.entries(servers as Record<string, JsonObject>)) {
    const later = patch(server);
    const now = Object.fromEntries(Object.entries(server).filter(([member]) => !(member in later)));
    await bench.ok('POST', `/api/settings/mcp/${name}`, now);
    if (Object.keys(later).length > 0) await bench.ok('PATCH', `/api/settings/mcp/${name}`, later);
  }
  await bench.ok('PATCH', '/api/settings', { agent_settings_diff: { llm: bench.llm } });
};

const SERVERS: Readonly<Record<string, Begin>> = {
  ...inAgents((servers) => ({ mcp_config: servers })),
  'POST /api/settings/mcp/{key} auth': async (servers) => {
    await addServers(servers, () => ({}));
    return ofProfile({ mcp_server_refs: Object.keys(servers) });
  },
  'PATCH /api/settings/mcp/{key} auth': async (servers) => {
    await addServers(servers, ({ auth = null }) => ({ auth }));
    return ofProfile({ mcp_server_refs: Object.keys(servers) });
  },
};

test.each(Object.entries(SERVERS))('%s: MCP servers are asked with their headers and credentials', async (_, begin) => {
  seen.clear();
  const of = (name: string, auth: JsonObject): JsonObject => ({
    [`${name}-${number}`]: { url: `${otherUrl}/${name}`, headers: { 'x-own': 'mine' }, auth },
  });
  number++;
  const id = idOf(
    await begin({
      ...of('none', { strategy: 'none' }),
      ...of('key', { strategy: 'api_key', header_name: 'x-team', value: 'key-0123456789' }),
      ...of('bearer', { strategy: 'bearer', value: 'bearer-0123456789' }),
      ...of('basic', { strategy: 'basic', username: 'me', password: 'basic-0123456789' }),
      ...of('header', { strategy: 'header', headers: { 'x-more': 'more-0123456789' } }),
    }),
  );
  // none of them is there: who asked, and how, is what counts
  await bench.send(id, 'hello');
  expect(seen.get('/none')).toMatchObject({ 'x-own': 'mine' });
  expect(seen.get('/none')).not.toHaveProperty('authorization');
  expect(seen.get('/key')).toMatchObject({ 'x-own': 'mine', 'x-team': 'key-0123456789' });
  expect(seen.get('/bearer')).toMatchObject({ authorization: 'Bearer bearer-0123456789' });
  expect(seen.get('/basic')).toMatchObject({ authorization: `Basic ${btoa('me:basic-0123456789')}` });
  expect(seen.get('/header')).toMatchObject({ 'x-own': 'mine', 'x-more': 'more-0123456789' });
});

test.each(Object.entries(SERVERS))(
  '%s: an MCP server with oauth2 asks for a login of the client that it names',
  async (_, begin) => {
    const state = { tokens: { access_token: 'token-0123456789' }, client_info: { client_secret: 'secret-0123456789' } };
    const auth = { strategy: 'oauth2', authentication: { type: 'oauth', client_id: 'me' }, state };
    const name = `tickets-${++number}`;
    const id = idOf(await begin({ [name]: { url: guarded.url, auth } }));
    const { status, body } = await bench.send(id, 'hello');
    expect(status).toBe(409);
    expect(body['detail']).toContain(name);
    // its tokens are those of another server
    expect(body['detail']).toMatch(new RegExp(`open ${authorization.issuer}/authorize\\?\\S*client_id=me`));
  },
);

const TOOLS: Readonly<Record<string, Begin>> = {
  ...BEGIN,
  'POST /api/agent-profiles/{name} tools': async (parts) => {
    await bench.ok('PATCH', '/api/settings', { agent_settings_diff: { llm: bench.llm } });
    return ofProfile(parts);
  },
};

test.each(Object.entries(TOOLS))('%s: the agent has the tools that are listed, and no others', async (_, begin) => {
  const id = idOf(await begin({ tools: [{ name: 'task_tracker', params: {} }] }));
  await bench.run(id, 'hello');
  const offered = bench.lastRequest().tools.map(({ name }) => name);
  expect(offered).toContain('task_tracker');
  expect(offered).not.toContain('terminal');
});

test('POST /api/conversations agent: a condenser of each kind is at work', async () => {
  const summarizing = { kind: 'LLMSummarizingCondenser', llm: bench.llm, max_size: 20, keep_first: 1 };
  const none = { kind: 'NoOpCondenser' };
  const condensations = async (condenser: JsonObject): Promise<number> => {
    const id = await bench.make({ agent: { kind: 'Agent', llm: bench.llm, tools: [], condenser } });
    for (const text of ['one', 'two', 'three']) await bench.run(id, text);
    await bench.server.call('POST', `/api/conversations/${id}/condense`);
    return (await eventsOf(bench.server, id)).filter(({ kind }) => kind === 'Condensation').length;
  };
  expect(await condensations(summarizing)).toBe(1);
  expect(await condensations({ kind: 'PipelineCondenser', condensers: [none, summarizing] })).toBe(1);
  expect(await condensations(none)).toBe(0);
});

test('enable_sub_agents, enable_switch_llm_tool, tool_concurrency_limit and condenser of an agent act', async () => {
  const describe = async (settings: JsonObject): Promise<JsonObject> => {
    const { body } = await bench.start({ agent_settings: { llm: bench.llm, ...settings } });
    return body.agent as unknown as JsonObject;
  };
  const names = ({ tools }: JsonObject): unknown[] => (tools as JsonObject[]).map(({ name }) => name);
  const bare = await describe({});
  const full = await describe({
    enable_sub_agents: true,
    enable_switch_llm_tool: false,
    tool_concurrency_limit: 3,
    condenser: { enabled: true, max_size: 77, keep_first: 5 },
  });
  expect(names(full)).toEqual([...names(bare), 'task_tool_set']);
  expect(names(await describe({ enable_sub_agents: true, tools: [{ name: 'task' }] }))).toEqual(['task']);
  expect([bare['include_default_tools'], full['include_default_tools']]).toEqual([
    ['FinishTool', 'ThinkTool', 'SwitchLLMTool'],
    ['FinishTool', 'ThinkTool'],
  ]);
  expect(full).toMatchObject({ tool_concurrency_limit: 3, condenser: { max_size: 77, keep_first: 5 } });
  expect(await describe({ condenser: { enabled: false } })).toMatchObject({ condenser: null });
});

test('settings and profiles with an acp_server alone have the program of this name', async () => {
  const { status, body } = await bench.start({ agent_settings: { agent_kind: 'acp' } });
  expect(status).toBe(201);
  expect(body.agent).toMatchObject({ kind: 'ACPAgent', acp_server: 'claude-code', acp_command: ['claude-agent-acp'] });
  const ofCodex = await ofProfile({ agent_kind: 'acp', acp_server: 'codex' });
  expect(ofCodex.body.agent).toMatchObject({ kind: 'ACPAgent', acp_server: 'codex', acp_command: ['codex-acp'] });
  const members = { acp_server: 'claude-code', acp_command: ['my-claude'], acp_model: 'opus' };
  await bench.ok('PATCH', '/api/settings', { agent_settings_diff: members });
  const others = await ofProfile({ agent_kind: 'acp', acp_server: 'codex' });
  expect(others.body.agent).toMatchObject({ acp_command: ['codex-acp'], acp_model: null });
  expect((await ofProfile({ agent_kind: 'acp', acp_server: 'claude-code' })).body.agent).toMatchObject(members);
  await bench.ok('PATCH', '/api/settings', { agent_settings_diff: { acp_command: [], acp_model: null } });
  const custom = await bench.start({ agent_settings: { agent_kind: 'acp', acp_server: 'custom' } });
  expect([custom.status, JSON.stringify(custom.body)]).toEqual([422, expect.stringContaining('acp_command')]);
});

test('an agent profile has its own system_message_suffix, disabled_skills and tool_concurrency_limit', async () => {
  await bench.ok('PATCH', '/api/settings', { agent_settings_diff: { agent_context: context } });
  const own = { system_message_suffix: 'Own words.', disabled_skills: ['always'], tool_concurrency_limit: 4 };
  const { status, body } = await ofProfile({ llm_profile_ref: 'spare', ...own });
  expect([status, (body.agent as unknown as JsonObject)['tool_concurrency_limit']]).toEqual([201, 4]);
  await bench.run(body.id, 'hello');
  const read = JSON.stringify(bench.lastRequest('spare').messages);
  expect(read).toContain('Own words.');
  expect(read).not.toContain('Always look ahead.');
});
