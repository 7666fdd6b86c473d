import { randomUUID } from 'node:crypto';
import { isAgent, type Agent } from '@conv/core';
import type { ChildResult, ToolContext, ToolProvider } from '@conv/core/tool';
import { call, calls, say, type Turn } from '@conv/testing-model-server';
import { describe, expect, test } from 'vitest';
import {
  type AgentDefinition,
  createAgent,
  delegateTool,
  openaiCompatible,
  type SubAgentsOptions,
  taskTool,
} from '../../src/index.ts';
import { type Scene, scene, startBench } from '../support/bench.ts';
import { ScriptedChildren } from '../support/children.ts';
import { scriptedModel } from '../support/scripted-model.ts';
import { add, fileEditor, look, terminal } from '../support/tools.ts';

const reviewer: AgentDefinition = {
  name: 'reviewer',
  description: 'Finds what is wrong.',
  systemPrompt: 'You find what is wrong.',
  tools: ['look'],
  permissionMode: 'always_confirm',
  maxIterations: 7,
  maxBudget: 0.5,
  hooks: { stop: [] },
};

/** Plays the turns of a model of an agent with these sub-agents. */
async function play(
  turns: readonly Turn[],
  children: ScriptedChildren | undefined,
  { agents, ...sources }: SubAgentsOptions = { agents: [reviewer] },
): Promise<Scene> {
  const options = { ...(agents ? { agents } : {}), ...sources };
  const tools = [taskTool(options), delegateTool(options), add, look, terminal, fileEditor];
  const playing = await scene([...turns, say('done')], {
    agent: { tools, systemSuffix: 'Be kind.' },
    session: children ? { children } : {},
  });
  playing.bench.say('go');
  await playing.bench.run();
  return playing;
}

const results = ({ bench }: Scene): readonly unknown[] =>
  bench.ofKind('ObservationEvent').map(({ observation }) => observation);
const errors = ({ bench }: Scene): readonly string[] => bench.ofKind('AgentErrorEvent').map(({ error }) => error);

