import { describe, expect, test } from 'vitest';
import {
  conversationInfoSchema,
  forkConversation,
  navigateConversation,
  respondToConfirmation,
  routes,
  searchBashEvents,
  searchConversations,
  searchEvents,
  sendMessage,
  setConfirmationPolicy,
  setSecurityAnalyzer,
  startConversation,
  updateConversation,
  updateSecrets,
  getConversations,
  getConversation,
  readPart,
} from '../src/index.ts';
import type { z } from 'zod';

const ID = '3f2b8c1e-7d5a-4a63-9b0e-1c2d3e4f5a6b';
const llm = { model: 'openai/gpt-4o', api_key: 'gAAAAABp', usage_id: 'agent' };

function read<T>(schema: z.ZodType<T> | undefined, value: unknown): T {
  if (schema === undefined) throw new Error('the route reads nothing there');
  return schema.parse(value);
}

function refused(schema: z.ZodType | undefined, value: unknown): readonly (readonly (string | number)[])[] {
  if (schema === undefined) throw new Error('the route reads nothing there');
  const part = readPart(schema, value, 'body');
  return part.ok ? [] : part.error.detail.map(({ loc }) => loc.slice(1));
}

describe('starting a conversation', () => {
  test('what the Python client sends is taken: unknown members, nulls, an agent in full', () => {
    const agent = {
      llm: { ...llm, is_subscription: false, weird: { a: null } },
      tools: [{ name: 'terminal', params: {} }],
      kind: 'Agent',
    };
    const body = read(startConversation.body, {
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

  test('what the TypeScript client sends is taken: a workspace that says its type, not its kind', () => {
    const body = read(startConversation.body, {
      agent: { llm },
      max_iterations: 500,
      stuck_detection: true,
      workspace: { type: 'local', working_dir: '/srv/demo' },
      hook_config: null,
      user_id: null,
    });
    expect(body.workspace).toEqual({ working_dir: '/srv/demo', kind: 'LocalWorkspace' });
  });

  test('what the web UI sends is taken: settings, lookups of secrets by relative URL, tools of its own', () => {
    const body = read(startConversation.body, {
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
    const body = read(startConversation.body, {
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
    expect(refused(startConversation.body, { workspace: { working_dir: '/srv' }, ...more })).toEqual([where]);
  });
});

describe('ids', () => {
  test.each([ID, ID.replaceAll('-', ''), ID.toUpperCase(), `{${ID}}`, `urn:uuid:${ID}`])(
    '%s is read as the dashed one',
    (id) => {
      expect(read(getConversation.params, { conversation_id: id })).toEqual({ conversation_id: ID });
      expect(read(getConversations.query, { ids: id })).toEqual({ ids: [ID], include_skills: false });
    },
  );

  test('more than a hundred are refused, where OpenHands fails', () => {
    expect(refused(getConversations.query, { ids: Array.from({ length: 101 }, () => ID) })).toEqual([['ids']]);
  });
});

describe('listing', () => {
  test('a kind may be named in short or by its path', () => {
    const dotted = 'openhands.sdk.event.llm_convertible.message.MessageEvent';
    expect(read(searchEvents.query, { kind: dotted }).kind).toBe('MessageEvent');
    expect(read(searchEvents.query, { kind: 'MessageEvent' }).kind).toBe('MessageEvent');
    expect(read(searchEvents.query, { kind: 'Other' }).kind).toBe('Other');
  });

  test.each(['0', '101', '-1', '1.5', 'many'])(
    'a limit of %s is refused, where OpenHands fails or guesses',
    (limit) => {
      expect(refused(searchEvents.query, { limit })).toEqual([['limit']]);
      expect(refused(searchConversations.query, { limit })).toEqual([['limit']]);
    },
  );

  test('a time with a zone is read as the local one, to the microsecond', () => {
    const { timestamp__gte, timestamp__lt } = read(searchEvents.query, {
      timestamp__gte: '2026-03-01T10:00:00.000123',
      timestamp__lt: new Date(2026, 2, 1, 10, 0, 0, 500).toISOString(),
    });
    expect(timestamp__gte).toBe('2026-03-01T10:00:00.000123');
    expect(timestamp__lt).toBe('2026-03-01T10:00:00.500000');
    expect(refused(searchEvents.query, { timestamp__gte: 'yesterday' })).toEqual([['timestamp__gte']]);
    expect(refused(searchEvents.query, { timestamp__gte: '2026-13-01T10:00:00' })).toEqual([['timestamp__gte']]);
  });
});

describe('bash', () => {
  test('a command is named by 32 hex digits, times are UTC to the microsecond', () => {
    const query = read(searchBashEvents.query, {
      command_id__eq: ID.toUpperCase(),
      timestamp__gte: '2026-03-01T12:00:00.000123+02:00',
      timestamp__lt: '2026-03-01T10:00:01Z',
      order__gt: '3',
    });
    expect(query).toMatchObject({
      command_id__eq: ID.replaceAll('-', ''),
      timestamp__gte: '2026-03-01T10:00:00.000123Z',
      timestamp__lt: '2026-03-01T10:00:01.000000Z',
      order__gt: 3,
      limit: 100,
    });
  });

  test('a time without a zone is local', () => {
    const { timestamp__gte } = read(searchBashEvents.query, { timestamp__gte: '2026-03-01T10:00:00' });
    expect(timestamp__gte).toBe(new Date(2026, 2, 1, 10).toISOString().replace('.000Z', '.000000Z'));
  });
});

describe('descriptions', () => {
  test('what is not known of an agent, its model, tools and condenser is handed back as it came', () => {
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
    expect(read(startConversation.body, { workspace: { working_dir: '/' }, agent }).agent).toEqual(agent);
  });

  test('what a server tells is read although its agent is of a kind or a form that is not known', () => {
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

describe('messages', () => {
  test('a bare text is one part, and `run` is off unless it is asked for', () => {
    expect(read(sendMessage.body, { content: 'Hi' })).toEqual({
      role: 'user',
      content: [{ type: 'text', text: 'Hi' }],
      run: false,
      sender: null,
    });
  });

  test.each(['assistant', 'system', 'tool'])('the role %s is refused, where OpenHands fails', (role) => {
    expect(refused(sendMessage.body, { role, content: [] })).toEqual([['role']]);
  });

  test('a member of a text part that readers of events refuse is refused', () => {
    expect(refused(sendMessage.body, { content: [{ type: 'text', text: 'Hi', extra: 1 }] })).toEqual([
      ['content', 0, 'extra'],
    ]);
  });

  test("older clients' members are left out", () => {
    const content = [
      { text: 'Hi', enable_truncation: true },
      { type: 'image', image_urls: ['data:,'], more: 1 },
    ];
    expect(read(sendMessage.body, { content }).content).toEqual([
      { text: 'Hi' },
      { type: 'image', image_urls: ['data:,'] },
    ]);
  });
});

describe('commands', () => {
  test('a secret is a text, a value or a source', () => {
    const secrets = {
      A: 'plain',
      B: { value: 'v' },
      C: { kind: 'LookupSecret', url: '/x' },
      D: { kind: 'Vault', path: 'p' },
    };
    expect(read(updateSecrets.body, { secrets }).secrets).toEqual({
      ...secrets,
      A: { kind: 'StaticSecret', value: 'plain' },
    });
  });

  test('an analyzer is taken away by null only, never by leaving it out', () => {
    expect(read(setSecurityAnalyzer.body, { security_analyzer: null })).toEqual({ security_analyzer: null });
    expect(refused(setSecurityAnalyzer.body, {})).toEqual([['security_analyzer']]);
  });

  test('a policy must be one that can be followed', () => {
    expect(refused(setConfirmationPolicy.body, { policy: { kind: 'Nope' } })).toEqual([['policy', 'kind']]);
    expect(refused(setConfirmationPolicy.body, { policy: 'AlwaysConfirm' })).toEqual([['policy']]);
  });

  test('a rejection without a reason has the one that OpenHands gives', () => {
    expect(read(respondToConfirmation.body, { accept: false })).toEqual({
      accept: false,
      reason: 'User rejected the action.',
    });
    expect(refused(respondToConfirmation.body, {})).toEqual([['accept']]);
  });

  test('a fork needs no body', () => {
    expect(read(forkConversation.body, undefined)).toEqual({
      id: null,
      title: null,
      tags: null,
      reset_metrics: true,
      from_event_id: null,
    });
  });

  test('a title is not empty, and null leaves it', () => {
    expect(read(updateConversation.body, { title: null })).toEqual({ title: null, tags: null });
    expect(refused(updateConversation.body, { title: '' })).toEqual([['title']]);
    expect(refused(updateConversation.body, { title: 'x'.repeat(201) })).toEqual([['title']]);
  });

  test('navigating before the first event is null', () => {
    expect(read(navigateConversation.body, { event_id: null })).toEqual({ event_id: null });
  });
});

test('P13: whatever is sent, it is read or refused with the part that it stands in', () => {
  const odd = [
    undefined,
    null,
    0,
    '',
    'x',
    [],
    {},
    [null],
    { a: 1 },
    JSON.parse('{"__proto__":{"a":1}}'),
    nested(20_000),
  ];
  const schemas = routes
    .flatMap(({ params, query, body }) => [params, query, body])
    .filter((schema) => schema !== undefined);
  const answers = schemas.flatMap((schema) => odd.map((value) => readPart(schema, value, 'body')));
  const refusals = answers.flatMap((answer) => (answer.ok ? [] : answer.error.detail));
  expect(refusals.length).toBeGreaterThan(1000);
  expect(refusals.filter(({ loc, msg, type }) => loc[0] !== 'body' || msg === '' || type === '')).toEqual([]);
});

test('P13: descriptions within descriptions without end are refused', () => {
  const part = readPart(
    startConversation.body ?? raise(),
    { workspace: { working_dir: '/' }, security_analyzer: ensembles(20_000) },
    'body',
  );
  expect(part).toMatchObject({ ok: false, error: { detail: [{ type: 'recursion_loop' }] } });
});

function nested(depth: number): unknown {
  return JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`);
}

function ensembles(depth: number): unknown {
  const open = '{"kind":"EnsembleSecurityAnalyzer","analyzers":[';
  return JSON.parse(`${open.repeat(depth)}{"kind":"LLMSecurityAnalyzer"}${']}'.repeat(depth)}`);
}

function raise(): never {
  throw new Error('the route has no body');
}
