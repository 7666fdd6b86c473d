import { join } from 'node:path';
import { type Hooks, type JsonObject, type StoredHooks } from '@conv/core';
import type { ConversationInfo } from '@conv/openhands/rest';
import { describe, expect, test } from 'vitest';

import type { Scope } from '../../src/auth/principal.ts';
import { newConversation, startServer, type TestServer, type TestServerOptions } from '../support/test-server.ts';
import { hooks, plugin, skill, testPlugins, type TestPluginsOptions } from '../support/test-plugins.ts';

/** Hooks that do nothing and are stored as they are. */
const revive = (config: StoredHooks): Hooks => {
  if (JSON.stringify(config).includes('impossible')) throw new Error('an impossible command');
  return { config, start: () => ({}) } as unknown as Hooks;
};

function serverWith(options: TestPluginsOptions, more: TestServerOptions = {}): Promise<TestServer> {
  return startServer({ plugins: testPlugins(options), hooks: revive, ...more });
}

/** Starts a conversation whose agent has this context. Resolves with the answer, skills included. */
async function start(server: TestServer, context: JsonObject = {}, more: JsonObject = {}, key?: string) {
  const body = newConversation(server.folder);
  const agent = { ...(body['agent'] as JsonObject), agent_context: context };
  const headers: Record<string, string> = key === undefined ? {} : { 'x-session-api-key': key };
  const path = '/api/conversations?include_skills=true';
  return server.call<ConversationInfo & JsonObject>('POST', path, { ...body, agent, ...more }, headers);
}

/** Resolves with the texts of the agent's skills by name. */
async function skillsOf(...given: Parameters<typeof start>): Promise<Readonly<Record<string, unknown>>> {
  const { status, body } = await start(...given);
  expect([status, body['detail']]).toEqual([201, undefined]);
  const { skills = [] } = body.agent['agent_context'] as { readonly skills?: readonly JsonObject[] };
  return Object.fromEntries(skills.map(({ name, content }) => [name, content]));
}

describe('an agent of a new conversation', () => {
  test('a new agent has the skills of the user if its context asks for them, and its own ones win', async () => {
    const server = await serverWith({ skills: [skill('one'), skill('two')] });
    expect(await skillsOf(server)).toEqual({});
    const own = [skill('two', 'My own.')];
    expect(await skillsOf(server, { load_user_skills: true, skills: own })).toEqual({
      two: 'My own.',
      one: 'Text of one.',
    });
  });

  test('a new agent has the skills and plugins of its project on request, and those of the project win', async () => {
    const server = await serverWith({
      skills: [skill('rule')],
      projectSkills: [skill('rule', 'Of the project.')],
      project: [plugin('local')],
    });
    const context = { load_user_skills: true, skills: [skill('rule', 'Sent.')] };
    expect(await skillsOf(server, context)).toEqual({ rule: 'Sent.' });
    expect(await skillsOf(server, { ...context, load_project_skills: true })).toEqual({
      rule: 'Of the project.',
      'local-skill': 'Text of local-skill.',
    });
  });

  test('a new agent has all that plugins of the request and of the user bring, one plugin of each name', async () => {
    const definition = (name: string, description: string): JsonObject => ({ name, description });
    const chosen = plugin('chosen', {
      skills: [skill('same', 'Of the plugin.')],
      hooks: hooks('chosen.sh'),
      mcpServers: { files: { command: 'of-plugin' } },
      agents: [definition('helper', 'Of the plugin.'), definition('other', 'Of the plugin.')],
    });
    const user = [plugin('chosen', { skills: [skill('never')] }), plugin('own', { hooks: hooks('own.sh') })];
    const server = await serverWith({ sources: { 'github:some/chosen': chosen }, user });
    const { status, body } = await start(
      server,
      { skills: [skill('same', 'Sent.')] },
      {
        plugins: [{ source: 'github:some/chosen' }],
        hook_config: hooks('sent.sh') as unknown as JsonObject,
        agent_definitions: [definition('helper', 'Sent.')],
      },
    );
    expect(status).toBe(201);
    expect(body.agent).toMatchObject({
      agent_context: { skills: [{ name: 'same', content: 'Of the plugin.' }, { name: 'own-skill' }] },
      mcp_config: { files: { command: 'of-plugin' } },
    });
    const commands = JSON.stringify(body.hook_config).match(/\w+\.sh/g);
    expect(commands).toEqual(['sent.sh', 'chosen.sh', 'own.sh']);
    const { fields } = (await server.host.read(body.id)) ?? {};
    expect(fields?.extra.meta).toMatchObject({
      plugins: [{ source: 'github:some/chosen', ref: null, repo_path: null }],
      agent_definitions: [{ name: 'helper', description: 'Sent.' }, { name: 'other' }],
    });
  });

  test('an agent of a profile has the public skills that it names, beside those of the user', async () => {
    const id = '00000000-0000-4000-8000-00000000000a';
    const launched = { agent_profile_id: id, revision: 0 };
    const { llm = {} } = newConversation('/')['agent'] as JsonObject;
    const server = await serverWith(
      { skills: [skill('mine')], publicSkills: [skill('one'), skill('two'), skill('mine', 'Public.')] },
      {
        profiles: {
          llm: async () => undefined,
          agent: async () => ({
            settings: { llm, agent_context: { load_user_skills: true, load_public_skills: true } },
            launched,
            publicSkills: ['two', 'mine', 'none'],
          }),
        },
      },
    );
    expect(await skillsOf(server, {}, { agent: null, agent_profile_id: id })).toEqual({
      mine: 'Text of mine.',
      two: 'Text of two.',
    });
  });

  test('a new agent keeps no password of the source of a plugin', async () => {
    const source = 'https://me:very-secret@example.org/x.git';
    const server = await serverWith({ sources: { [source]: plugin('one') } });
    const { body } = await start(server, {}, { plugins: [{ source }] });
    const { fields } = (await server.host.read(body.id)) ?? {};
    expect(JSON.stringify(fields)).toContain('https://****@example.org/x.git');
    expect(JSON.stringify(fields)).not.toContain('very-secret');
  });

  test('a new agent does without an installed plugin that cannot work, and the server says so', async () => {
    const broken = [plugin('broken', { hooks: hooks('impossible') })];
    const server = await serverWith({ user: broken, sources: { x: plugin('broken', { hooks: hooks('impossible') }) } });
    expect(await skillsOf(server)).toEqual({});
    expect(server.reported).toMatchObject([{ doing: 'adding the installed plugins to a conversation' }]);
    const chosen = await start(server, {}, { plugins: [{ source: 'x' }] });
    expect(chosen).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'hook_config'] }] } });
  });

  test('a new agent does without skills that do not fit, and a request with too many is refused', async () => {
    const large = (name: string): JsonObject => skill(name, 'x'.repeat(300_000));
    const server = await serverWith({
      skills: [large('one'), large('two'), skill('small')],
      sources: { x: plugin('x', { skills: [large('one'), large('two')] }) },
    });
    expect(Object.keys(await skillsOf(server, { load_user_skills: true }))).toEqual(['one', 'small']);
    expect(String(server.reported[0]?.error)).toContain('"two"');
    expect(await start(server, {}, { plugins: [{ source: 'x' }] })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'plugins'] }] },
    });
  });
});

