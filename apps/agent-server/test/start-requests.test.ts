import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { JsonObject } from '@conv/core';
import type { ConversationInfo } from '@conv/openhands/rest';
import { call, createModelServer, lastUserText, say, toolResults, type ModelServer } from '@conv/testing-model-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { eventsOf, make, payload, says, until } from './calls.ts';
import { newFolder } from './new-folder.ts';
import { eventually, ServerProcess } from './server-process.ts';

let model: ModelServer;
let server: ServerProcess;
let cwd: string;
let llm: JsonObject;

beforeAll(async () => {
  model = await createModelServer({
    script: (request) => {
      const said = lastUserText(request) ?? '';
      if (said.includes('Find a title')) return say('A title by the model');
      if (toolResults(request).length > 0) return say('Done.');
      return said.startsWith('write') ? call('terminal', { command: 'echo made > made.txt' }) : say('Yes.');
    },
  });
  cwd = newFolder();
  llm = { model: 'openai/test-model', base_url: model.url, api_key: 'sk-test-0123456789' };
  server = await ServerProcess.start({ cwd });
});

afterAll(async () => {
  await server.stop();
  await model.close();
});

/** Sends a request to start a conversation with these members. Resolves with the answer. */
function start(more: JsonObject): Promise<{ readonly status: number; readonly body: ConversationInfo & JsonObject }> {
  return server.call('POST', '/api/conversations', { ...payload({ cwd, llm }), ...more });
}

/** The places that a refusal names. */
async function placesOf(more: JsonObject): Promise<readonly unknown[]> {
  const { status, body } = await start(more);
  expect(status).toBe(422);
  return (body['detail'] as readonly { readonly loc: unknown }[]).map(({ loc }) => loc);
}

/** A tool of the client. */
function tool(name: string, description = 'Asks.'): JsonObject {
  return { name, description, parameters: { type: 'object', properties: {} } };
}

