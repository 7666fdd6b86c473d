import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { JsonObject } from '@conv/core';
import type { ConversationInfo } from '@conv/openhands/rest';
import { describe, expect, test } from 'vitest';

import { eventsOf, make, payload, says, until } from './calls.ts';
import { startRequestServer } from './request-server.ts';
import { eventually } from './server-process.ts';

const { server, cwd, llm, start, placesOf } = await startRequestServer();

/** A tool of the client. */
function tool(name: string, description = 'Asks.'): JsonObject {
  return { name, description, parameters: { type: 'object', properties: {} } };
}

describe('a request to start a conversation', () => {
  test('a request with what real clients send by default is accepted', async () => {
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

  test.each([{ enabled: false }, { disabled: true }])(
    'a request whose MCP servers all have %j is answered',
    async (off) => {
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
    },
  );

  test('a request with a plugin that cannot be loaded is refused by name', async () => {
    const plugins = [{ source: 'ssh://git@example.org/plugin' }];
    expect(await placesOf({ plugins })).toEqual([['body', 'plugins', 0, 'source']]);
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
  ])('P13: a request with %s is refused with the place, in wire names', async (_, more, place) => {
    const { status, body } = await start(more);
    expect(status).toBe(422);
    expect(body['detail']).toMatchObject([{ type: 'value_error', loc: ['body', ...place] }]);
    expect(JSON.stringify(body['detail'])).not.toMatch(/clientTools|actionError|thresholds\./);
  });

  test('P13: a request with an invalid condenser is refused with the place, wherever the condenser stands', async () => {
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

  test('P13: a secret whose name is invalid is refused with the place after the start, too', async () => {
    const { body } = await start({});
    expect(
      await server.call('POST', `/api/conversations/${body.id}/secrets`, { secrets: { 'a-b': 'x' } }),
    ).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'secrets', 'a-b'] }] } });
  });

  test('a request for tools that are missing here is accepted, and info and log name the missing tools', async () => {
    const tools = ['terminal', 'browser_tool_set', 'workflow', 'ask_nobody'].map((name) => ({ name, params: {} }));
    const { status, body } = await start({ agent: { kind: 'Agent', llm, tools } });
    expect(status).toBe(201);
    expect(body.missing_tools).toEqual(['browser_tool_set', 'workflow', 'ask_nobody']);
    const { body: again } = await server.call<ConversationInfo>('GET', `/api/conversations/${body.id}`);
    expect(again.missing_tools).toEqual(body.missing_tools);
    expect(server.lines.filter(({ tool }) => tool === 'ask_nobody')).not.toEqual([]);
  });

  test.each<[string, JsonObject, readonly unknown[]]>([
    [
      'a matcher that is none',
      { pre_tool_use: [{ matcher: '(', hooks: [{ command: 'true' }] }] },
      ['pre_tool_use', 0, 'matcher'],
    ],
    ['an empty command', { pre_tool_use: [{ hooks: [{ command: '' }] }] }, ['pre_tool_use', 0, 'hooks', 0, 'command']],
    ['a timeout of -1', { stop: [{ hooks: [{ command: 'true', timeout: -1 }] }] }, ['stop', 0, 'hooks', 0, 'timeout']],
  ])('P13: a request with hooks that have %s is refused with the place', async (_, config, place) => {
    expect(await placesOf({ hook_config: config })).toEqual([['body', 'hook_config', ...place]]);
  });

  test.each<[string, JsonObject, string]>([
    ['a prompt', { stop: [{ hooks: [{ type: 'prompt', prompt: 'Is it done?' }] }] }, 'stop'],
    ['an agent', { stop: [{ hooks: [{ type: 'agent', system_prompt: 'Look closely.' }] }] }, 'stop'],
    ['the form of hook files', { hooks: { PreToolUse: [{ hooks: [{ command: 'true' }] }] } }, 'pre_tool_use'],
  ])('a request with hooks of %s is accepted', async (_, config, moment) => {
    const { status, body } = await start({ hook_config: config });
    expect(status).toBe(201);
    expect(body.hook_config).toHaveProperty(moment);
  });

  test('a request with limits starts a conversation with these limits', async () => {
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

  test('P13: a request with an invalid limit is refused with the place', async () => {
    expect(await placesOf({ max_budget: -1, max_budget_per_run: 0, tool_timeout: 'soon' })).toEqual([
      ['body', 'max_budget_per_run'],
      ['body', 'max_budget'],
      ['body', 'tool_timeout'],
    ]);
  });

  test('a request for releases of OpenHands shows ratings as events of these releases, and says so', async () => {
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

  test('P13: a request for invalid releases is refused with the place', async () => {
    expect(await placesOf({ openhands: '1.54' })).toEqual([['body', 'openhands']]);
  });

  test('a request with worktree gives the agent a checkout of its own, which goes with the conversation', async () => {
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

  test('a request with load_memory tells the agent what earlier conversations wrote down', async () => {
    const working = join(cwd, 'remembered');
    mkdirSync(join(working, '.openhands', 'memory'), { recursive: true });
    writeFileSync(join(working, '.openhands', 'memory', 'MEMORY.md'), 'Tests need port 5432.');
    const agent = { kind: 'Agent', llm, tools: [], agent_context: { load_memory: true } };
    const { id } = await make(server, { ...payload({ cwd, llm }), agent, workspace: { working_dir: working } });
    await server.call('POST', `/api/conversations/${id}/events`, says('hello'));
    expect(JSON.stringify((await eventsOf(server, id))[0])).toContain('Tests need port 5432.');
  });

  test('a request with title_llm_profile gets its title from that model, or else from that of the agent', async () => {
    expect((await server.call('POST', '/api/profiles/titles', { llm })).status).toBe(201);
    const titleOf = (id: string): Promise<string> =>
      eventually(
        async () => (await server.call<ConversationInfo>('GET', `/api/conversations/${id}`)).body.title ?? undefined,
      );
    for (const [profile, calls] of [
      ['titles', []],
      [null, ['title']],
    ] as const) {
      const { body } = await start({ title_llm_profile: profile });
      await server.call('POST', `/api/conversations/${body.id}/events`, says('hello there'));
      expect(await titleOf(body.id)).toBe('A title by the model');
      const { body: info } = await server.call<ConversationInfo>('GET', `/api/conversations/${body.id}`);
      expect(Object.keys(info.stats.usage_to_metrics)).toEqual(calls);
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
