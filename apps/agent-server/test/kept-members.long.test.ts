import { SECRET_MASK, type JsonObject } from '@conv/core';
import { filesWith } from '@conv/testing-harness';
import { createModelServer, say, type ModelServer } from '@conv/testing-model-server';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { make, payload, says, until } from './calls.ts';
import { newFolder } from './new-folder.ts';
import { ServerProcess } from './server-process.ts';

const VALUE = 'kept-member-canary-5d21c7';
const cwd = newFolder();
let model: ModelServer;
let server: ServerProcess;
let body: JsonObject;

/** Members that the server keeps with a conversation, each with the value in it. */
const members: Readonly<Record<string, JsonObject>> = {
  user_id: { user_id: `of ${VALUE}` },
  observability_metadata: { observability_metadata: { team: VALUE, [`by ${VALUE}`]: 'name' } },
  observability_tags: { observability_tags: [VALUE] },
  observability_span_name: { observability_span_name: `span ${VALUE}` },
  title_llm_profile: { title_llm_profile: VALUE },
  tool_module_qualnames: { tool_module_qualnames: { terminal: `modules.${VALUE}`, [VALUE]: 'modules.terminal' } },
  system_message_suffix_append: { agent_launch_additions: { system_message_suffix_append: `Use ${VALUE}.` } },
  agent_definitions: {
    agent_definitions: [{ name: VALUE, description: `helps with ${VALUE}`, system_prompt: `Use ${VALUE}.` }],
  },
  tags: { tags: { note: VALUE } },
  system_message_suffix: { agent: { agent_context: { system_message_suffix: `Use ${VALUE}.` } } },
};

beforeAll(async () => {
  model = await createModelServer({ script: () => say('Yes.') });
  body = payload({ cwd, llm: { model: 'openai/test-model', base_url: model.url, api_key: 'sk-test-0123456789' } });
  server = await ServerProcess.start({ cwd, env: { OH_SECRET_KEY: 'the-key-of-this-server-0123' } });
});

afterAll(async () => {
  await server.stop();
  await model.close();
});

function withMember(member: JsonObject): JsonObject {
  const agent = { ...(body['agent'] as JsonObject), ...(member['agent'] as JsonObject | undefined) };
  return { ...body, ...member, agent };
}

const secrets = { TOKEN: { kind: 'StaticSecret', value: VALUE } };

/** Returns the answers of the server about a conversation. */
async function answersOf(id: string): Promise<string> {
  const paths = ['', '/search?limit=100', `/${id}`, `/${id}/events/search?limit=100`];
  const answers = await Promise.all(paths.map((path) => server.call('GET', `/api/conversations${path}`)));
  return JSON.stringify(answers);
}

test.each(Object.entries(members))(
  'P9: a value in %s of a start request is masked in answers, in files and in the log',
  async (_, member) => {
    const made = await make(server, { ...withMember(member), secrets });
    await server.call('POST', `/api/conversations/${made.id}/events`, says('hello', { run: true }));
    await until(server, made.id, 'finished', 'idle');
    expect(JSON.stringify(made) + (await answersOf(made.id))).not.toContain(VALUE);
    expect(filesWith(cwd, VALUE)).toEqual([]);
    expect(server.log).not.toContain(VALUE);
    const [meta] = filesWith(cwd, SECRET_MASK).filter((path) => path.includes(made.id.replaceAll('-', '')));
    expect(meta).toBeDefined();
  },
);

test.each(Object.entries(members))(
  'P9: a value in %s of a start request is masked in answers when it is registered later',
  async (_, member) => {
    const made = await make(server, withMember(member));
    expect((await server.call('POST', `/api/conversations/${made.id}/secrets`, { secrets })).status).toBe(200);
    expect(await answersOf(made.id)).not.toContain(VALUE);
    await server.call('DELETE', `/api/conversations/${made.id}`);
  },
);

test('P9: a value in agent_definitions of a refused request is in no answer, file or line of the log', async () => {
  const definition = { name: VALUE, system_prompt: `Use ${VALUE}.`, permission_mode: VALUE };
  const { status, body: refusal } = await server.call('POST', '/api/conversations', {
    ...withMember({}),
    secrets,
    agent_definitions: [definition],
  });
  expect(status).toBe(422);
  expect(JSON.stringify(refusal)).toContain('agent_definitions');
  expect(JSON.stringify(refusal)).not.toContain(VALUE);
  expect(filesWith(cwd, VALUE)).toEqual([]);
  expect(server.log).not.toContain(VALUE);
});
