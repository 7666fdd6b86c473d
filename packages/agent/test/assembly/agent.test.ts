import { expect, test } from 'vitest';
import { textContent } from '@conv/core/events';
import { systemPlatform } from '@conv/core/platform';
import type { ToolFactory } from '@conv/core/tool';
import { call, createModelServer, fail, say } from '@conv/testing-model-server';
import { createAgent, createAgentFactory, isAgentError, openaiCompatible } from '../../src/index.ts';
import { complete } from '../../src/model/completion/complete.ts';
import { scene, startBench } from '../support/bench.ts';
import { scriptedModel } from '../support/scripted-model.ts';
import { add, look } from '../support/tools.ts';

const model = scriptedModel([]);
const session = { conversationId: '3f2b8c1e-7d5a-4a63-9b0e-1c2d3e4f5a6b', workingDirectory: '/srv/demo' };

function factoryOf(name: string, log: string[], create?: ToolFactory['create']): ToolFactory {
  const close = async (): Promise<void> => void log.push(`closed ${name}`);
  return { name, params: {}, create: create ?? (() => ({ ...look, name, close })) };
}

test("the system prompt carries the tools in the model's order and what is special about this conversation", async () => {
  const agent = createAgent({ model, tools: [add], systemPrompt: 'Be good.', systemSuffix: 'Speak French.' });
  const working = await agent.start(session);
  expect(working.systemPrompt()).toMatchObject({
    kind: 'SystemPromptEvent',
    source: 'agent',
    system_prompt: { text: 'Be good.' },
    tools: [{ kind: 'MCPToolDefinition' }, { kind: 'FinishTool', action_type: 'FinishAction' }, { kind: 'ThinkTool' }],
    dynamic_context: { text: expect.stringMatching(/\/srv\/demo\nDate: \d{4}-\d\d-\d\d\n[^]*Speak French\.$/) },
  });
  expect(working.tools).toEqual([
    { name: 'add', readOnly: false },
    { name: 'finish', readOnly: true },
    { name: 'think', readOnly: true },
  ]);
  expect(agent.toolNames).toEqual(['add', 'finish', 'think']);
});

test.each(['finish', 'think'])(
  'P10: no other tool can be named %s, also where the built-in one is left out',
  async (name) => {
    const refused = `[DUPLICATE_TOOL] the name "${name}" is reserved for the built-in tool; give this tool another name`;
    for (const tool of [{ ...look, name }, factoryOf(name, [])])
      expect(() => createAgent({ model, tools: [tool], includeDefaultTools: [] })).toThrow(refused);
    const renamed = factoryOf('harmless', [], () => ({ ...look, name }));
    await expect(createAgent({ model, tools: [renamed], includeDefaultTools: [] }).start(session)).rejects.toThrow(
      refused,
    );
  },
);

test('P10: a provider’s tool with the name of a built-in tool is left out, also where that one is', async () => {
  const tools = ['finish', 'think', 'look'].map((name) => ({ ...look, name }));
  const provider = { name: 'some', description: {}, provide: async () => ({ tools, close: async () => {} }) };
  const agent = createAgent({ model, tools: [provider], includeDefaultTools: [] });
  expect((await agent.start(session)).tools.map(({ name }) => name)).toEqual(['look']);
});

test('built-in tools can be left out', async () => {
  const agent = createAgent({ model, includeDefaultTools: ['FinishTool'] });
  expect(agent.toolNames).toEqual(['finish']);
  expect(agent.describe()['include_default_tools']).toEqual(['FinishTool']);
});

test('two tools of one name are refused, when declared and when made', async () => {
  expect(() => createAgent({ model, tools: [look, look] })).toThrow('[DUPLICATE_TOOL] two tools are named "look"');
  const log: string[] = [];
  const disguised = factoryOf('other', log, () => ({ ...look, close: async () => void log.push('closed other') }));
  const agent = createAgent({ model, tools: [look, disguised] });
  await expect(agent.start(session)).rejects.toMatchObject({ code: 'DUPLICATE_TOOL' });
  expect(log).toEqual(['closed other']);
});

test('a tool that cannot be made closes the tools made beside it, and the error names it', async () => {
  const log: string[] = [];
  const gate = Promise.withResolvers<void>();
  const slow = factoryOf('slow', log, async () => {
    await gate.promise;
    return { ...look, name: 'slow', close: async () => void log.push('closed slow') };
  });
  const broken = factoryOf('broken', log, () => {
    gate.resolve();
    throw new Error('no shell here');
  });
  const starting = createAgent({ model, tools: [slow, broken] }).start(session);
  await expect(starting).rejects.toSatisfy((error) => isAgentError(error, 'TOOL_FAILED'));
  await expect(starting).rejects.toThrow('broken');
  expect(log).toEqual(['closed slow']);
});

test('closing closes what was made for the conversation, once, and not what is shared', async () => {
  const log: string[] = [];
  const shared = { ...add, close: async (): Promise<void> => void log.push('closed shared') };
  const working = await createAgent({ model, tools: [shared, factoryOf('own', log)] }).start(session);
  await working.close();
  await working.close();
  expect(log).toEqual(['closed own']);
});

test('an agent with another model is the same agent otherwise; what is no model is refused', () => {
  const agent = createAgent({ model, tools: [add], usageId: 'worker' });
  const other = agent.withModel(openaiCompatible('other', { baseUrl: 'http://127.0.0.1:1/v1' }));
  expect(other.toolNames).toEqual(agent.toolNames);
  expect(other.describe()['llm']).toMatchObject({
    model: 'openai/other',
    usage_id: 'worker',
    base_url: 'http://127.0.0.1:1/v1',
  });
  expect(agent.describe()['llm']).toMatchObject({ model: 'scripted/model', usage_id: 'worker' });
  expect(() => agent.withModel('gpt-5')).toThrow(TypeError);
});