describe('the task tool', () => {
  test('the task tool has a sub-agent do a task, in the kinds of the wire', async () => {
    const children = new ScriptedChildren(() => ({ answer: 'All is well.' }));
    const args = { description: 'Look at it', prompt: 'Look!', subagent_type: 'reviewer', max_turns: 3 };
    await using playing = await play([call('task', args)], children);
    const [action] = playing.bench.ofKind('ActionEvent');
    expect(action?.action).toEqual({ ...args, kind: 'TaskAction' });
    const [id] = children.known.keys();
    expect(results(playing)).toEqual([
      {
        content: [{ cache_prompt: false, type: 'text', text: 'All is well.' }],
        is_error: false,
        task_id: id,
        subagent: 'reviewer',
        status: 'completed',
        kind: 'TaskObservation',
      },
    ]);
    expect(children.tasks).toMatchObject([
      {
        prompt: 'Look!',
        title: 'Look at it',
        tags: { subagent: 'reviewer' },
        limits: { maxIterations: 7, maxBudgetPerRun: 0.5 },
        maxIterations: 3,
        confirmationPolicy: { kind: 'AlwaysConfirm' },
        hooks: { stop: [] },
      },
    ]);
    expect(children.calls[0]?.toolCallId).toBe(action?.tool_call_id);
    const offered = playing.server.requests[0]?.tools.find(({ name }) => name === 'task');
    expect(offered?.description).toContain('- reviewer: Finds what is wrong.');
    expect(offered?.description).toContain('- general-purpose: ');
  });

  test('the task tool resumes a task by its id, with the agent that it had, whichever is named', async () => {
    const children = new ScriptedChildren();
    const id = randomUUID();
    children.known.set(id, { id, title: null, tags: { subagent: 'reviewer' }, status: 'paused' });
    await using playing = await play([call('task', { prompt: 'Go on.', resume: id })], children);
    expect(children.tasks).toMatchObject([{ id, prompt: 'Go on.' }]);
    expect(children.tasks[0]?.agent?.toolNames).toEqual(['look', 'finish', 'think']);
    expect(results(playing)).toMatchObject([{ task_id: id, subagent: 'reviewer', status: 'completed' }]);
  });

  test('P10: the task tool resumes a task under the rules that its definition has by then', async () => {
    const children = new ScriptedChildren();
    const id = randomUUID();
    children.known.set(id, { id, title: null, tags: { subagent: 'reviewer' }, status: 'paused' });
    await using _ = await play([call('task', { prompt: 'Go on.', resume: id })], children);
    const limits = { maxIterations: 7, maxBudgetPerRun: 0.5 };
    expect(children.tasks).toMatchObject([{ id, limits, confirmationPolicy: { kind: 'AlwaysConfirm' } }]);
  });

  test('the task tool leaves a task whose definition is gone to the runtime, which has its agent stored', async () => {
    const children = new ScriptedChildren();
    const id = randomUUID();
    children.known.set(id, { id, title: null, tags: { subagent: 'gone' }, status: 'paused' });
    await using playing = await play([call('task', { prompt: 'Go on.', resume: id })], children);
    expect(children.tasks).toEqual([{ id, prompt: 'Go on.' }]);
    expect(results(playing)).toMatchObject([{ subagent: 'gone' }]);
  });

  test('the task tool gives "default" to the general sub-agent, unless a definition has that name', async () => {
    const own = { name: 'default', description: 'Its own.', systemPrompt: 'You are the default.' };
    for (const [agents, name] of [
      [[], 'general-purpose'],
      [[own], 'default'],
    ] as const) {
      const children = new ScriptedChildren(() => ({}));
      await using playing = await play([call('task', { prompt: 'Try.', subagent_type: 'default' })], children, {
        agents,
      });
      expect(results(playing)).toMatchObject([{ subagent: name }]);
    }
  });

  test.each<[string, Partial<ChildResult>, string, string]>([
    ['an error', { status: 'error', error: 'the model is away' }, 'error', 'the model is away'],
    ['a pause', { status: 'paused' }, 'error', 'It is paused.'],
  ])('P13: the task tool says that a task did not finish, and how it can: %s', async (_, end, status, said) => {
    const children = new ScriptedChildren(() => end);
    await using playing = await play([call('task', { prompt: 'Try.' })], children);
    const [id = ''] = children.known.keys();
    expect(results(playing)).toMatchObject([{ is_error: true, task_id: id, status, subagent: 'general-purpose' }]);
    for (const part of [said, id]) expect(JSON.stringify(results(playing))).toContain(part);
  });

  test('P10: the task tool names the actions that wait for a person, and approves none', async () => {
    const pending = [{ id: 'event-1', tool_name: 'terminal', summary: 'removes everything' }] as never;
    const children = new ScriptedChildren(() => ({ status: 'waiting_for_confirmation', pending }));
    await using playing = await play([call('task', { prompt: 'Try.' })], children);
    expect(results(playing)).toMatchObject([{ is_error: true, status: 'waiting_for_confirmation' }]);
    const [id = ''] = children.known.keys();
    for (const part of [id, 'terminal', 'removes everything', 'event-1'])
      expect(JSON.stringify(results(playing))).toContain(part);
  });

  test('P13: an impossible task fails only its call, with the reason', async () => {
    const unbuilt: readonly AgentDefinition[] = [
      { name: 'toolless', description: 'x', tools: ['hammer'] },
      { name: 'skilless', description: 'x', skills: ['carving'] },
    ];
    const children = new ScriptedChildren();
    const turns = [
      call('task', { prompt: 'x', subagent_type: 'toolless' }),
      call('task', { prompt: 'x', subagent_type: 'skilless' }),
      call('task', { prompt: 'x', resume: 'nothing' }),
      call('task', { prompt: 'x', subagent_type: 'nobody' }),
    ];
    await using playing = await play(turns, children, { agents: unbuilt });
    const said = errors(playing);
    for (const [index, part] of ['hammer', 'carving', 'nothing', 'subagent_type'].entries())
      expect(said[index]).toContain(part);
    expect(children.tasks).toEqual([]);
  });

  test('P13: the task tool says when there are no sub-agents', async () => {
    await using playing = await play([call('task', { prompt: 'x' })], undefined);
    expect(errors(playing)[0]).toContain('no sub-agents in this runtime');
  });

  test.each<[string, AgentDefinition, string]>([
    ['a name', { name: ' ', description: 'x' }, 'name'],
    ['a description', { name: 'x', description: '' }, 'description'],
    ['profiles for its model', { name: 'x', description: 'x', model: 'fast' }, 'model'],
    ['what connects its servers', { name: 'x', description: 'x', mcpServers: { a: {} } }, 'mcpServers'],
    ['a mode that is one', { name: 'x', description: 'x', permissionMode: 'never' as never }, 'permissionMode'],
  ])('P13: the task tool refuses a definition without %s', (_, definition, member) => {
    for (const make of [taskTool, delegateTool]) {
      const making = (): unknown => make({ agents: [definition] });
      expect(making).toThrow(member);
      expect(making).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }) as Error);
    }
  });
});

