import type { JsonObject } from '@conv/core';
import { expect, test } from 'vitest';

import { startServer, type TestServer } from '../support/test-server.ts';

/** A server that notes the agents whose programs it would start, and answers that they have no models. */
async function listing(): Promise<{ readonly server: TestServer; readonly asked: readonly JsonObject[] }> {
  const asked: JsonObject[] = [];
  const server = await startServer({
    acpModels: async ({ agent }) => {
      asked.push(agent);
      return { name: '', version: '', currentModel: null, models: [] };
    },
  });
  return { server, asked };
}

test.each<[string, unknown]>([
  ['schema_version', 0],
  ['agent_kind', 'openhands'],
  ['acp_server', {}],
  ['acp_server', 'no_such'],
  ['acp_command', 'x'],
  ['acp_args', 'x'],
  ['acp_model', 7],
  ['acp_session_mode', {}],
  ['acp_prompt_timeout', 0],
  ['acp_startup_timeout', 'x'],
  ['acp_isolate_data_dir', {}],
  ['acp_file_secrets', 'x'],
  ['mcp_config', 'x'],
  ['agent_context', 'x'],
])('a question for models with the %s %j is refused by name, and starts nothing', async (name, value) => {
  const { server, asked } = await listing();
  const { status, body } = await server.call('POST', '/api/acp/models', { agent_settings: { [name]: value } });
  expect(status).toBe(422);
  expect(JSON.stringify(body)).toContain(name === 'acp_server' && value === 'no_such' ? 'acp_command' : name);
  expect(asked).toEqual([]);
});

test('the program of acp_command, acp_args and acp_startup_timeout, or of acp_server, is asked for models', async () => {
  const { server, asked } = await listing();
  const own = { acp_server: 'of-tomorrow', acp_command: ['ship'], acp_args: ['--acp'], acp_startup_timeout: 5 };
  const newer = { acp_of_a_later_release: [1], acp_model: null };
  for (const settings of [
    { agent_kind: 'acp', ...own, ...newer },
    { acp_server: 'codex', acp_command: null },
  ]) {
    const { status } = await server.call('POST', '/api/acp/models', { agent_settings: settings });
    expect(status).toBe(200);
  }
  expect(asked).toEqual([
    { kind: 'ACPAgent', ...own, acp_of_a_later_release: [1] },
    { kind: 'ACPAgent', acp_server: 'codex', acp_command: ['codex-acp'] },
  ]);
});
