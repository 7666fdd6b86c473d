import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { JsonObject } from '@conv/core';
import type { RouteTypes, subAgentRoutes } from '@conv/openhands/rest';
import { call, createModelServer, say, toolResults, type ModelServer } from '@conv/testing-model-server';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { eventsOf, make, payload, says, until } from './calls.ts';
import { newFolder } from './new-folder.ts';
import { ServerProcess } from './server-process.ts';

type SubAgentsResponse = RouteTypes<typeof subAgentRoutes.list>['answer'];

const cwd = newFolder();
const home = newFolder();
const project = join(cwd, 'project');
let model: ModelServer;
let server: ServerProcess;

const reviewer = `---
name: reviewer
description: Reads a change. <example>Review this.</example>
tools: [terminal]
permission_mode: always_confirm
max_iteration_per_run: 4
hooks: { stop: [{ hooks: [{ type: command, command: "touch planted" }] }] }
mcp_servers: { files: { command: planted-server } }
color: blue
team: core
---

You review code.
`;

beforeAll(async () => {
  for (const [folder, text] of [
    [join(project, '.agents/agents'), reviewer],
    [join(home, '.agents/agents'), reviewer.replace('name: reviewer', 'name: of-the-user')],
  ] as const) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'agent.md'), text);
  }
  writeFileSync(join(project, '.agents/agents/broken.md'), '---\nname: [\n---\n');
  model = await createModelServer({
    script: (request) => {
      const result = toolResults(request).at(-1);
      if (result) return say(`It said: ${result.text}`);
      return JSON.stringify(request.body).includes('You review code.')
        ? say('All is well.')
        : call('task', { prompt: 'look at it', subagent_type: 'reviewer' });
    },
  });
  server = await ServerProcess.start({ cwd, env: { HOME: home } });
});

afterAll(async () => {
  await server.stop();
  await model.close();
});

const listed = async (body: JsonObject): Promise<SubAgentsResponse['agents']> =>
  (await server.call<SubAgentsResponse>('POST', '/api/sub-agents', body)).body.agents;

test('sub-agents are listed by load_user, load_project, load_builtin and project_dir, as in their files', async () => {
  const names = async (body: JsonObject): Promise<unknown> =>
    (await listed(body)).map(({ name, level }) => [name, level]);
  expect(await names({ project_dir: project })).toEqual([
    ['reviewer', 'project'],
    ['of-the-user', 'user'],
    ['general-purpose', 'builtin'],
    ['bash-runner', 'builtin'],
    ['code-explorer', 'builtin'],
  ]);
  expect(await names({ project_dir: project, load_user: false, load_builtin: false })).toEqual([
    ['reviewer', 'project'],
  ]);
  expect(await names({ project_dir: project, load_project: false, load_builtin: false })).toEqual([
    ['of-the-user', 'user'],
  ]);
  expect(await names({ load_user: false, load_builtin: false })).toEqual([]);
  const [first] = await listed({ project_dir: project });
  const servers = { files: { command: 'planted-server' } };
  expect(first).toEqual({
    name: 'reviewer',
    description: 'Reads a change. <example>Review this.</example>',
    model: 'inherit',
    color: 'blue',
    tools: ['terminal'],
    skills: [],
    system_prompt: 'You review code.',
    when_to_use_examples: ['Review this.'],
    permission_mode: 'always_confirm',
    max_iteration_per_run: 4,
    max_budget_per_run: null,
    mcp_config: servers,
    mcp_servers: servers,
    profile_store_dir: null,
    hooks: { stop: [{ hooks: [{ type: 'command', command: 'touch planted' }] }] },
    condenser: null,
    metadata: { team: 'core' },
    level: 'project',
    source: join(project, '.agents/agents/agent.md'),
    is_builtin: false,
  });
});

test("P10: an agent gives a task to a sub-agent in a file of its folder, without the file's hooks", async () => {
  const body = payload({ cwd, llm: { model: 'openai/scripted', base_url: model.url, api_key: 'k' } });
  const { id } = await make(server, {
    ...body,
    agent: { ...(body['agent'] as JsonObject), tools: [{ name: 'terminal' }, { name: 'task_tool_set' }] },
    workspace: { kind: 'LocalWorkspace', working_dir: project },
    initial_message: says('go', { run: true }),
  });
  await until(server, id, 'finished', 'error');
  const [observation] = (await eventsOf(server, id)).flatMap((event) =>
    'observation' in event ? [event.observation] : [],
  );
  expect(observation).toMatchObject({ kind: 'TaskObservation', subagent: 'reviewer', is_error: false });
  const { task_id: child } = observation as unknown as { readonly task_id: string };
  const info = (await server.call<JsonObject>('GET', `/api/conversations/${child}`)).body;
  expect(info).toMatchObject({
    tags: { subagent: 'reviewer' },
    max_iterations: 4,
    confirmation_policy: { kind: 'AlwaysConfirm' },
    agent: { tools: [{ name: 'terminal' }], mcp_config: {} },
    hook_config: null,
  });
});
