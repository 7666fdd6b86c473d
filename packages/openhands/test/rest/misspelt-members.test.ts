import { describe, expect, test } from 'vitest';

import {
  conversationRoutes,
  eventRoutes,
  gitRoutes,
  historyRoutes,
  ignoredMembers,
  pastRoutes,
  readPart,
  settingsRoutes,
} from '../../src/rest/index.ts';
import type { Route } from '../../src/rest/index.ts';

const START = {
  workspace: { working_dir: '/work' },
  agent: { kind: 'Agent', llm: { model: 'openai/gpt-5' }, tools: [{ name: 'terminal', params: {} }] },
};

function bodyOf(route: { readonly body?: Route['body'] }): NonNullable<Route['body']> {
  if (!route.body) throw new Error('the route has a body');
  return route.body;
}

const start = bodyOf(conversationRoutes.start);

/** The places that are refused, each with the text. */
function refusals(schema: NonNullable<Route['body']>, body: object): readonly (readonly [string, string])[] {
  const read = readPart(schema, JSON.parse(JSON.stringify(body)), 'body');
  return read.ok ? [] : read.error.detail.map(({ loc, msg }) => [loc.join('.'), msg]);
}

describe('a misspelt member', () => {
  test.each<[place: string, expected: string, more: object]>([
    ['workspace.working_dirr', 'working_dir', { workspace: { working_dir: '/work', working_dirr: '/other' } }],
    ['agent.tool', 'tools', { agent: { ...START.agent, tool: [] } }],
    ['agent.toolConcurrencyLimit', 'tool_concurrency_limit', { agent: { ...START.agent, toolConcurrencyLimit: 4 } }],
    ['agent.llm.temprature', 'temperature', { agent: { ...START.agent, llm: { model: 'm', temprature: 0 } } }],
    ['agent.tools.0.param', 'params', { agent: { ...START.agent, tools: [{ name: 'terminal', param: {} }] } }],
    [
      'agent.agent_context.system_mesage_suffix',
      'system_message_suffix',
      { agent: { ...START.agent, agent_context: { system_mesage_suffix: 'x' } } },
    ],
    [
      'agent_settings.llm.baseUrl',
      'base_url',
      { agent: undefined, agent_settings: { llm: { model: 'm', baseUrl: 'http://x' } } },
    ],
    [
      'agent_settings.condenser.max_sze',
      'max_size',
      { agent: undefined, agent_settings: { condenser: { max_sze: 9 } } },
    ],
    ['initial_message.contents', 'content', { initial_message: { contents: 'hello' } }],
    ['secrets.TOKEN.desciption', 'description', { secrets: { TOKEN: { value: 'a secret value', desciption: 'x' } } }],
    [
      'hook_config.stop.0.hooks.0.timout',
      'timeout',
      { hook_config: { stop: [{ hooks: [{ command: 'true', timout: 5 }] }] } },
    ],
    [
      'hook_config.pre_tool_use.0.macher',
      'matcher',
      { hook_config: { hooks: { PreToolUse: [{ macher: 'x', hooks: [] }] } } },
    ],
    ['max_budgets', 'max_budget', { max_budgets: 5 }],
    ['stuck_detection_threshold', 'stuck_detection_thresholds', { stuck_detection_threshold: { monologue: 2 } }],
    ['stuck_detection_thresholds.monolog', 'monologue', { stuck_detection_thresholds: { monolog: 2 } }],
    [
      'stuck_detection_thresholds.actionError',
      'action_error',
      { stuck_detection_thresholds: { actionError: 2, action_observation: 3, another: 1 } },
    ],
  ])('P13: %s is refused, and %s is expected', (place, expected, more) => {
    expect(refusals(start, { ...START, ...more })).toEqual([
      [`body.${place}`, expect.stringContaining(`expected ${expected}, found`)],
    ]);
  });

  test.each<[place: string, schema: NonNullable<Route['body']>, body: object]>([
    ['sendr', bodyOf(eventRoutes.sendMessage), { role: 'user', content: 'hello', sendr: 'Ann' }],
    ['agent_settings_diff.llm.modle', bodyOf(settingsRoutes.update), { agent_settings_diff: { llm: { modle: 'm' } } }],
    [
      'conversation_settings_diff.max_iteration',
      bodyOf(settingsRoutes.update),
      { conversation_settings_diff: { max_iteration: 3 } },
    ],
  ])('P13: %s of another request is refused, too', (place, schema, body) => {
    expect(refusals(schema, body).map(([loc]) => loc)).toEqual([`body.${place}`]);
  });

  test.each<[member: string, expected: string, route: { readonly query?: Route['query'] }, query: object]>([
    ['evnt', 'event', historyRoutes.getState, { evnt: '1' }],
    ['events', 'event', pastRoutes.getView, { events: '1' }],
    ['aftr', 'after', pastRoutes.getOutline, { aftr: '1' }],
    ['lmit', 'limit', eventRoutes.search, { lmit: '5' }],
    ['timestmp__lt', 'timestamp__lt', eventRoutes.search, { timestmp__lt: '2026-01-01T00:00:00' }],
    ['statuss', 'status', conversationRoutes.search, { statuss: 'idle' }],
    ['includeSkils', 'include_skills', conversationRoutes.get, { includeSkils: 'true' }],
    ['reff', 'ref', gitRoutes.listChanges, { path: '/work', reff: 'HEAD' }],
  ])('P13: %s in a query is refused, and %s is expected', (member, expected, { query }, given) => {
    if (!query) throw new Error('the route has a query');
    const read = readPart(query, given, 'query');
    expect(read.ok ? [] : read.error.detail).toMatchObject([
      { loc: ['query', member], msg: expect.stringContaining(`expected ${expected}, found`) as string },
    ]);
  });

  test('a member of a query that is near no other passes, as clients of other versions send it', () => {
    const { query }: { readonly query?: Route['query'] } = eventRoutes.search;
    expect(query && readPart(query, { _: '1', sorting: 'x' }, 'query').ok).toBe(true);
  });

  test('P13: a policy and an analyzer refuse every unknown member', () => {
    const confirmation_policy = { kind: 'ConfirmRisky', treshold: 'HIGH' };
    const security_analyzer = {
      kind: 'EnsembleSecurityAnalyzer',
      analyzers: [{ kind: 'PatternSecurityAnalyzer', high_paterns: [] }],
    };
    expect(refusals(start, { ...START, confirmation_policy, security_analyzer }).map(([loc]) => loc)).toEqual([
      'body.confirmation_policy.treshold',
      'body.security_analyzer.analyzers.0.high_paterns',
    ]);
  });
});