describe('a request to start a conversation', () => {
  test('with what real clients send by default is taken', async () => {
    const { status } = await start({
      agent_definitions: [],
      plugins: [],
      worktree: true,
      autotitle: true,
      tool_module_qualnames: { terminal: 'openhands.tools.terminal.definition' },
      user_id: 'somebody',
      observability_metadata: { team: 'a' },
      observability_tags: ['b'],
      observability_span_name: 'work',
      hook_config: null,
      agent_launch_additions: null,
    });
    expect(status).toBe(201);
  });

  test.each([{ enabled: false }, { disabled: true }])('whose MCP servers all have %j is answered', async (off) => {
    const agent = {
      ...(payload({ cwd, llm })['agent'] as JsonObject),
      mcp_config: { off: { command: '/not/there', ...off } },
    };
    const { status, body } = await start({ agent });
    expect(status).toBe(201);
    const sent = await server.call('POST', `/api/conversations/${body.id}/events`, says('hello', { run: true }));
    expect(sent.status).toBe(200);
    expect((await until(server, body.id, 'finished', 'error')).execution_status).toBe('finished');
    expect((await eventsOf(server, body.id)).filter(({ kind }) => kind === 'MessageEvent')).toHaveLength(2);
  });

  test('that needs plugins is refused by name', async () => {
    expect(await placesOf({ plugins: [{ source: 'github:some/plugin' }] })).toEqual([['body', 'plugins']]);
  });

  test('whose LLM has native_tool_calling false is refused by name, wherever the LLM stands', async () => {
    const asText = { ...llm, native_tool_calling: false };
    const agent = { kind: 'Agent', llm: asText, tools: [] };
    expect(await placesOf({ agent })).toEqual([['body', 'agent', 'llm', 'native_tool_calling']]);
    expect(await placesOf({ agent: null, agent_settings: { llm: asText } })).toEqual([
      ['body', 'agent_settings', 'llm', 'native_tool_calling'],
    ]);
    await server.call('POST', '/api/profiles/as-text', { llm: asText });
    await server.call('POST', '/api/agent-profiles/speaker', { llm_profile_ref: 'as-text' });
    const { body: speaker } = await server.call<{ profile: { id: string } }>('GET', '/api/agent-profiles/speaker');
    expect(await placesOf({ agent: null, agent_profile_id: speaker.profile.id })).toEqual([
      ['body', 'agent_profile_id'],
    ]);
    const { body } = await start({});
    for (const [path, change, place] of [
      ['switch_llm', { llm: asText }, ['body', 'llm', 'native_tool_calling']],
      ['switch_profile', { profile_name: 'as-text' }, ['body', 'profile_name']],
    ] as const)
      expect(await server.call('POST', `/api/conversations/${body.id}/${path}`, change)).toMatchObject({
        status: 422,
        body: { detail: [{ loc: place, msg: expect.stringContaining('native_tool_calling') }] },
      });
  });

  test('whose LLM has a fallback with native_tool_calling false is refused by name, as an object and as a profile', async () => {
    const asText = { ...llm, native_tool_calling: false };
    const agentWith = (more: JsonObject): JsonObject => ({ kind: 'Agent', llm: { ...llm, ...more }, tools: [] });
    const described = { fallbacks: [llm, asText] };
    expect(await placesOf({ agent: agentWith(described) })).toEqual([
      ['body', 'agent', 'llm', 'fallbacks', 1, 'native_tool_calling'],
    ]);
    await server.call('POST', '/api/profiles/last-resort', { llm: asText });
    const named = { fallback_strategy: { kind: 'FallbackStrategy', fallback_llms: ['nobody', 'last-resort'] } };
    expect(await placesOf({ agent: agentWith(named) })).toEqual([
      ['body', 'agent', 'llm', 'fallback_strategy', 'fallback_llms', 1],
    ]);
    const { body } = await start({});
    expect(
      await server.call('POST', `/api/conversations/${body.id}/switch_llm`, { llm: { ...llm, ...named } }),
    ).toMatchObject({
      status: 422,
      body: {
        detail: [
          {
            loc: ['body', 'llm', 'fallback_strategy', 'fallback_llms', 1],
            msg: expect.stringContaining("profile 'last-resort'"),
          },
        ],
      },
    });
  });

  test.each<[string, JsonObject, readonly unknown[]]>([
    ['client tools of one name', { client_tools: [tool('ask'), tool('ask')] }, ['client_tools', 1, 'name']],
    ['a client tool of a reserved name', { client_tools: [tool('finish')] }, ['client_tools', 0, 'name']],
    ['a client tool that the agent has', { client_tools: [tool('terminal')] }, ['client_tools', 0, 'name']],
    ['client tools of more than 256 KiB', { client_tools: [tool('a', 'x'.repeat(262_144))] }, ['client_tools']],
    ['a secret whose name is none', { secrets: { 'a-b': { kind: 'StaticSecret', value: 'x' } } }, ['secrets', 'a-b']],
    [
      'a threshold that is none',
      { stuck_detection_thresholds: { action_error: 0 } },
      ['stuck_detection_thresholds', 'action_error'],
    ],
  ])('P13: with %s is refused with the place, in wire names', async (_, more, place) => {
    const { status, body } = await start(more);
    expect(status).toBe(422);
    expect(body['detail']).toMatchObject([{ type: 'value_error', loc: ['body', ...place] }]);
    expect(JSON.stringify(body['detail'])).not.toMatch(/clientTools|actionError|thresholds\./);
  });

  test('P13: with a condenser that is none is refused with the place, wherever the condenser stands', async () => {
    const condenser = { kind: 'LLMSummarizingCondenser', max_size: 1 };
    const pipeline = { kind: 'PipelineCondenser', condensers: [{ ...condenser, max_size: 80 }, condenser] };
    const agent = { kind: 'Agent', llm, tools: [] };
    expect(await placesOf({ agent: { ...agent, condenser } })).toEqual([['body', 'agent', 'condenser', 'max_size']]);
    expect(await placesOf({ agent: { ...agent, condenser: pipeline } })).toEqual([
      ['body', 'agent', 'condenser', 'condensers', 1, 'max_size'],
    ]);
    expect(await placesOf({ agent: null, agent_settings: { llm, condenser: { max_size: 1 } } })).toEqual([
      ['body', 'agent_settings', 'condenser', 'max_size'],
    ]);
  });

  test('P13: a secret whose name is none is refused with the place after the start, too', async () => {
    const { body } = await start({});
    expect(
      await server.call('POST', `/api/conversations/${body.id}/secrets`, { secrets: { 'a-b': 'x' } }),
    ).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'secrets', 'a-b'] }] } });
  });

  test.each([
    ['localhost:1234', 'is not an http(s) URL'],
    ['ftp://127.0.0.1/v1', 'is not an http(s) URL'],
    ['not a url', 'is not an http(s) URL'],
    ['http://127.0.0.1/v1/chat/completions', 'ends in /chat/completions'],
    ['http://127.0.0.1/v1?x=1', 'has a query'],
    ['http://ann:secret-0123456@127.0.0.1/v1?x=1', 'has a query'],
  ])('P13: whose model has the base URL %s is refused with the place, wherever a model is sent', async (url, found) => {
    const bad = { ...llm, base_url: url };
    const at = async (method: string, path: string, body: JsonObject): Promise<unknown> => {
      const { status, body: answer } = await server.call<{ detail: readonly JsonObject[] }>(method, path, body);
      expect([status, answer.detail[0]?.['msg']]).toEqual([422, expect.stringContaining(found)]);
      expect(JSON.stringify(answer)).not.toContain('secret-0123456');
      return answer.detail[0]?.['loc'];
    };
    const llmUrl = ['llm', 'base_url'];
    const agent = { kind: 'Agent', llm: bad, tools: [] };
    expect(await placesOf({ agent })).toEqual([['body', 'agent', ...llmUrl]]);
    const condensed = { kind: 'Agent', llm, tools: [], condenser: { kind: 'LLMSummarizingCondenser', llm: bad } };
    expect(await placesOf({ agent: condensed })).toEqual([['body', 'agent', 'condenser', ...llmUrl]]);
    expect(await placesOf({ agent: null, agent_settings: { llm: bad } })).toEqual([
      ['body', 'agent_settings', ...llmUrl],
    ]);
    const { body } = await start({});
    const here = `/api/conversations/${body.id}`;
    expect(await at('POST', `${here}/switch_llm`, { llm: bad })).toEqual(['body', ...llmUrl]);
    expect(await at('POST', '/api/profiles/bad', { llm: bad })).toEqual(['body', ...llmUrl]);
    expect(await at('PATCH', '/api/settings', { agent_settings_diff: { llm: bad } })).toEqual([
      'body',
      'agent_settings_diff',
      ...llmUrl,
    ]);
  });

  test('with a profile on disk whose base URL is bad is refused with its place, and the profile stays readable', async () => {
    const stored = { model: 'openai/test-model', base_url: 'localhost:1234' };
    mkdirSync(join(cwd, 'workspace/.openhands/profiles'), { recursive: true });
    writeFileSync(join(cwd, 'workspace/.openhands/profiles/foreign.json'), JSON.stringify(stored));
    const shown = await server.call('GET', '/api/profiles/foreign');
    expect(shown).toMatchObject({ status: 200, body: { config: stored } });
    const { body } = await start({});
    const named = { profile_name: 'foreign' };
    expect(await server.call('POST', `/api/conversations/${body.id}/switch_profile`, named)).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'profile_name'], msg: expect.stringContaining('is not an http(s) URL') }] },
    });
    await server.call('POST', '/api/agent-profiles/foreigner', { llm_profile_ref: 'foreign' });
    const { body: foreigner } = await server.call<{ profile: { id: string } }>('GET', '/api/agent-profiles/foreigner');
    expect(await placesOf({ agent: null, agent_profile_id: foreigner.profile.id })).toEqual([
      ['body', 'agent_profile_id'],
    ]);
  });

  test('whose model falls back to a profile on disk with a bad base URL is refused with both names', async () => {
    mkdirSync(join(cwd, 'workspace/.openhands/profiles'), { recursive: true });
    const stored = { model: 'openai/test-model', base_url: 'localhost:1234' };
    writeFileSync(join(cwd, 'workspace/.openhands/profiles/spare.json'), JSON.stringify(stored));
    const fallback = { fallback_strategy: { kind: 'FallbackStrategy', fallback_llms: ['nobody', 'spare'] } };
    const falling = { ...llm, ...fallback };
    const place = ['fallback_strategy', 'fallback_llms', 1];
    const agent = { kind: 'Agent', llm: falling, tools: [] };
    expect(await placesOf({ agent })).toEqual([['body', 'agent', 'llm', ...place]]);
    const condenser = { kind: 'LLMSummarizingCondenser', llm: falling };
    expect(await placesOf({ agent: { ...agent, llm, condenser } })).toEqual([
      ['body', 'agent', 'condenser', 'llm', ...place],
    ]);
    const { body } = await start({});
    expect(await server.call('POST', `/api/conversations/${body.id}/switch_llm`, { llm: falling })).toMatchObject({
      status: 422,
      body: {
        detail: [
          {
            loc: ['body', 'llm', ...place],
            msg: expect.stringContaining(
              "base_url of the profile 'spare' is not an http(s) URL; write it with its scheme",
            ),
          },
        ],
      },
    });
    await server.call('POST', '/api/profiles/careful', { llm: falling });
    expect(
      await server.call('POST', `/api/conversations/${body.id}/switch_profile`, { profile_name: 'careful' }),
    ).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'profile_name'], msg: expect.stringContaining("the profile 'spare'") }] },
    });
  });

  test.each(['', null])('whose model has the base URL %j is taken, wherever a model is sent', async (url) => {
    const without = { ...llm, base_url: url };
    const { status, body } = await start({ agent: { kind: 'Agent', llm: without, tools: [] } });
    expect(status).toBe(201);
    for (const [method, path, change] of [
      ['POST', `/api/conversations/${body.id}/switch_llm`, { llm: without }],
      ['POST', '/api/profiles/none', { llm: without }],
      ['PATCH', '/api/settings', { agent_settings_diff: { llm: without } }],
    ] as const)
      expect((await server.call(method, path, change)).status).toBeLessThan(300);
  });

  test('for tools that are missing here is accepted, and info and log name the missing tools', async () => {
    const tools = ['terminal', 'glob', 'grep', 'planning_file_editor'].map((name) => ({ name, params: {} }));
    const { status, body } = await start({ agent: { kind: 'Agent', llm, tools } });
    expect(status).toBe(201);
    expect(body.missing_tools).toEqual(['glob', 'grep', 'planning_file_editor']);
    const { body: again } = await server.call<ConversationInfo>('GET', `/api/conversations/${body.id}`);
    expect(again.missing_tools).toEqual(body.missing_tools);
    expect(server.lines.filter(({ tool }) => tool === 'planning_file_editor')).not.toEqual([]);
  });

  test.each<[string, JsonObject, readonly unknown[]]>([
    [
      'a matcher that is none',
      { pre_tool_use: [{ matcher: '(', hooks: [{ command: 'true' }] }] },
      ['pre_tool_use', 0, 'matcher'],
    ],
    ['an empty command', { pre_tool_use: [{ hooks: [{ command: '' }] }] }, ['pre_tool_use', 0, 'hooks', 0, 'command']],
    ['a timeout of -1', { stop: [{ hooks: [{ command: 'true', timeout: -1 }] }] }, ['stop', 0, 'hooks', 0, 'timeout']],
  ])('P13: with hooks that have %s is refused with the place', async (_, config, place) => {
    expect(await placesOf({ hook_config: config })).toEqual([['body', 'hook_config', ...place]]);
  });

  test.each<[string, JsonObject, string]>([
    ['a prompt', { stop: [{ hooks: [{ type: 'prompt', prompt: 'Is it done?' }] }] }, 'stop'],
    ['an agent', { stop: [{ hooks: [{ type: 'agent', system_prompt: 'Look closely.' }] }] }, 'stop'],
    ['the form of hook files', { hooks: { PreToolUse: [{ hooks: [{ command: 'true' }] }] } }, 'pre_tool_use'],
  ])('with hooks of %s is taken', async (_, config, moment) => {
    const { status, body } = await start({ hook_config: config });
    expect(status).toBe(201);
    expect(body.hook_config).toHaveProperty(moment);
  });

  test('with limits has them', async () => {
    const priced = { ...llm, input_cost_per_token: 1, output_cost_per_token: 1 };
    const limits = { max_budget_per_run: 0.5, max_budget: 9, tool_timeout: 5000 };
    const { body } = await start({ ...payload({ cwd, llm: priced }), ...limits });
    const { body: told } = await server.call<{ state: JsonObject }>('GET', `/api/conversations/${body.id}/state`);
    expect(told.state).toMatchObject({ maxBudgetPerRun: 0.5, maxBudget: 9, toolTimeout: 5000 });
    await server.call('POST', `/api/conversations/${body.id}/events`, says('write', { run: true }));
    await until(server, body.id, 'error');
    expect((await eventsOf(server, body.id)).findLast(({ kind }) => kind === 'ConversationErrorEvent')).toMatchObject({
      code: expect.stringContaining('MaxBudget'),
    });
  });

  test('P13: with a limit that is none is refused with the place', async () => {
    expect(await placesOf({ max_budget: -1, max_budget_per_run: 0, tool_timeout: 'soon' })).toEqual([
      ['body', 'max_budget_per_run'],
      ['body', 'max_budget'],
      ['body', 'tool_timeout'],
    ]);
  });

  test('for releases of OpenHands shows ratings as events of these releases, and says so', async () => {
    const more = { openhands: '>=1.54', security_analyzer: { kind: 'LLMSecurityAnalyzer' } };
    const { body } = await start(more);
    expect(body.openhands).toBe('>=1.54');
    await server.call('POST', `/api/conversations/${body.id}/events`, says('write', { run: true }));
    await until(server, body.id, 'finished');
    const events = await eventsOf(server, body.id);
    const at = events.findIndex(({ kind }) => kind === 'SecurityAnalysisEvent');
    expect(events[at]).toMatchObject({ analyzer: 'LLMSecurityAnalyzer', policy: 'NeverConfirm', details: {} });
    expect(events[at]).toHaveProperty('risks', { [String(events[at - 1]?.id)]: 'UNKNOWN' });
    const { body: plain } = await start({});
    expect(plain.openhands).toBeNull();
  });

  test('P13: for releases that are none is refused with the place', async () => {
    expect(await placesOf({ openhands: '1.54' })).toEqual([['body', 'openhands']]);
  });

  test('with worktree has the agent work in a checkout of its own, where clients may look, and it goes with the conversation', async () => {
    const project = join(cwd, 'project');
    mkdirSync(project);
    const git = (...args: readonly string[]): string =>
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd: project, encoding: 'utf8' });
    git('init', '-q', '-b', 'main');
    writeFileSync(join(project, 'README.md'), 'first');
    git('add', '.');
    git('commit', '-q', '-m', 'first');
    const { body } = await start({ workspace: { working_dir: project }, worktree: true });
    const { working_dir: working } = body.workspace as { readonly working_dir: string };
    expect(working).toBe(join(cwd, 'workspace', 'worktrees', body.id, 'project'));
    await server.call('POST', `/api/conversations/${body.id}/events`, says('write', { run: true }));
    await until(server, body.id, 'finished', 'error');
    expect(existsSync(join(working, 'made.txt'))).toBe(true);
    expect(existsSync(join(project, 'made.txt'))).toBe(false);
    const changes = await server.call('GET', `/api/git/changes?path=${encodeURIComponent(working)}`);
    expect(changes.body).toEqual([{ status: 'ADDED', path: 'made.txt' }]);
    await server.call('DELETE', `/api/conversations/${body.id}`);
    expect(existsSync(working)).toBe(false);
    expect(git('show', `openhands/${body.id}:made.txt`)).toBe('made\n');
  });

  test('with load_memory tells the agent what earlier conversations wrote down', async () => {
    const working = join(cwd, 'remembered');
    mkdirSync(join(working, '.openhands', 'memory'), { recursive: true });
    writeFileSync(join(working, '.openhands', 'memory', 'MEMORY.md'), 'Tests need port 5432.');
    const agent = { kind: 'Agent', llm, tools: [], agent_context: { load_memory: true } };
    const { id } = await make(server, { ...payload({ cwd, llm }), agent, workspace: { working_dir: working } });
    await server.call('POST', `/api/conversations/${id}/events`, says('hello'));
    expect(JSON.stringify((await eventsOf(server, id))[0])).toContain('Tests need port 5432.');
  });

  test('with title_llm_profile has its title made by that model, and without one the beginning of the message', async () => {
    expect((await server.call('POST', '/api/profiles/titles', { llm })).status).toBe(201);
    const titleOf = (id: string): Promise<string> =>
      eventually(
        async () => (await server.call<ConversationInfo>('GET', `/api/conversations/${id}`)).body.title ?? undefined,
      );
    for (const [profile, title] of [
      ['titles', 'A title by the model'],
      [null, 'hello there'],
    ] as const) {
      const { body } = await start({ title_llm_profile: profile });
      await server.call('POST', `/api/conversations/${body.id}/events`, says('hello there'));
      expect(await titleOf(body.id)).toBe(title);
    }
  });
});