test.each([Number.NaN, 0, -1, -Infinity, '20' as never, null as never])(
  'P13: %s is no time limit for tools, which is said before there is an agent',
  (toolTimeout) => {
    for (const make of [() => createAgent({ model, toolTimeout }), () => createAgentFactory({ toolTimeout })]) {
      expect(make).toThrow(/^\[INVALID_OPTION\] toolTimeout: /);
      expect(make).toThrow(expect.toSatisfy((error) => isAgentError(error, 'INVALID_OPTION')));
    }
  },
);

test('P13: limits by name are checked like one for all, and must be for tools that the agent has', () => {
  expect(() => createAgent({ model, tools: [look], toolTimeout: { look: 0 } })).toThrow('toolTimeout of "look"');
  expect(() => createAgent({ model, tools: [look], toolTimeout: { lok: 5 } })).toThrow(
    /"lok"; its tools: look, finish/,
  );
  expect(() => createAgentFactory({ toolTimeout: { terminal: Number.NaN } })).toThrow('toolTimeout of "terminal"');
});

test.each([0, -1, 1.5, Number.NaN, Infinity, '2' as never, null as never])(
  'P13: %s calls at the same time are refused before there is an agent',
  (toolConcurrency) => {
    const make = (): unknown => createAgent({ model, toolConcurrency });
    expect(make).toThrow(/^\[INVALID_OPTION\] toolConcurrency: /);
  },
);

test('one call at a time unless the agent says more, as an option or in what it is described by', async () => {
  const limits = [
    {},
    { toolConcurrency: 3 },
    { description: { tool_concurrency_limit: 4 } },
    { toolConcurrency: 2, description: { tool_concurrency_limit: 4 } },
  ].map(async (options) => {
    const agent = createAgent({ model, ...options });
    await using bench = await startBench(agent);
    expect(agent.describe()['tool_concurrency_limit']).toBe(bench.session.toolConcurrency);
    return bench.session.toolConcurrency;
  });
  expect(await Promise.all(limits)).toEqual([1, 3, 4, 2]);
});

test('P8: a side question is answered from the history without tools, counted apart, and leaves no event', async () => {
  await using stage = await scene([call('look', { what: 'x' }), say('It was seen.')], { agent: { tools: [look] } });
  const { bench } = stage;
  bench.say('Look');
  await bench.step();
  await bench.executePending();
  const before = bench.events.length;
  const { signal } = new AbortController();
  const answer = await bench.session.answer('What happened?', bench.events, signal);
  expect(answer).toMatchObject({ text: 'It was seen.', record: { usageId: 'ask-agent-llm' } });
  expect(bench.events).toHaveLength(before);
  expect(stage.server.requests[1]?.tools).toEqual([]);
  expect(stage.server.requests[1]?.messages.at(-1)?.text).toContain('What happened?');
});

test('a side question without an answer rejects NO_RESPONSE', async () => {
  const silent = scriptedModel([[{ type: 'reasoning', text: 'hm' }]]);
  await using bench = await startBench(createAgent({ model: silent }));
  const { signal } = new AbortController();
  await expect(bench.session.answer('Well?', bench.events, signal)).rejects.toMatchObject({ code: 'NO_RESPONSE' });
});

test('P8: a side question that is too long rejects with its code, without condensing or streaming', async () => {
  await using stage = await scene([fail(400, { code: 'context_length_exceeded', message: 'maximum context length' })]);
  const { bench, server } = stage;
  bench.streams = true;
  bench.say('Hi');
  const before = bench.events.length;
  const { signal } = new AbortController();
  await expect(bench.session.answer('Well?', bench.events, signal)).rejects.toMatchObject({
    code: 'CONTEXT_WINDOW_EXCEEDED',
  });
  expect(bench.events).toHaveLength(before);
  expect(server.requests.map(({ stream }) => stream)).toEqual([false]);
});

test('a streamed step gives its pieces to the listener and stores the same events', async () => {
  await using stage = await scene([say(['Hel', 'lo.'], { reasoning: 'greet' })]);
  stage.bench.streams = true;
  stage.bench.say('Hi');
  await stage.bench.step();
  expect(stage.bench.tokens).toEqual([
    { kind: 'reasoning', text: 'greet', attempt: 1 },
    { kind: 'text', text: 'Hel', attempt: 1 },
    { kind: 'text', text: 'lo.', attempt: 1 },
  ]);
  expect(stage.bench.ofKind('MessageEvent').at(-1)?.llm_message.content).toEqual([textContent('Hello.')]);
});

test('cost follows from the price and from how the tokens were served', async () => {
  const usage = { promptTokens: 1_000_000, cachedTokens: 400_000, completionTokens: 100_000, reasoningTokens: 60_000 };
  await using server = await createModelServer({ script: [say('ok', { usage })] });
  const priced = openaiCompatible('m', {
    baseUrl: server.url,
    price: { input: 2, output: 10, cacheRead: 0.5 },
    contextWindow: 128_000,
  });
  const messages = [{ role: 'user' as const, content: [textContent('Hi')], thinking_blocks: [] }];
  const { record } = await complete(priced, {
    platform: systemPlatform,
    messages,
    usageId: 'u',
    signal: new AbortController().signal,
  });
  expect(record.cost).toBeCloseTo(0.6 * 2 + 0.4 * 0.5 + 0.1 * 10);
  expect(record).toMatchObject({
    usageId: 'u',
    reasoningTokens: 60_000,
    cacheReadTokens: 400_000,
    contextWindow: 128_000,
  });
  expect(record.latency).toBeGreaterThan(0);
});
