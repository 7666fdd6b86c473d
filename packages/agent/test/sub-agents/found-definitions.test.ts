import { isAgent, type JsonObject } from '@conv/core';
import { call, say } from '@conv/testing-model-server';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type AgentDefinition, createAgent, delegateTool, describeAgentDefinition, taskTool } from '../../src/index.ts';
import { scene } from '../support/bench.ts';
import { ScriptedChildren } from '../support/children.ts';
import { scriptedModel } from '../support/scripted-model.ts';
import { add, look } from '../support/tools.ts';

const found = (definition: Partial<AgentDefinition>): AgentDefinition => ({
  name: 'finder',
  description: 'Finds.',
  ...definition,
});

/** Gives the model a task for this sub-agent. Resolves with the tasks that were begun and what the model read about the tool. */
async function play(
  name: string,
  find: () => Promise<readonly AgentDefinition[]>,
  subAgents: readonly JsonObject[] = [],
): Promise<{ readonly children: ScriptedChildren; readonly read: string }> {
  const children = new ScriptedChildren();
  const turns = [call('task', { prompt: 'Go!', subagent_type: name }), say('done')];
  await using playing = await scene(turns, {
    agent: { tools: [taskTool({ find }), delegateTool({ find }), add, look] },
    session: { children, subAgents },
  });
  playing.bench.say('go');
  await playing.bench.run();
  return { children, read: JSON.stringify(playing.server.requests[0]?.body) };
}

test('a found sub-agent gets tasks, without its hooks and with the servers of its caller', async () => {
  const definition = found({
    tools: ['look'],
    systemPrompt: 'You find.',
    hooks: { stop: [] } as never,
    mcpServers: { own: { command: 'own' } },
  });
  const { children, read } = await play('finder', async () => [definition]);
  const [task] = children.tasks;
  expect(read).toContain('- finder: Finds.');
  expect(task).toMatchObject({ tags: { subagent: 'finder' } });
  expect(task).not.toHaveProperty('hooks');
  if (!isAgent(task?.agent)) throw new Error('expected a task with an agent');
  expect(task.agent.describe()).toMatchObject({
    tools: [{ name: 'look' }],
    agent_context: { system_message_suffix: 'You find.' },
    mcp_config: {},
  });
});

test('P10: a found sub-agent with a tool that its caller lacks is left out', async () => {
  const { read } = await play('general-purpose', async () => [
    found({ tools: ['terminal'] }),
    found({ name: 'other', tools: ['look'] }),
  ]);
  expect(read).not.toContain('- finder:');
  expect(read).toContain('- other: Finds.');
});

test('a definition that came with the conversation goes before a found one', async () => {
  const sent = { name: 'finder', description: 'Sent.', tools: [] };
  const { read } = await play('finder', async () => [found({})], [sent]);
  expect(read).toContain('- finder: Sent.');
  expect(read).not.toContain('- finder: Finds.');
});

test('a search that fails is a warning, and the others are there', async () => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  onTestFinished(() => warned.mockRestore());
  const { children } = await play('general-purpose', () => Promise.reject(new Error('no folder')));
  expect(children.tasks).toHaveLength(1);
  expect(warned.mock.calls.map(([text]) => String(text)).join()).toContain('no folder');
});

test('an agent tells which sub-agents a server needs, with the tools that they have here', () => {
  const agents: AgentDefinition[] = [
    found({ systemPrompt: 'You find.', model: 'quick', permissionMode: 'always_confirm', source: '/here/finder.md' }),
    found({ name: 'looker', tools: ['look'], maxIterations: 3, maxBudget: 0.5 }),
  ];
  const tools = [
    taskTool({ agents, profiles: { load: () => Promise.reject(new Error('none')) } }),
    delegateTool(),
    add,
    look,
  ];
  const agent = createAgent({ model: scriptedModel([]), tools });
  expect(agent.subAgents?.()).toEqual([
    {
      name: 'finder',
      description: 'Finds.',
      model: 'quick',
      tools: ['add', 'look'],
      skills: [],
      system_prompt: 'You find.',
      permission_mode: 'always_confirm',
    },
    {
      name: 'looker',
      description: 'Finds.',
      model: 'inherit',
      tools: ['look'],
      skills: [],
      system_prompt: '',
      max_iteration_per_run: 3,
      max_budget_per_run: 0.5,
    },
  ]);
  expect(createAgent({ model: scriptedModel([]), tools: [add] }).subAgents?.()).toEqual([]);
});

test('a complete agent and servers of its own cannot be sent, and the refusal says so', () => {
  const agentWith = (definition: AgentDefinition) => () =>
    createAgent({
      model: scriptedModel([]),
      tools: [taskTool({ agents: [definition], mcp: () => Promise.reject(new Error('none')) as never })],
    }).subAgents?.();
  const whole = found({ agent: createAgent({ model: scriptedModel([]) }) });
  expect(agentWith(whole)).toThrow('a complete agent, which cannot be described');
  expect(agentWith(found({ mcpServers: { own: { command: 'own' } } }))).toThrow(
    'servers of its own, which a server ignores',
  );
  expect(() => describeAgentDefinition(whole)).toThrow('INVALID_AGENT');
});
