import { describe, expect, test } from 'vitest';

import { conversationInfoSchema, conversationRoutes, readPart } from '../../src/rest/index.ts';
import { ID, read, refused } from '../support/read-request.ts';

const llm = { model: 'openai/gpt-4o', api_key: 'gAAAAABp', usage_id: 'agent' };

describe('starting a conversation', () => {
  test('requests of the Python client are accepted: unknown members, nulls, a complete agent', () => {
    const agent = {
      llm: { ...llm, is_subscription: false, weird: { a: null } },
      tools: [{ name: 'terminal', params: {} }],
      kind: 'Agent',
    };
    const body = read(conversationRoutes.start.body, {
      agent,
      initial_message: null,
      max_iterations: 500,
      stuck_detection: true,
      stuck_detection_thresholds: { action_observation: 4 },
      workspace: { working_dir: '/srv/demo', kind: 'LocalWorkspace' },
      tool_module_qualnames: { terminal: 'openhands.tools.terminal.definition' },
      agent_definitions: [],
      plugins: null,
      hook_config: null,
      client_tools: [],
      tags: {},
      observability_metadata: {},
      observability_tags: [],
      observability_span_name: 'conversation',
      user_id: null,
    });
    expect(body.agent).toEqual(agent);
    expect(body.plugins).toBeNull();
  });

  test('requests of the TypeScript client are accepted: a workspace with a type and no kind', () => {
    const body = read(conversationRoutes.start.body, {
      agent: { llm },
      max_iterations: 500,
      stuck_detection: true,
      workspace: { type: 'local', working_dir: '/srv/demo' },
      hook_config: null,
      user_id: null,
    });
    expect(body.workspace).toEqual({ working_dir: '/srv/demo', kind: 'LocalWorkspace' });
  });

  test('requests of the web UI are accepted: settings, lookups of secrets by relative URL, its own tools', () => {
    const body = read(conversationRoutes.start.body, {
      agent_settings: {
        agent_kind: 'openhands',
        llm: { ...llm, stream: true },
        tools: [{ name: 'task_tracker', params: {} }],
      },
      secrets_encrypted: true,
      conversation_id: ID.toUpperCase(),
      workspace: { kind: 'LocalWorkspace', working_dir: '/home/me/workspace/project/1' },
      worktree: true,
      client_tools: [{ name: 'canvas_ui_control', description: 'Controls it', parameters: { type: 'object' } }],
      confirmation_policy: { kind: 'ConfirmRisky', threshold: 'HIGH', confirm_unknown: true },
      security_analyzer: { kind: 'LLMSecurityAnalyzer' },
      tags: { clientsource: 'agentcanvas' },
      initial_message: { role: 'user', content: [{ type: 'text', text: 'Hi' }], run: true },
      secrets: {
        TOKEN: { kind: 'LookupSecret', url: '/api/settings/secrets/TOKEN', headers: { 'X-Session-API-Key': 'k' } },
      },
    });
    expect(body).toMatchObject({
      conversation_id: ID,
      max_iterations: 500,
      autotitle: true,
      agent_settings: { agent_kind: 'openhands' },
    });
    expect(body.secrets['TOKEN']).toMatchObject({ url: '/api/settings/secrets/TOKEN' });
  });

  test('nulls stand for defaults, numbers and flags may be texts', () => {
    const body = read(conversationRoutes.start.body, {
      workspace: { working_dir: '/srv' },
      agent: null,
      max_iterations: '7',
      stuck_detection: 'off',
      confirmation_policy: null,
      tags: null,
      secrets: null,
      client_tools: null,
    });
    expect(body).toMatchObject({
      max_iterations: 7,
      stuck_detection: false,
      confirmation_policy: { kind: 'NeverConfirm' },
      tags: {},
      secrets: {},
      client_tools: [],
    });
    expect('agent' in body).toBe(false);
  });

  test.each([
    [
      'a policy that nobody could follow',
      { confirmation_policy: { kind: 'SometimesConfirm' } },
      ['confirmation_policy', 'kind'],
    ],
    ['an analyzer that would rate nothing', { security_analyzer: { kind: 'Oracle' } }, ['security_analyzer', 'kind']],
    ['a moment at which no hook runs', { hook_config: { pre_tool_uses: [] } }, ['hook_config', 'pre_tool_uses']],
    ['a tag with a space in its name', { tags: { 'a b': 'x' } }, ['tags', 'a b']],
    ['a tag that is too long', { tags: { a: 'x'.repeat(257) } }, ['tags', 'a']],
    ['no iterations', { max_iterations: 0 }, ['max_iterations']],
    [
      'an addition to the prompt that is too long',
      { agent_launch_additions: { system_message_suffix_append: 'x'.repeat(32_769) } },
      ['agent_launch_additions', 'system_message_suffix_append'],
    ],
    ['an id that is none', { conversation_id: 'one' }, ['conversation_id']],
    ['an agent of an unknown kind', { agent: { kind: 'Robot', llm } }, ['agent', 'kind']],
  ])('%s is refused where it stands', (_, more, where) => {
    expect(refused(conversationRoutes.start.body, { workspace: { working_dir: '/srv' }, ...more })).toEqual([where]);
  });
});

describe('descriptions', () => {
  test('unknown members of an agent, its model, tools and condenser are returned unchanged', () => {
    const agent = {
      kind: 'Agent',
      llm: { model: 'anthropic/claude', dreams: [1, { deep: null }] },
      tools: [{ name: 'telescope', params: { zoom: 3 }, colour: 'red' }],
      condenser: { kind: 'SleepCondenser', hours: 8 },
      critic: { kind: 'PassCritic', mood: 'mild' },
      agent_context: {
        skills: [{ name: 's', content: 'c', trigger: { type: 'keyword', keywords: ['k'], loud: true } }],
      },
      mcp_config: { a: { command: 'mcp', env: { KEY: 'v' }, later: 1 } },
      later: { a: null },
    };
    expect(read(conversationRoutes.start.body, { workspace: { working_dir: '/' }, agent }).agent).toEqual(agent);
  });

  test('an answer of a server is read although its agent is of an unknown kind or form', () => {
    const info = {
      id: ID,
      workspace: { working_dir: '/' },
      created_at: '2026-03-01T10:00:00Z',
      updated_at: '2026-03-01T10:00:00Z',
    };
    const agents = [
      { kind: 'Robot', arms: 2 },
      { kind: 'Agent', llm: { model: 'm', reasoning_effort: 'cosmic' } },
    ];
    for (const agent of agents) expect(conversationInfoSchema.parse({ ...info, agent }).agent).toEqual(agent);
    const policy = { kind: 'AskTheCat' };
    expect(
      conversationInfoSchema.parse({ ...info, agent: agents[0], confirmation_policy: policy }).confirmation_policy,
    ).toEqual(policy);
  });
});

test('P13: descriptions within descriptions without end are refused', () => {
  const part = readPart(
    conversationRoutes.start.body ?? raise(),
    { workspace: { working_dir: '/' }, security_analyzer: ensembles(20_000) },
    'body',
  );
  expect(part).toMatchObject({ ok: false, error: { detail: [{ type: 'recursion_loop' }] } });
});

function ensembles(depth: number): unknown {
  const open = '{"kind":"EnsembleSecurityAnalyzer","analyzers":[';
  return JSON.parse(`${open.repeat(depth)}{"kind":"LLMSecurityAnalyzer"}${']}'.repeat(depth)}`);
}

function raise(): never {
  throw new Error('the route has no body');
}
