import { expect, test } from 'vitest';
import type { Cipher } from '@conv/core';
import type { JsonObject } from '@conv/core/events';
import type { ToolProvider } from '@conv/core/tool';
import { createAgent, createAgentFactory, openai } from '../../src/index.ts';
import { startBench } from '../support/bench.ts';
import { scriptedModel } from '../support/scripted-model.ts';
import { scriptedProvider } from '../support/scripted-provider.ts';
import { add, terminal } from '../support/tools.ts';

/** Stands in for the wire's cipher: its tokens are told from plain text as the real ones are. */
const cipher: Cipher = {
  encrypt: (plain) => `gAAAAA${Buffer.from(plain).toString('base64url')}`,
  decrypt: (token) => Buffer.from(token.slice('gAAAAA'.length), 'base64url').toString(),
};

const KEY = 'sk-test-0123456789';

const stored: JsonObject = {
  llm: {
    model: 'anthropic/claude-opus-4-1',
    api_key: cipher.encrypt(KEY),
    usage_id: 'worker',
    timeout: 60,
    num_retries: 3,
    temperature: 0.2,
    reasoning_effort: 'high',
    caching_prompt: true,
    is_subscription: false,
  },
  tools: [{ name: 'terminal', params: { shell: 'bash' } }],
  mcp_config: { search: { command: 'search', env: { TOKEN: cipher.encrypt('token-value') } } },
  include_default_tools: ['FinishTool', 'ThinkTool', 'SwitchLLMTool'],
  agent_context: {
    skills: [],
    system_message_suffix: 'Be kind.',
    secrets: { A: cipher.encrypt('a-value'), B: { value: cipher.encrypt('b-value'), kind: 'StaticSecret' } },
  },
  system_prompt_filename: 'other.j2',
  condenser: {
    llm: { model: 'openai/gpt-5-mini', api_key: cipher.encrypt('c-key') },
    max_size: 80,
    kind: 'LLMSummarizingCondenser',
  },
  tool_concurrency_limit: 4,
  made_up_by_a_newer_version: { x: [1] },
  kind: 'Agent',
};

const mcp = (): ToolProvider => scriptedProvider();
const factory = createAgentFactory({
  mcp,
  tools: { terminal: (params) => ({ name: 'terminal', params, create: () => terminal }) },
});

async function revived(
  description: JsonObject = stored,
): Promise<NonNullable<Awaited<ReturnType<typeof factory.revive>>>> {
  const agent = await factory.revive(description, { cipher });
  if (agent === undefined) throw new Error('not revived');
  return agent;
}

test('a stored agent is built again, and its unknown members are given back unchanged', async () => {
  const agent = await revived();
  expect(agent.toolNames).toEqual(['terminal', 'finish', 'think']);
  expect(agent.describe({ secrets: 'encrypted', cipher })).toEqual(stored);
});

test('agent_context, mcp_config, condenser, tools and usage_id of a stored agent are at work', async () => {
  const given: unknown[] = [];
  const own = createAgentFactory({
    mcp: (config) => {
      given.push(config);
      return scriptedProvider();
    },
    model: () => scriptedModel([[{ type: 'text', text: 'Done.' }]]),
    tools: { terminal: (params) => (given.push(params), { name: 'terminal', params, create: () => terminal }) },
  });
  const agent = await own.revive(stored, { cipher });
  if (agent === undefined) throw new Error('not revived');
  await using bench = await startBench(agent);
  expect(given).toMatchObject([{ shell: 'bash' }, { search: { command: 'search', env: { TOKEN: 'token-value' } } }]);
  expect(JSON.stringify(bench.events[0])).toContain('Be kind.');
  expect('condense' in bench.session).toBe(true);
  expect(bench.session.tools.map(({ name }) => name)).toContain('terminal');
  bench.say('Go.');
  await bench.step();
  expect(bench.records).toMatchObject([{ usageId: 'worker' }]);
  await using other = await startBench(await revived({ ...stored, condenser: null, agent_context: null }));
  expect(JSON.stringify(other.events[0])).not.toContain('Be kind.');
  expect('condense' in other.session).toBe(false);
});

test.each([
  [{}, 4],
  [{ tool_concurrency_limit: null }, 1],
])('a stored agent runs as many calls at the same time as its description says: %j', async (change, limit) => {
  await using bench = await startBench((await revived({ ...stored, ...change })).withModel(scriptedModel([])));
  expect(bench.session.toolConcurrency).toBe(limit);
});