describe('a sub-agent', () => {
  /** The agent that a call of the task tool has a child begin with. */
  async function built(definition: Partial<AgentDefinition>, sources: SubAgentsOptions = {}): Promise<Agent> {
    const children = new ScriptedChildren();
    const named = { ...definition, name: 'it', description: 'x' };
    await using _ = await play([call('task', { prompt: 'x', subagent_type: 'it' })], children, {
      ...sources,
      agents: [named, { ...reviewer, name: 'it' }],
    });
    const agent = children.tasks[0]?.agent;
    if (!isAgent(agent)) throw new Error(`no agent: ${errors(_).join()}`);
    return agent;
  }

  test('a sub-agent has the tools and the model of its caller, and calls no sub-agents itself', async () => {
    const agent = await built({});
    expect(agent.toolNames).toEqual(['add', 'look', 'terminal', 'file_editor', 'finish', 'think']);
    expect(agent.describe()).toMatchObject({ llm: { model: 'openai/scripted-model' } });
  });

  test('a sub-agent has the tools that it names, from the registry too, and calls sub-agents by their tool', async () => {
    const registry = { hammer: () => ({ ...add, name: 'hammer' }) };
    const agent = await built({ tools: ['hammer', 'look', 'task'] }, { tools: registry });
    expect(agent.toolNames).toEqual(['hammer', 'look', 'task', 'finish', 'think']);
  });

  test('a sub-agent has the prompt of its caller, and then its own', async () => {
    const agent = await built({ systemPrompt: 'You carve.' });
    await using bench = await startBench(agent);
    const [prompt] = bench.ofKind('SystemPromptEvent');
    expect(prompt?.dynamic_context?.text).toMatch(/Be kind\.\n\nYou carve\.$/);
  });

  test('a sub-agent has the model of its profile and servers of its own', async () => {
    const provider: ToolProvider = {
      name: 'mcp',
      description: { mcp_config: { files: {} } },
      provide: async () => ({ tools: [{ ...add, name: 'files_read' }], close: async () => {} }),
    };
    const given: object[] = [];
    const agent = await built(
      { model: 'fast', tools: ['look'], mcpServers: { files: { command: 'server' } } },
      {
        profiles: { load: async (name) => scriptedModel([], { name: `model of ${name}` }) },
        mcp: (config) => {
          given.push(config);
          return provider;
        },
      },
    );
    expect(agent.describe()).toMatchObject({ llm: { model: 'model of fast' }, mcp_config: { files: {} } });
    expect(given).toEqual([{ files: { command: 'server' } }]);
    await using bench = await startBench(agent);
    expect(bench.session.tools.map(({ name }) => name)).toContain('files_read');
  });

  test('a sub-agent is offered nothing that its caller may not be offered', async () => {
    const children = new ScriptedChildren();
    const filter = { filter_tools_regex: '^(?!terminal)' };
    await using playing = await scene([call('task', { prompt: 'x' }), say('done')], {
      agent: { tools: [taskTool(), look, terminal], description: filter },
      session: { children },
    });
    playing.bench.say('go');
    await playing.bench.run();
    const agent = children.tasks[0]?.agent;
    expect(agent?.toolNames).toEqual(['look', 'finish', 'think']);
    expect(agent?.describe()).toMatchObject(filter);
  });

  test('a sub-agent is the agent that was given, as it is', async () => {
    const agent = createAgent({ model: scriptedModel([]), tools: [look] });
    expect(await built({ agent })).toBe(agent);
  });

  test('a sub-agent has the model that its caller has by then', async () => {
    const children = new ScriptedChildren();
    await using playing = await scene([call('task', { prompt: 'x' }), say('done')], {
      agent: { tools: [taskTool()] },
      session: { children },
    });
    const other = openaiCompatible('another-model', { baseUrl: playing.server.url });
    playing.bench.session.switchTo?.(createAgent({ model: other, tools: [taskTool()] }));
    playing.bench.say('go');
    await playing.bench.run();
    expect(children.tasks[0]?.agent?.describe()).toMatchObject({ llm: { model: 'openai/another-model' } });
  });
});