describe('a plugin of a request', () => {
  test('a broken plugin of a request is refused with its place, and every plugin is without plugins', async () => {
    const server = await serverWith({ sources: { x: plugin('x') } });
    const refused = await start(server, {}, { plugins: [{ source: 'x' }, { source: 'none' }] });
    expect(refused).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'plugins', 1, 'source'], msg: 'refused by FETCH_FAILED' }] },
    });
    const without = await startServer();
    const { status, body } = await start(without, {}, { plugins: [{ source: 'x' }] });
    expect([status, body['detail']]).toMatchObject([422, [{ loc: ['body', 'plugins'] }]]);
    expect((await start(without, {}, { plugins: [] })).status).toBe(201);
  });

  const principal = (key: string) => ({ name: key, scopes: key.split('+') as Scope[] });

  test('a plugin of a request needs the rights of its hooks and commands, an installed plugin needs none', async () => {
    const sources = {
      plain: plugin('plain'),
      hooked: plugin('hooked', { hooks: hooks('x.sh') }),
      serving: plugin('serving', { mcpServers: { a: { command: 'x' } } }),
    };
    const asks = { confirmation_policy: { kind: 'AlwaysConfirm' } };
    const server = await serverWith({ sources, project: [sources.hooked] }, { principal });
    const statusOf = async (source: string, key: string): Promise<number> =>
      (await start(server, {}, { ...asks, plugins: [{ source }] }, key)).status;
    expect(await statusOf('plain', 'read+run')).toBe(201);
    expect([await statusOf('hooked', 'read+run'), await statusOf('hooked', 'read+run+approve')]).toEqual([403, 201]);
    expect([await statusOf('serving', 'read+run'), await statusOf('serving', 'read+run+approve')]).toEqual([403, 201]);
    // the folder may be the work of the caller's own agents
    expect((await start(server, { load_project_skills: true }, asks, 'read+run')).status).toBe(403);
    const own = await serverWith({ user: [sources.hooked, sources.serving] }, { principal });
    expect((await start(own, {}, asks, 'read+run')).status).toBe(201);
  });

  test('a plugin is any folder with the right to administrate, else one of the conversation or of plugins', async () => {
    const server = await serverWith({}, { principal });
    const work = join(server.folder, 'work');
    const sources = Object.fromEntries(
      ['/etc', join(work, 'own'), '/plugins/one', '/plugins/../etc'].map((path) => [path, plugin('one')]),
    );
    const other = await serverWith({ sources }, { principal });
    const statusOf = async (source: string, key: string): Promise<number> =>
      (await start(other, {}, { plugins: [{ source }], workspace: { working_dir: work } }, key)).status;
    const scopes = 'read+run+approve';
    expect(await statusOf(join(work, 'own'), scopes)).toBe(201);
    expect(await statusOf('/plugins/one', scopes)).toBe(201);
    expect([await statusOf('/etc', scopes), await statusOf('/plugins/../etc', scopes)]).toEqual([422, 422]);
    expect(await statusOf('/etc', `${scopes}+admin`)).toBe(201);
  });
});

test('a request names at most 32 plugins, and one with more is refused before any of them is loaded', async () => {
  const loaded: string[] = [];
  const plugins = testPlugins({ sources: { '/plugins/one': plugin('one') } });
  const load: typeof plugins.load = (source, mayRead) => {
    loaded.push(source.source);
    return plugins.load(source, mayRead);
  };
  const server = await startServer({ plugins: { ...plugins, load }, hooks: revive });
  const many = (count: number): JsonObject => ({
    plugins: Array.from({ length: count }, () => ({ source: '/plugins/one' })),
  });
  const refused = await start(server, {}, many(33));
  expect([refused.status, JSON.stringify(refused.body)]).toEqual([
    422,
    expect.stringContaining('expected at most 32 plugins, found 33'),
  ]);
  expect(loaded).toEqual([]);
  expect((await start(server, {}, many(32))).status).toBe(201);
});
