import { isAgent, type JsonObject } from '@conv/core';
import type { ToolProvider } from '@conv/core/tool';
import { call, say } from '@conv/testing-model-server';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type AgentDefinition, delegateTool, taskTool } from '../../src/index.ts';
import { type Scene, scene } from '../support/bench.ts';
import { ScriptedChildren } from '../support/children.ts';
import { add, look } from '../support/tools.ts';

const servers: ToolProvider = {
  name: 'servers',
  description: { mcp_config: { files: { command: 'files' } } },
  provide: async () => ({ tools: [], close: async () => {} }),
};

/** Gives the model a task for this sub-agent, in a conversation that came with definitions. */
async function play(
  subAgents: readonly JsonObject[],
  name: string,
  children: ScriptedChildren,
  agents: readonly AgentDefinition[] = [],
): Promise<Scene> {
  const tools = [taskTool({ agents }), delegateTool({ agents }), add, look, servers];
  const turns = [call('task', { prompt: 'Go!', subagent_type: name }), say('done')];
  const playing = await scene(turns, { agent: { tools }, session: { children, subAgents } });
  playing.bench.say('go');
  await playing.bench.run();
  return playing;
}

/** Returns the description of the agent that got the first task. */
function builtBy({ tasks: [task] }: ScriptedChildren): JsonObject {
  if (!isAgent(task?.agent)) throw new Error('expected a task with an agent');
  return task.agent.describe();
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe('a definition that came with the conversation', () => {
  test('a sent definition is a sub-agent with its limits, its policy, its hooks and its prompt', async () => {
    const children = new ScriptedChildren();
    const sent = {
      name: 'checker',
      description: 'Checks.',
      system_prompt: 'You check.',
      tools: ['look'],
      permission_mode: 'always_confirm',
      max_iteration_per_run: 7,
      max_budget_per_run: 0.5,
      hooks: { stop: [] },
      color: 'red',
    };
    await using _playing = await play([sent], 'checker', children);
    expect(children.tasks).toMatchObject([
      {
        prompt: 'Go!',
        tags: { subagent: 'checker' },
        limits: { maxIterations: 7, maxBudgetPerRun: 0.5 },
        confirmationPolicy: { kind: 'AlwaysConfirm' },
        hooks: { stop: [] },
      },
    ]);
    expect(builtBy(children)).toMatchObject({
      tools: [{ name: 'look' }],
      agent_context: { system_message_suffix: 'You check.' },
    });
  });

  test('a sent definition has only the tools of its definition, and the MCP servers of its caller', async () => {
    const children = new ScriptedChildren();
    await using _playing = await play([{ name: 'thinker' }], 'thinker', children);
    expect(builtBy(children)).toMatchObject({ tools: [], mcp_config: { files: { command: 'files' } } });
  });

  test('a sent definition gives tasks itself if it names task_tool_set', async () => {
    const children = new ScriptedChildren();
    await using _playing = await play([{ name: 'boss', tools: ['task_tool_set', 'add'] }], 'boss', children);
    expect(builtBy(children)['tools']).toMatchObject([{ name: 'task' }, { name: 'add' }]);
  });

  test("a sent definition wins over the tool's one with the same name, and the first of two sent wins", async () => {
    const children = new ScriptedChildren();
    const own = { name: 'twice', description: 'Of the tool.' };
    const sent = [
      { name: 'twice', system_prompt: 'the first' },
      { name: 'twice', system_prompt: 'the second' },
    ];
    await using playing = await play(sent, 'twice', children, [own]);
    expect(builtBy(children)).toMatchObject({ agent_context: { system_message_suffix: 'the first' } });
    const [request] = playing.server.requests;
    expect(JSON.stringify(request?.body)).not.toContain('Of the tool.');
  });

  test('a sent definition has the condenser that it describes, which asks the model of the sub-agent', async () => {
    const children = new ScriptedChildren();
    const condenser = { kind: 'LLMSummarizingCondenser', max_size: 33, llm: { model: 'x', api_key: '**********' } };
    await using _playing = await play([{ name: 'long', condenser }], 'long', children);
    const built = builtBy(children);
    expect(built['condenser']).toMatchObject({ kind: 'LLMSummarizingCondenser', max_size: 33 });
    expect(Object(built['condenser'])['llm']['model']).toBe(Object(built['llm'])['model']);
  });

  test('a sent definition is left out with a warning if a member is wrong, and the others stay', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    const children = new ScriptedChildren();
    const sent = [{ name: 'wrong', permission_mode: 'sometimes' }, { name: 'right' }];
    await using _playing = await play(sent, 'right', children);
    expect(children.tasks).toHaveLength(1);
    expect(warned.mock.calls.map(([text]) => text)).toContainEqual(
      expect.stringMatching(/agent "wrong": permission_mode: /),
    );
  });
});