describe('the delegate tool', () => {
  const two = { tasks: [{ prompt: 'one' }, { prompt: 'two', subagent_type: 'reviewer', description: 'Two' }] };

  test('the delegate tool lets several sub-agents work at once, and a failure of one affects no other', async () => {
    const both = Promise.withResolvers<void>();
    let begun = 0;
    const children = new ScriptedChildren(async ({ prompt }) => {
      if (++begun === 2) both.resolve();
      await both.promise;
      if (prompt === 'one') throw new Error('no room left');
      return { answer: 'All is well.' };
    });
    await using playing = await play([call('delegate', two)], children);
    const [{ content, is_error: isError, kind }] = results(playing) as [
      { content: { text: string }[]; is_error: boolean; kind: string },
    ];
    expect([isError, kind]).toEqual([false, 'MCPToolObservation']);
    const [, first, second] = content.map(({ text }) => text);
    expect(first).toContain('Task 1 of 2\nStatus: error\nIt could not be started: no room left');
    const reviewed = children.tasks.findIndex(({ prompt }) => prompt === 'two');
    expect(children.tasks[reviewed]).toMatchObject({ title: 'Two', tags: { subagent: 'reviewer' } });
    expect(second).toContain('Subagent: reviewer\nStatus: completed\nAll is well.');
  });

  test('the delegate tool gives an error when no task came to its end', async () => {
    const children = new ScriptedChildren(() => ({ status: 'error', error: 'the model is away' }));
    await using playing = await play([call('delegate', two)], children);
    expect(results(playing)).toMatchObject([{ is_error: true }]);
    for (const [id] of children.known) expect(JSON.stringify(results(playing))).toContain(id);
  });

  test('P7: the delegate tool ends with its call', async () => {
    const children = new ScriptedChildren((_, { signal }) => {
      signal.throwIfAborted();
      const { promise, reject } = Promise.withResolvers<never>();
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      return promise;
    });
    const controller = new AbortController();
    const context = { children, signal: controller.signal, toolCallId: 'c' } as unknown as ToolContext;
    const tool = await delegateTool({
      agents: [{ ...reviewer, agent: createAgent({ model: scriptedModel([]) }) }],
    }).create(context);
    const tasks = [{ prompt: 'one', subagent_type: 'reviewer' }];
    const ended = tool.execute(tool.parse({ tasks }), context);
    controller.abort(new Error('enough'));
    await expect(ended).rejects.toThrow('enough');
  });

  test('P13: the delegate tool takes at least one task and at most sixteen', async () => {
    const children = new ScriptedChildren();
    const many = Array.from({ length: 17 }, () => ({ prompt: 'x' }));
    await using playing = await play(
      [calls([{ name: 'delegate', arguments: { tasks: [] } }]), call('delegate', { tasks: many })],
      children,
    );
    expect(errors(playing)).toHaveLength(2);
    expect(children.tasks).toEqual([]);
  });
});
