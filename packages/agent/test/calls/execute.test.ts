import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { drafts, eventBytes, MAX_EVENT_BYTES } from '@conv/core/events';
import { toolWires, defineTool, type Tool, ToolError, type ToolResult, type ToolSession } from '@conv/core/tool';
import { askUser, clientTool, parseClientTool } from '@conv/openhands/client-tools';
import { ManualPlatform } from '@conv/testing-harness';
import { z } from 'zod';
import { createAgent } from '../../src/index.ts';
import { type Bench, startBench } from '../support/bench.ts';
import { scriptedModel } from '../support/scripted-model.ts';
import { look } from '../support/tools.ts';

async function benchWith(execute: Tool['execute'], more: Partial<Tool> = {}): Promise<Bench> {
  const tool: Tool = {
    ...defineTool({ name: 'tool', description: 'A tool.', input: z.object({}), execute: () => '' }),
    ...more,
    execute,
  };
  return startBench(createAgent({ model: scriptedModel([]), tools: [tool] }));
}

function act(bench: Bench, name = 'tool'): ReturnType<Bench['pending']>[number] {
  bench.append([
    drafts.action({
      action: { data: {}, kind: 'MCPToolAction' },
      tool_name: name,
      tool_call_id: `call_${bench.events.length}`,
      tool_call: { id: 'x', name, arguments: '{}', origin: 'completion' },
      llm_response_id: 'r',
    }),
  ]);
  const stored = bench.pending().at(-1);
  if (stored === undefined) throw new Error('nothing is pending');
  return stored;
}

const never = new AbortController().signal;

test('a result is an observation that names its action', async () => {
  await using bench = await benchWith(async (_, context) => ({
    content: [{ type: 'text', text: `${context.toolCallId} in ${context.workingDirectory}` }],
  }));
  const event = act(bench);
  const [stored] = bench.append([await bench.session.execute(event, { signal: never })]);
  expect(stored).toMatchObject({
    kind: 'ObservationEvent',
    source: 'environment',
    action_id: event.id,
    tool_call_id: event.tool_call_id,
  });
  expect(JSON.stringify(stored)).toContain(`${event.tool_call_id} in ${bench.folder}`);
});

test.each([
  [
    'throws',
    (): never => {
      throw new Error('the disk is on fire');
    },
    'the disk is on fire',
    'internal',
  ],
  ['rejects with no error', async (): Promise<never> => Promise.reject('just text'), 'just text', 'internal'],
  ['returns nothing', async (): Promise<never> => undefined as never, 'no result', 'internal'],
  [
    'refuses its input',
    async (): Promise<never> => {
      throw new ToolError('INVALID_INPUT', 'path is required');
    },
    'path is required',
    'agent_action',
  ],
])('P13: a tool that %s ends in an error that the model reads', async (_, execute, text, kind) => {
  await using bench = await benchWith(execute);
  const draft = await bench.session.execute(act(bench), { signal: never });
  expect(draft).toMatchObject({ kind: 'AgentErrorEvent', tool_name: 'tool', classification: { kind } });
  expect(JSON.stringify(draft)).toContain(text);
});

test('P7: a tool that ignores its signal is left behind at once, and what it then does changes nothing', async () => {
  const { promise: late, reject } = Promise.withResolvers<never>();
  await using bench = await benchWith(() => late);
  const controller = new AbortController();
  const executing = bench.session.execute(act(bench), { signal: controller.signal });
  const reason = new Error('interrupted');
  controller.abort(reason);
  await expect(executing).rejects.toBe(reason);
  reject(new Error('too late to be heard'));
  await expect(late).rejects.toThrow('too late');
});

test('P13: a tool that hangs is left behind when its time is up, and the model reads about it', async () => {
  const signals: AbortSignal[] = [];
  const tool = {
    ...look,
    execute: (_: unknown, { signal }: { signal: AbortSignal }) => new Promise<never>(() => signals.push(signal)),
  };
  const platform = new ManualPlatform();
  const agent = createAgent({ platform, model: scriptedModel([]), tools: [tool], toolTimeout: 3_600_000 });
  await using bench = await startBench(agent);
  const event = { ...act(bench, 'look'), action: { data: { what: 'x' }, kind: 'MCPToolAction' as const } };
  const executing = bench.session.execute(event, { signal: never });
  platform.pass(3_599_999);
  expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  platform.pass(1);
  expect(await executing).toMatchObject({
    kind: 'AgentErrorEvent',
    error: expect.stringContaining('3600000 ms'),
    classification: { kind: 'internal' },
  });
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
});