test.each([0, 2.5, '4'])('P13: a stored agent that may run %j calls at a time is refused', async (limit) => {
  const reviving = revived({ ...stored, tool_concurrency_limit: limit });
  await expect(reviving).rejects.toMatchObject({ code: 'INVALID_DESCRIPTION' });
  await expect(reviving).rejects.toThrow('tool_concurrency_limit');
});

test('P9: secrets stand in a description as asked: plain, encrypted, or redacted wherever they are', async () => {
  const agent = await revived();
  const plain = JSON.stringify(agent.describe({ secrets: 'plain' }));
  for (const secret of [KEY, 'token-value', 'a-value', 'b-value', 'c-key']) expect(plain).toContain(secret);
  const redacted = agent.describe();
  expect(redacted).toEqual(agent.describe({ secrets: 'encrypted' }));
  expect(redacted).toMatchObject({
    llm: { api_key: '**********' },
    mcp_config: { search: { env: { TOKEN: '**********' } } },
    agent_context: { secrets: { A: '**********', B: { value: '**********' } } },
    condenser: { llm: { api_key: '**********' } },
  });
});

test('a described agent of ours is revived to the same description', async () => {
  const agent = createAgent({
    model: openai('gpt-4o', {
      apiKey: KEY,
      price: { input: 2.5, output: 10 },
      contextWindow: 128_000,
      timeout: 30_000,
    }),
    tools: [terminal],
    systemPrompt: 'Mine.',
    systemSuffix: 'More.',
    usageId: 'mine',
  });
  const description = agent.describe({ secrets: 'encrypted', cipher });
  expect(description).toMatchObject({
    llm: {
      model: 'openai/gpt-4o',
      api_key: cipher.encrypt(KEY),
      usage_id: 'mine',
      timeout: 30,
      api_mode: 'chat',
      max_input_tokens: 128_000,
    },
    tools: [{ name: 'terminal', params: {} }],
    include_default_tools: ['FinishTool', 'ThinkTool'],
    system_prompt: 'Mine.',
    agent_context: { system_message_suffix: 'More.' },
    kind: 'Agent',
  });
  expect((await revived(description)).describe({ secrets: 'encrypted', cipher })).toEqual(description);
  const working = await (await revived(description)).start({ conversationId: 'x', workingDirectory: '/' });
  expect(working.systemPrompt()).toMatchObject({ system_prompt: { text: 'Mine.' } });
});

test('an agent of another kind is not known here', async () => {
  expect(await factory.revive({ ...stored, kind: 'ACPAgent' })).toBeUndefined();
});

test.each([
  [
    'a tool that is not registered',
    { ...stored, tools: [{ name: 'browser_tool_set', params: {} }] },
    'UNKNOWN_TOOL',
    'browser_tool_set',
  ],
  ['no model', { kind: 'Agent' }, 'INVALID_DESCRIPTION', 'llm'],
])('P13: a description with %s is refused and named', async (_, description, code, named) => {
  await expect(factory.revive(description, { cipher })).rejects.toMatchObject({
    code,
    message: expect.stringContaining(named),
  });
});

test.each<[string, JsonObject, string]>([
  ['a redacted key', { model: 'openai/gpt-4o', api_key: '**********' }, 'api_key'],
  ['no key', { model: 'openai/gpt-4o' }, 'api_key'],
  ['a key of another cipher', { model: 'anthropic/claude-opus-4-1', api_key: 'gAAAAAforeign' }, 'api_key'],
  ['an unknown provider and no base URL', { model: 'bedrock/x', api_key: 'k', aws_region_name: 'eu' }, 'bedrock'],
  ['a base URL that is none', { model: 'openai/gpt-4o', api_key: 'k', base_url: 'nowhere' }, 'base URL'],
])('P13: an agent with %s is built, and its first step says what is missing', async (_, llm, named) => {
  const unreadable: Cipher = { encrypt: (plain) => cipher.encrypt(plain), decrypt: () => undefined };
  const description = { kind: 'Agent', llm, tools: [], include_default_tools: [] };
  const agent = await factory.revive(description, { cipher: unreadable });
  if (!agent) throw new Error('there is no agent');
  expect(agent.describe({ secrets: 'plain' })).toEqual(description);
  await using bench = await startBench(agent);
  bench.say('hello');
  await expect(bench.step()).rejects.toMatchObject({
    code: 'CONFIG',
    conversationErrorCode: 'LLMBadRequestError',
    message: expect.stringContaining(named),
  });
  const other = agent.withModel(scriptedModel([], { name: 'new/model' }));
  expect(other.describe({ secrets: 'plain' })['llm']).toMatchObject({ model: 'new/model' });
});