describe('a member of another version', () => {
  /** Unknown members that clients from SDK 1.43.1 to 1.58.2 send, and what others write. */
  const FOREIGN = {
    ...START,
    agent: {
      ...START.agent,
      mood: 'a',
      made_up: 1,
      llm: { model: 'm', stream_idle_timeout: 5, retry_listener: null, litellm_extra_body: { modle: 1 } },
      tools: [{ name: 'terminal', params: { nmae: 1 } }],
      mcp_config: { files: { command: 'x', env: { urll: 'y' }, alwaysAllow: [] } },
    },
    workspace: { working_dir: '/work', type: 'local' },
    observability_parent_span_context: null,
    prompt: null,
    worktree_options: null,
    branch_choices: null,
    agent_launch_additions: null,
    hook_config: { stop: [{ hooks: [{ command: 'true', async_: false, on_error: 'deny' }] }] },
    client_tools: [{ name: 'ask', description: 'Asks.', answers: 'caller' }],
    secrets: { wrong: { value: 'a secret value', vale: 1 } },
  };

  test('a member of another version passes, and its place is named', () => {
    const { secrets: _secrets, ...sent } = FOREIGN;
    expect(refusals(start, sent)).toEqual([]);
    expect(ignoredMembers(start, sent).toSorted()).toEqual([
      'agent.llm.retry_listener',
      'agent.made_up',
      'agent.mcp_config.files.alwaysAllow',
      'agent.mood',
      'branch_choices',
      'workspace.type',
    ]);
  });

  test('a member of another version does not hide a misspelt member beside it', () => {
    expect(refusals(start, FOREIGN).map(([loc]) => loc)).toEqual(['body.secrets.wrong.vale']);
  });

  test('P12: a flood of unknown members is read, and the first thousand are compared and named', () => {
    const flood = Object.fromEntries(Array.from({ length: 5_000 }, (_, number) => [`unknown_member_${number}`, 1]));
    expect(refusals(start, { ...START, ...flood, max_budgets: 5 })).toEqual([]);
    expect(ignoredMembers(start, { ...START, ...flood })).toHaveLength(1_000);
  });
});