test('P13: a question to the user has no limit of time, because the user answers when there is time', async () => {
  const { promise: answer, resolve } = Promise.withResolvers<ToolResult>();
  const platform = new ManualPlatform();
  const ask = clientTool(parseClientTool(askUser), () => answer);
  const agent = createAgent({ platform, model: scriptedModel([]), toolTimeout: 1000 });
  await using bench = await startBench(agent, { ownTools: [ask] });
  const event = act(bench, 'ask_user');
  const question = { ...event, action: { kind: 'ClientAction_ask_user', question: 'Which?' } } as typeof event;
  const executing = bench.session.execute(question, { signal: never, timeout: 10 });
  platform.pass(100_000);
  resolve({ content: [{ type: 'text', text: 'The red one.' }] });
  expect(JSON.stringify(await executing)).toContain('The red one.');
});

test('P13: the limit of a call waits while its tool asks the user, and starts again with the answer', async () => {
  const [answer, answered] = [Promise.withResolvers<ToolResult>(), Promise.withResolvers<AbortSignal>()];
  const platform = new ManualPlatform();
  const asking = {
    name: look.name,
    params: {},
    create: async ({ ownTools: [ask] = [] }: ToolSession): Promise<Tool> => ({
      ...look,
      execute: async (_, context) => {
        const question = { ...context, toolCallId: `${context.toolCallId}_ask_1` };
        await ask?.execute(ask.parse({ question: 'Which?' }), question);
        answered.resolve(context.signal);
        return new Promise<never>(() => {});
      },
    }),
  };
  const agent = createAgent({ platform, model: scriptedModel([]), tools: [asking], toolTimeout: 1000 });
  const ask = clientTool(parseClientTool(askUser), () => answer.promise);
  await using bench = await startBench(agent, { ownTools: [ask] });
  const event = { ...act(bench, 'look'), action: { data: { what: 'x' }, kind: 'MCPToolAction' as const } };
  const executing = bench.session.execute(event, { signal: never });
  platform.pass(100_000);
  answer.resolve({ content: [{ type: 'text', text: 'The red one.' }] });
  const signal = await answered.promise;
  platform.pass(999);
  expect(signal.aborted).toBe(false);
  platform.pass(1);
  expect(await executing).toMatchObject({ error: expect.stringContaining('1000 ms') });
});

test.each([
  ['the shorter of two limits, the own one', { look: 20 }, 5_000, '20 ms, which is the limit of the agent'],
  ['the shorter of two limits, the other', { look: 5_000 }, 20, '20 ms, which is the limit of the conversation'],
  ['that of the conversation alone', undefined, 20, '20 ms, which is the limit of the conversation'],
  ['one for all tools', 20, undefined, '20 ms, which is the limit of the agent'],
  ['that of the conversation, when the own one is for another tool', { finish: 1 }, 20, 'limit of the conversation'],
] as const)('a call ends at %s, and the model reads whose it was', async (_, toolTimeout, timeout, text) => {
  const tool = { ...look, execute: () => new Promise<never>(() => {}) };
  const model = scriptedModel([]);
  const agent = createAgent({ model, tools: [tool], ...(toolTimeout === undefined ? {} : { toolTimeout }) });
  await using bench = await startBench(agent);
  const event = { ...act(bench, 'look'), action: { data: { what: 'x' }, kind: 'MCPToolAction' as const } };
  const context = { signal: never, ...(timeout === undefined ? {} : { timeout }) };
  expect(await bench.session.execute(event, context)).toMatchObject({ error: expect.stringContaining(text) });
});

test('P7: a tool that is aborted rejects with the reason, whatever it rejects with itself', async () => {
  await using bench = await benchWith(
    (_, { signal }) =>
      new Promise((__, reject) => signal.addEventListener('abort', () => reject(new Error('stopped')))),
  );
  const controller = new AbortController();
  const executing = bench.session.execute(act(bench), { signal: controller.signal });
  controller.abort('my reason');
  await expect(executing).rejects.toBe('my reason');
  await expect(bench.session.execute(act(bench), { signal: controller.signal })).rejects.toBe('my reason');
});