test('a key of another cipher is not sent, and its token survives the next description', async () => {
  const other: Cipher = { encrypt: (plain) => cipher.encrypt(plain), decrypt: () => undefined };
  const withModel = createAgentFactory({ mcp, model: () => scriptedModel([]), tools: { terminal: () => terminal } });
  const agent = await withModel.revive(stored, { cipher: other });
  expect(agent?.describe({ secrets: 'encrypted', cipher: other })).toEqual(stored);
});

test('the caller may make the model, and replacing it leaves nothing of the old one behind', async () => {
  const mine = createAgentFactory({
    mcp,
    model: (llm) => scriptedModel([], { name: 'x' in llm ? 'never' : 'mine/model' }),
    tools: { add: () => add },
  });
  const agent = await mine.revive({ llm: { model: 'x', api_key: KEY }, tools: [{ name: 'add' }], kind: 'Agent' });
  expect(agent?.describe()['llm']).toMatchObject({ model: 'x' });
  const replaced = agent?.withModel(scriptedModel([], { name: 'new/model' })).describe({ secrets: 'plain' });
  expect(replaced?.['llm']).toEqual({ model: 'new/model', usage_id: 'default', api_mode: 'chat' });
});

test('a limit without an end is left out of the description, which is JSON', () => {
  const model = scriptedModel([], { timeout: Infinity, contextWindow: Infinity, retry: { attempts: Infinity } });
  const params = { limit: Infinity, shell: 'bash' };
  const tool = { name: 'tool', params, create: () => add };
  const description = createAgent({ model, tools: [tool] }).describe();
  expect(description['tools']).toEqual([{ name: 'tool', params: { shell: 'bash' } }]);
  expect(JSON.parse(JSON.stringify(description))).toEqual(description);
  expect(description['llm']).not.toHaveProperty('timeout');
});

test('an agent with an unknown tool can be built without the tool, and its description keeps it', async () => {
  const { mcp_config: _, ...alone } = stored;
  const description = {
    ...alone,
    tools: [{ name: 'browser_tool_set', params: {} }, ...(alone['tools'] as JsonObject[])],
  };
  const left: string[] = [];
  const factory = createAgentFactory({ tools: { terminal: () => terminal }, leaveOut: (tool) => left.push(tool) });
  const agent = await factory.revive(description, { cipher });
  expect(left).toEqual(['browser_tool_set']);
  expect(agent?.toolNames).not.toContain('browser_tool_set');
  expect(agent?.describe({ secrets: 'redacted' })['tools']).toEqual(description.tools);
});

test('a secret encrypted with another key is reported by its name, and the agent is built without it', async () => {
  const unread: string[] = [];
  const factory = createAgentFactory({ unreadable: (secret) => unread.push(secret) });
  const llm = { model: 'openai/test-model', base_url: 'http://127.0.0.1:1/v1', api_key: 'sk-0123456789' };
  const agent = await factory.revive({ kind: 'Agent', llm, tools: [] }, { cipher });
  const stored = agent?.describe({ secrets: 'encrypted', cipher });
  expect(unread).toEqual([]);
  const other: Cipher = { encrypt: (text) => text, decrypt: () => undefined };
  expect(await factory.revive(stored as JsonObject, { cipher: other })).toBeDefined();
  expect(unread).toEqual(['api_key']);
});

test('P13: the factory names the tools that an agent goes without, and an agent of the rest is built', async () => {
  const left: string[] = [];
  const lenient = createAgentFactory({ tools: { add: () => add }, leaveOut: (tool) => left.push(tool) });
  const description = {
    kind: 'Agent',
    llm: { model: 'openai/gpt-4o', api_key: KEY },
    tools: [{ name: 'add' }, { name: 'glob', params: {} }, { name: 'browser_tool_set' }],
    include_default_tools: ['FinishTool', 'ThinkTool', 'SwitchLLMTool', 'CoffeeTool'],
  };
  expect(lenient.missingTools?.(description)).toEqual(['glob', 'browser_tool_set', 'CoffeeTool']);
  expect((await lenient.revive(description))?.toolNames).toEqual(['add', 'finish', 'think']);
  expect(left).toEqual(['glob', 'browser_tool_set']);
});
