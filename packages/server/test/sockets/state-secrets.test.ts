import { initialFields, type StateFields } from '@conv/core';
import { systemPlatform as platform } from '@conv/core/platform';
import { expect, test } from 'vitest';

import { changeFrames, fullStateFrames } from '../../src/sockets/state-frames.ts';

const token = `gAAAAAB${'x'.repeat(80)}`;
const agent = {
  kind: 'Agent',
  llm: { model: 'openai/gpt-4o', api_key: token, aws_secret_access_key: 'aws-secret', max_output_tokens: 4 },
  agent_context: { secrets: { A: 'plain-secret', B: { kind: 'StaticSecret', value: token, description: 'what for' } } },
  mcp_config: {
    server: { command: 'run', env: { TOKEN: 'env-secret', FROM: '${OTHER}' }, headers: { X: 'header-secret' } },
  },
};
const secretRegistry = { secret_sources: { NAME: { kind: 'StaticSecret', value: token } } };
const state: StateFields = { ...initialFields, id: 'c', agent, secretRegistry };

test('the whole state and its changes hide keys, tokens and values of variables, headers and secrets', () => {
  const shown = [fullStateFrames(platform, state), ...changeFrames(platform, state, initialFields)].map(({ plain }) =>
    plain.toString(),
  );
  expect(shown).toHaveLength(4);
  for (const text of shown) {
    expect(text).not.toContain('gAAAAAB');
    expect(text).not.toMatch(/(?:aws|plain|env|header)-secret/);
  }
  const { value } = JSON.parse(shown[0] as string) as { value: { agent: object; secret_registry: object } };
  expect(value.agent).toMatchObject({
    llm: { model: 'openai/gpt-4o', api_key: '**********', max_output_tokens: 4 },
    mcp_config: { server: { command: 'run', env: { FROM: '${OTHER}' } } },
  });
  expect(value.secret_registry).toEqual({ secret_sources: { NAME: { kind: 'StaticSecret', value: '**********' } } });
});

test('a change is announced by the name of its member, and a removed member has no value', () => {
  const before: StateFields = { ...state, securityAnalyzer: { kind: 'LLMSecurityAnalyzer' }, leafEventId: 'a' };
  const after: StateFields = { ...state, executionStatus: 'running', leafEventId: 'b', tags: { team: 'core' } };
  const events = changeFrames(platform, after, before).map(
    ({ plain }) => JSON.parse(plain.toString()) as Record<string, unknown>,
  );
  expect(events.map(({ key, value, source }) => ({ key, value, source }))).toEqual([
    { key: 'execution_status', value: 'running', source: 'environment' },
    { key: 'tags', value: { team: 'core' }, source: 'environment' },
    { key: 'security_analyzer', value: undefined, source: 'environment' },
  ]);
  expect(changeFrames(platform, after, after)).toEqual([]);
});

test('the status is told again when a call begins that a client may answer', () => {
  const clientTools = [{ name: 'ask_user', description: 'Asks.', parameters: { type: 'object' } }];
  const before: StateFields = {
    ...state,
    executionStatus: 'running',
    clientTools,
    calls: { a: 'started', b: 'allowed' },
  };
  const keys = (after: StateFields, than: StateFields): readonly unknown[] =>
    changeFrames(platform, after, than).map(({ plain }) => JSON.parse(plain.toString()).key);
  const begun: StateFields = { ...before, calls: { a: 'started', b: 'started' } };
  expect(keys(begun, before)).toEqual(['execution_status']);
  expect(keys({ ...before, calls: { b: 'allowed' } }, before)).toEqual([]);
  expect(keys({ ...begun, clientTools: [] }, { ...before, clientTools: [] })).toEqual([]);
});

test('costs of models are announced in totals, with a budget of null if there is none', () => {
  const usage = {
    modelName: 'openai/gpt-4o',
    cost: 0.5,
    calls: 2,
    promptTokens: 10,
    completionTokens: 4,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
    contextWindow: 0,
    perTurnTokens: 7,
    lastResponseId: 'r2',
  };
  const [frames] = changeFrames(platform, { ...state, stats: { agent: usage } }, state);
  const { key, value } = JSON.parse(frames?.plain.toString() ?? '') as { key: string; value: Record<string, object> };
  expect(key).toBe('stats');
  expect(value['usage_to_metrics']).toEqual({
    agent: {
      model_name: 'openai/gpt-4o',
      accumulated_cost: 0.5,
      max_budget_per_task: null,
      accumulated_token_usage: expect.objectContaining({ prompt_tokens: 10, completion_tokens: 4 }),
    },
  });
});