describe('a member of a request', () => {
  test('agent_launch_additions and system_prompt stand in the prompt of the agent', async () => {
    const agent = { kind: 'Agent', llm, tools: [], system_prompt: 'You are a careful sailor.' };
    const additions = { system_message_suffix_append: 'Mind the tide.' };
    const { id } = await make(server, { ...payload({ cwd, llm }), agent, agent_launch_additions: additions });
    await server.call('POST', `/api/conversations/${id}/events`, says('hello'));
    const prompt = JSON.stringify((await eventsOf(server, id))[0]);
    expect(prompt).toContain('You are a careful sailor.');
    expect(prompt).toContain('Mind the tide.');
  });

  test('agent_profile_id brings the agent of a profile, excludes another one and is 404 when unknown', async () => {
    const { agent: _, ...without } = payload({ cwd, llm });
    const profileOf = (id: string, more: JsonObject = {}) =>
      server.call<ConversationInfo>('POST', '/api/conversations', { ...without, agent_profile_id: id, ...more });
    await server.call('POST', '/api/profiles/base', { llm });
    await server.call('POST', '/api/agent-profiles/sailor', { llm_profile_ref: 'base' });
    const { body } = await server.call<{ profile: { id: string } }>('GET', '/api/agent-profiles/sailor');
    const { id } = body.profile;
    expect((await profileOf(id)).body.launched_agent_profile).toMatchObject({ agent_profile_id: id });
    expect((await profileOf(id, { agent: { kind: 'Agent', llm } })).status).toBe(422);
    expect((await profileOf('00000000-0000-4000-8000-000000000000')).status).toBe(404);
  });

  test('max_iterations of a run ends that run', async () => {
    const { id } = await make(server, payload({ cwd, llm }));
    await server.call('POST', `/api/conversations/${id}/events`, says('write'));
    await server.call('POST', `/api/conversations/${id}/run`, { max_iterations: 1 });
    await until(server, id, 'error');
    expect((await eventsOf(server, id)).findLast(({ kind }) => kind === 'ConversationErrorEvent')).toMatchObject({
      code: 'MaxIterationsReached',
    });
  });

  test('secrets reach the command that names them, and removed_secrets takes them away', async () => {
    const { id } = await make(server, payload({ cwd, llm }));
    await server.call('POST', `/api/conversations/${id}/secrets`, { secrets: { TOKEN: 'a-value-0123456789' } });
    const registry = async (): Promise<object> => {
      const { body } = await server.call<ConversationInfo>('GET', `/api/conversations/${id}`);
      return body.secret_registry.secret_sources ?? {};
    };
    expect(Object.keys(await registry())).toEqual(['TOKEN']);
    await server.call('POST', `/api/conversations/${id}/settings`, { removed_secrets: ['TOKEN'] });
    expect(Object.keys(await registry())).toEqual([]);
  });

  test('each setting of a conversation can be changed', async () => {
    const { id } = await make(server, payload({ cwd, llm }));
    await server.call('PATCH', `/api/conversations/${id}`, { title: 'A title' });
    const changes = {
      max_iterations: 7,
      max_budget_per_run: 1.5,
      max_budget: 3,
      tool_timeout: 4000,
      stuck_detection: false,
      title: null,
    };
    expect((await server.call('POST', `/api/conversations/${id}/settings`, changes)).status).toBe(200);
    const { body } = await server.call<{ state: JsonObject }>('GET', `/api/conversations/${id}/state`);
    expect(body.state).toMatchObject({
      maxIterations: 7,
      maxBudgetPerRun: 1.5,
      maxBudget: 3,
      toolTimeout: 4000,
      stuckDetection: false,
      title: null,
    });
  });
});

