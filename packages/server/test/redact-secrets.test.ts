import { expect, test } from 'vitest';

import { redactSecrets, REDACTED } from '../src/redact-secrets.ts';

test('keys, tokens and the values of environments, headers and secrets are hidden; what only names them is not', () => {
  const agent = {
    kind: 'Agent',
    llm: {
      model: 'openai/gpt-4o',
      api_key: 'sk-1',
      aws_secret_access_key: 'aws',
      max_output_tokens: 4,
      base_url: null,
    },
    agent_context: { secrets: { A: 'plain', B: { kind: 'StaticSecret', value: 'v', description: 'what for' } } },
    mcp_config: {
      server: { command: 'run', env: { TOKEN: 't', FROM: '${OTHER}' }, headers: { Authorization: 'Bearer x' } },
    },
    tools: [{ name: 'terminal', params: { note: 'gAAAAABtoken' } }],
  };
  expect(redactSecrets(agent)).toEqual({
    ...agent,
    llm: { ...agent.llm, api_key: REDACTED, aws_secret_access_key: REDACTED },
    agent_context: { secrets: { A: REDACTED, B: { kind: 'StaticSecret', value: REDACTED, description: 'what for' } } },
    mcp_config: {
      server: { command: 'run', env: { TOKEN: REDACTED, FROM: '${OTHER}' }, headers: { Authorization: REDACTED } },
    },
    tools: [{ name: 'terminal', params: { note: REDACTED } }],
  });
  expect(redactSecrets({ llm: agent.llm }, null)).toMatchObject({ llm: { api_key: null, model: 'openai/gpt-4o' } });
});

test('what holds no secret is the very same object', () => {
  const state = { agent: { llm: { model: 'm' }, tools: [{ name: 'a' }] }, secret_registry: { secret_sources: {} } };
  expect(redactSecrets(state)).toBe(state);
});