test('a stored call of a tool that is gone ends in an error that lists the tools', async () => {
  await using bench = await benchWith(async () => ({ content: [] }));
  const draft = await bench.session.execute(act(bench, 'removed'), { signal: never });
  expect(draft).toMatchObject({ kind: 'AgentErrorEvent', error: expect.stringContaining('tool, finish, think') });
});

test('P12: a result above the limit is shortened in the middle, and the whole of it is in a side file', async () => {
  const text = `start ${'ü'.repeat(1_500_000)} end`;
  await using bench = await benchWith(async () => ({ content: [{ type: 'text', text }] }));
  const [stored] = bench.append([await bench.session.execute(act(bench), { signal: never })]);
  if (stored === undefined) throw new Error('nothing was stored');
  expect(eventBytes(stored)).toBeLessThan(MAX_EVENT_BYTES);
  const shown = JSON.stringify(stored);
  const path = /is in (\S+\.txt)/.exec(shown)?.[1] ?? '';
  expect(shown).toContain('start');
  expect(shown).toContain('end');
  expect(path.startsWith(`${bench.folder}/observations/`)).toBe(true);
  expect(await readFile(path, 'utf8')).toContain(text);
});

test('P12: large fields beside the content are shortened, large images replaced by a note', async () => {
  const wire = (name: string): Tool['wire'] =>
    toolWires.native(
      { name, description: '', annotations: {}, inputSchema: {} },
      { definition: 'FileEditorTool', action: 'FileEditorAction', observation: 'FileEditorObservation' },
    );
  const large = 'y'.repeat(700_000);
  await using bench = await benchWith(
    async () => ({
      content: [{ type: 'image', image_urls: [`data:image/png;base64,${large}`] }],
      fields: { command: 'view', path: 'a', prev_exist: true, old_content: large, new_content: large },
    }),
    { wire: wire('tool'), parse: () => ({}) },
  );
  const [stored] = bench.append([await bench.session.execute(act(bench), { signal: never })]);
  if (stored === undefined) throw new Error('nothing was stored');
  expect(stored.kind).toBe('ObservationEvent');
  expect(eventBytes(stored)).toBeLessThan(MAX_EVENT_BYTES);
  expect(JSON.stringify(stored)).toContain('An image is left out');
});

test('a stored call that the tool refuses today is an error for the model, and missing nulls are filled in', async () => {
  const strict = defineTool({
    name: 'tool',
    description: 'A tool.',
    input: z.object({ path: z.string(), line: z.number().nullable().default(null) }),
    resources: ({ path }) => [path],
    execute: ({ path, line }) => `${path} ${line}`,
  });
  await using bench = await startBench(createAgent({ model: scriptedModel([]), tools: [strict] }));
  const refused = act(bench);
  expect(await bench.session.execute(refused, { signal: never })).toMatchObject({
    kind: 'AgentErrorEvent',
    classification: { kind: 'agent_action', retryable: true },
  });
  expect(bench.session.resources(refused)).toBeUndefined();
  const fine: typeof refused = { ...refused, action: { data: { path: 'a' }, kind: 'MCPToolAction' } };
  expect(JSON.stringify(await bench.session.execute(fine, { signal: never }))).toContain('a null');
  expect(bench.session.resources(fine)).toEqual(['a']);
  expect(bench.session.resources({ ...fine, tool_name: 'removed' })).toEqual([]);
});

test('a time limit longer than any timer is no limit', async () => {
  const slow = defineTool({
    name: 'tool',
    description: 'A tool.',
    input: z.object({}),
    execute: () => new Promise<string>((resolve) => void setTimeout(resolve, 20, 'done')),
  });
  await using bench = await startBench(
    createAgent({ model: scriptedModel([], { timeout: Infinity }), tools: [slow], toolTimeout: Infinity }),
  );
  const result = await bench.session.execute(act(bench), { signal: never });
  expect(result).toMatchObject({ kind: 'ObservationEvent' });
});