describe('settings that clients keep', () => {
  test('P13: are refused for what is no MCP server, and for an unknown profile', async () => {
    const patch = (body: JsonObject) => server.call('PATCH', '/api/settings', body);
    for (const config of [
      { mcpServers: {} },
      { mcpServers: { a: { url: 'http://x' } } },
      { a: {} },
      { a: { url: 'http://x', b: 1 } },
    ]) {
      const { status, body } = await patch({ agent_settings_diff: { mcp_config: config } });
      expect(status).toBe(422);
      expect(body['detail']).toContain('mcp_config.');
    }
    expect((await patch({ active_profile: 'nobody' })).status).toBe(404);
    const { body } = await server.call('GET', '/api/settings');
    expect(body).toMatchObject({ active_profile: null, agent_settings: { mcp_config: {} } });
  });

  test('take the model of the profile that becomes the active one', async () => {
    await server.call('POST', '/api/profiles/mine', { llm: { ...llm, model: 'openai/mine' } });
    const { status, body } = await server.call('PATCH', '/api/settings', { active_profile: 'mine' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ active_profile: 'mine', agent_settings: { llm: { model: 'openai/mine' } } });
  });

  test.each<[string, JsonObject]>([
    ['is empty', {}],
    ['names no model', { agent_kind: 'openhands' }],
    ['is of an unknown kind', { agent_kind: 'robot', llm_profile_ref: 'mine' }],
    ['names no ACP server', { agent_kind: 'acp' }],
  ])('P13: an agent profile that %s is refused', async (_, profile) => {
    expect((await server.call('POST', '/api/agent-profiles/wrong', profile)).status).toBe(422);
  });

  test('the check of a profile asks its model', async () => {
    const check = (body: JsonObject) => server.call('POST', '/api/profiles/new/validate', body);
    expect((await check({})).status).toBe(422);
    expect((await check({ llm })).body).toEqual({ valid: true, error: null });
    const unknown = await check({ llm: { model: 'bedrock/x' } });
    expect(unknown.body).toMatchObject({
      valid: false,
      error: { type: 'LlmError', message: expect.stringContaining('bedrock') },
    });
  });
});
