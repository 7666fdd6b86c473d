import { once } from 'node:events';

import type { JsonObject } from '@conv/core/events';
import type { Tool, ToolFactory, ToolProvider } from '@conv/core/tool';
import { call, say } from '@conv/testing-model-server';
import { expect, test } from 'vitest';

import { createAgent, createAgentFactory, isAgentError } from '../../src/index.ts';
import { type Scene, scene, startBench } from '../support/bench.ts';
import { scriptedModel } from '../support/scripted-model.ts';
import { scriptedProvider } from '../support/scripted-provider.ts';
import { add, look } from '../support/tools.ts';

const model = scriptedModel([]);
const session = { conversationId: '3f2b8c1e-7d5a-4a63-9b0e-1c2d3e4f5a6b', workingDirectory: '/srv/demo' };
const VALUE = 'tok-4f9c1e77aa02bd31';

function named(...names: readonly string[]): Tool[] {
  return names.map((name) => ({ ...look, name }));
}

function offered({ server }: Scene, request: number): string[] | undefined {
  return server.requests[request]?.tools.map(({ name }) => name);
}

/** The next warning of this process of this name. */
async function nextWarning(name: string): Promise<string> {
  for (;;) {
    const [warning] = (await once(process, 'warning')) as [Error];
    if (warning.name === name) return warning.message;
  }
}

test('tools of a provider stand behind all others, and a model can call them', async () => {
  const provider = scriptedProvider({ tools: named('search') });
  await using stage = await scene([call('search', { what: 'x' }), say('Found.')], {
    agent: { tools: [provider, add] },
  });
  stage.bench.say('Search');
  await stage.bench.run();
  expect(offered(stage, 0)).toEqual(['add', 'finish', 'think', 'search']);
  expect(stage.bench.session.tools.map(({ name }) => name)).toEqual(['add', 'finish', 'think', 'search']);
  expect(stage.bench.ofKind('ObservationEvent')).toMatchObject([{ tool_name: 'search' }]);
});

test('a list that changes is offered from the next step on; the system prompt stays as it was', async () => {
  const provider = scriptedProvider({ tools: named('search') });
  await using stage = await scene([call('search', { what: 'x' }), call('fetch', { what: 'y' }), say('Done.')], {
    agent: { tools: [provider] },
  });
  const { bench } = stage;
  const prompt = JSON.stringify(bench.events[0]);
  bench.say('Search');
  await bench.step();
  await bench.executePending();
  provider.exchange(named('search', 'fetch'));
  await bench.run();
  expect(offered(stage, 0)).toEqual(['finish', 'think', 'search']);
  expect(offered(stage, 1)).toEqual(['finish', 'think', 'search', 'fetch']);
  expect(bench.ofKind('ObservationEvent').map((event) => event.tool_name)).toEqual(['search', 'fetch']);
  expect(JSON.stringify(bench.events[0])).toBe(prompt);
  expect(bench.ofKind('SystemPromptEvent')).toHaveLength(1);
});

test('P5: a call of a tool that went away before it ran has a result, which names the tools that there are', async () => {
  const provider = scriptedProvider({ tools: named('search') });
  await using stage = await scene([call('search', { what: 'x' }), say('I see.')], { agent: { tools: [provider] } });
  const { bench } = stage;
  bench.say('Search');
  await bench.step();
  provider.exchange(named('fetch'));
  await bench.executePending();
  await bench.run();
  const [error] = bench.ofKind('AgentErrorEvent');
  expect(error?.error).toBe("Tool 'search' is no longer available. Available tools: finish, think, fetch.");
  expect(offered(stage, 1)).toEqual(['finish', 'think', 'fetch']);
});

test('a step ends with the tools that it began with', async () => {
  const provider = scriptedProvider({ tools: named('search') });
  const script = () => {
    provider.exchange([]);
    return call('search', { what: 'x' });
  };
  await using stage = await scene([script], { agent: { tools: [provider] } });
  stage.bench.say('Search');
  await stage.bench.step();
  expect(stage.bench.ofKind('ActionEvent')).toMatchObject([{ tool_name: 'search', action: { data: { what: 'x' } } }]);
});

test('a provider is told the names of other tools, and the names that conversations reserve', async () => {
  const provider = scriptedProvider({ tools: named('search') });
  const agent = createAgent({ model, tools: [add, look, provider], includeDefaultTools: [] });
  const { ownTools } = { ownTools: named('ask') };
  await (await agent.start({ ...session, ownTools })).close();
  expect([...(provider.taken ?? [])].toSorted()).toEqual(['add', 'ask', 'finish', 'look', 'think']);
});

test('a tool of a provider that has the name of another is left out with a warning, and all others work', async () => {
  const warning = nextWarning('ToolWarning');
  const provider = scriptedProvider({ tools: named('add', 'finish', 'think', 'search') });
  await using stage = await scene([call('search', { what: 'x' }), call('finish', { message: 'Done.' })], {
    agent: { tools: [add, provider] },
  });
  expect(await warning).toBe('a tool named add is left out, because another tool has this name');
  stage.bench.say('Search');
  await stage.bench.run();
  expect(offered(stage, 0)).toEqual(['add', 'finish', 'think', 'search']);
  const [, finish] = stage.bench.ofKind('ActionEvent');
  expect(finish?.action).toEqual({ kind: 'FinishAction', message: 'Done.' });
});

test('P10: a provider cannot replace tools that need no approval, even if the agent has none of them', async () => {
  const provider = scriptedProvider({ tools: named('think', 'finish', 'search') });
  await using bench = await startBench(createAgent({ model, tools: [provider], includeDefaultTools: [] }));
  expect(bench.session.tools.map(({ name }) => name)).toEqual(['search']);
});

test('a later list that doubles a name is taken without the tool that has it', async () => {
  const [one, other] = [scriptedProvider({ name: 'one', tools: named('a') }), scriptedProvider({ tools: named('b') })];
  await using bench = await startBench(createAgent({ model, tools: [one, other], includeDefaultTools: [] }));
  const warning = nextWarning('ToolWarning');
  other.exchange(named('b', 'a'));
  expect(await warning).toContain('a tool named a is left out');
  expect(bench.session.tools.map(({ name }) => name)).toEqual(['a', 'b']);
  one.exchange(named('c'));
  expect(bench.session.tools.map(({ name }) => name)).toEqual(['c', 'b', 'a']);
});

test('a list that changes while other tools are made is offered as it is then', async () => {
  const provider = scriptedProvider({ tools: named('early') });
  const slow: ToolFactory = {
    name: 'slow',
    params: {},
    create: async () => {
      await new Promise((resolve) => setImmediate(resolve));
      provider.exchange(named('late'));
      return { ...look, name: 'slow' };
    },
  };
  await using bench = await startBench(createAgent({ model, tools: [provider, slow], includeDefaultTools: [] }));
  expect(bench.session.tools.map(({ name }) => name)).toEqual(['slow', 'late']);
});

test('a provider that cannot be reached is a failure that names it and holds no value of its own', async () => {
  const broken = scriptedProvider({
    name: 'MCP servers search',
    secretValues: () => [VALUE],
    before: () => Promise.reject(new Error(`search refused ${VALUE}`, { cause: new Error(VALUE) })),
  });
  const error: unknown = await createAgent({ model, tools: [broken] })
    .start(session)
    .catch((reason: unknown) => reason);
  expect(isAgentError(error, 'TOOL_FAILED')).toBe(true);
  expect((error as Error).message).toBe(
    '[TOOL_FAILED] the tools of MCP servers search cannot be used: search refused <secret-hidden>',
  );
  expect(String((error as { cause?: { cause?: unknown } }).cause?.cause)).not.toContain(VALUE);
});

test('a failing tool stops a provider that still connects, and that failure is reported', async () => {
  const waits = scriptedProvider({
    before: async (signal) => {
      await once(signal, 'abort');
      signal.throwIfAborted();
    },
  });
  const broken: ToolFactory = { name: 'broken', params: {}, create: () => Promise.reject(new Error('no shell here')) };
  const starting = createAgent({ model, tools: [waits, broken] }).start(session);
  await expect(starting).rejects.toThrow('[TOOL_FAILED] tool broken could not be made: no shell here');
  expect(waits.log).toEqual(['told to stop']);
});

test('an abort while tools are made stops a provider at once, and closes the tools made so far', async () => {
  const stop = new AbortController();
  const there = scriptedProvider({ tools: named('search') });
  const waits = scriptedProvider({
    before: async (signal) => {
      const stopped = once(signal, 'abort');
      stop.abort(new Error('closed meanwhile'));
      await stopped;
      signal.throwIfAborted();
    },
  });
  const agent = createAgent({ model, tools: [there, waits] });
  await expect(agent.start(session, { signal: stop.signal })).rejects.toBe(stop.signal.reason);
  expect(there.log).toEqual(['told to stop', 'closed']);
  expect(waits.log).toEqual(['told to stop']);
  await expect(agent.start(session, { signal: stop.signal })).rejects.toBe(stop.signal.reason);
});

test('closing closes what is provided, once, and later news of it change nothing', async () => {
  const provider = scriptedProvider({ tools: named('search') });
  const working = await createAgent({ model, tools: [provider] }).start(session);
  await working.close();
  await working.close();
  expect(provider.log).toEqual(['told to stop', 'closed']);
  provider.exchange([]);
  expect(working.tools.map(({ name }) => name)).toContain('search');
});

const cipher = { encrypt: (text: string) => `gAAAAA${btoa(text)}`, decrypt: (token: string) => atob(token.slice(6)) };

const SERVERS = {
  env: { command: 'search', args: ['--fast'], env: { API_KEY: VALUE, NAMED: '${API_KEY}' } },
  far: {
    url: 'https://far.example.com/mcp',
    headers: { 'X-Key': 'header-value-1', Authorization: 'Bearer ${FAR_TOKEN}' },
    auth: { strategy: 'basic', username: 'ann', password: 'basic-password' },
  },
  token: { url: 'https://t.example.com/mcp', auth: { strategy: 'bearer', value: 'bearer-value' } },
  named: { url: 'https://n.example.com/mcp', auth: { strategy: 'bearer', value: '${FAR_TOKEN}' } },
  oauth: {
    url: 'https://o.example.com/mcp',
    auth: { strategy: 'oauth2', state: { tokens: { access_token: 'access-1', refresh_token: null } } },
  },
};
const VALUES = [VALUE, 'header-value-1', 'basic-password', 'bearer-value', 'access-1'];

test('P9: a provider is described with its credentials redacted or encrypted, and nothing else', () => {
  const provider = scriptedProvider({
    description: { mcp_config: SERVERS },
    secretValues: () => ['only-the-provider'],
  });
  const agent = createAgent({ model, tools: [provider, add] });
  const redacted = agent.describe();
  expect(redacted['tools']).toEqual([{ name: 'add', params: {} }]);
  for (const value of VALUES) expect(JSON.stringify(redacted)).not.toContain(value);
  expect(redacted['mcp_config']).toEqual({
    env: { ...SERVERS.env, env: { API_KEY: '**********', NAMED: '${API_KEY}' } },
    far: {
      ...SERVERS.far,
      headers: { 'X-Key': '**********', Authorization: 'Bearer ${FAR_TOKEN}' },
      auth: { ...SERVERS.far.auth, password: '**********' },
    },
    token: { ...SERVERS.token, auth: { strategy: 'bearer', value: '**********' } },
    named: SERVERS.named,
    oauth: {
      ...SERVERS.oauth,
      auth: { strategy: 'oauth2', state: { tokens: { access_token: '**********', refresh_token: null } } },
    },
  });
  const encrypted = JSON.stringify(agent.describe({ secrets: 'encrypted', cipher }));
  for (const value of VALUES) {
    expect(encrypted).not.toContain(value);
    expect(encrypted).toContain(cipher.encrypt(value));
  }
  expect(agent.describe({ secrets: 'plain' })['mcp_config']).toEqual(SERVERS);
  expect(agent.secretValues?.()).toEqual(expect.arrayContaining([...VALUES, 'only-the-provider']));
  // hiding the name of a secret would make commands wrong that name it
  expect(agent.secretValues?.().filter((value) => value.includes('$'))).toEqual([]);
});

test('the tools of a provider are not among the names that a stored agent must have again', () => {
  const provider = scriptedProvider({ tools: named('search') });
  expect(createAgent({ model, tools: [provider, add] }).toolNames).toEqual(['add', 'finish', 'think']);
});

test('P13: two providers of MCP servers are refused, because a stored agent would have one', () => {
  const provider = scriptedProvider({ description: { mcp_config: {} } });
  expect(() => createAgent({ model, tools: [provider, { ...provider }] })).toThrow(
    /^\[INVALID_OPTION\].*describe mcp_config/,
  );
});

test('a limit may be for a tool that only a provider knows', () => {
  const make = (): unknown => createAgent({ model, tools: [scriptedProvider()], toolTimeout: { search: 5 } });
  expect(make).not.toThrow();
});

const described: JsonObject = { llm: { model: 'openai/gpt-5', api_key: 'k' }, tools: [], kind: 'Agent' };

test('stored MCP servers are provided again, credentials decrypted, and described as they were', async () => {
  const given: unknown[] = [];
  const mcp = (config: object): ToolProvider => {
    given.push(config);
    return scriptedProvider({ tools: named('search', 'fetch') });
  };
  const stored = createAgent({ model, description: { mcp_config: SERVERS } }).describe({
    secrets: 'encrypted',
    cipher,
  });
  const agent = await createAgentFactory({ mcp, model: () => model }).revive(stored, { cipher });
  expect(given).toEqual([SERVERS]);
  expect(agent?.describe({ secrets: 'encrypted', cipher })).toEqual(stored);
  const working = await agent?.start(session);
  expect(working?.tools.map(({ name }) => name)).toEqual(['finish', 'think', 'search', 'fetch']);
  await working?.close();
});

test('a credential that was stored with another key is given as lost, never as it stands', async () => {
  const given: unknown[] = [];
  const mcp = (config: object): ToolProvider => {
    given.push(config);
    return scriptedProvider();
  };
  const mcp_config = { token: { ...SERVERS.token, auth: { strategy: 'bearer', value: cipher.encrypt('x') } } };
  const other = { ...cipher, decrypt: () => undefined };
  const agent = await createAgentFactory({ mcp, model: () => model }).revive(
    { ...described, mcp_config },
    { cipher: other },
  );
  expect(given).toEqual([{ token: { ...SERVERS.token, auth: { strategy: 'bearer', value: '**********' } } }]);
  expect(agent?.describe({ secrets: 'plain' })['mcp_config']).toEqual(mcp_config);
});

test('P13: a stored agent with enabled MCP servers but no provider is refused by their names', async () => {
  const mcp_config = { search: { command: 'x', env: { K: VALUE } }, off: { command: 'y', enabled: false } };
  const reviving = createAgentFactory().revive({ ...described, mcp_config });
  await expect(reviving).rejects.toThrow(/^\[UNKNOWN_TOOL\].*MCP servers search;/);
  await expect(
    createAgentFactory().revive({ ...described, mcp_config: { off: mcp_config.off } }),
  ).resolves.toBeDefined();
  const refuses = createAgentFactory({
    mcp: () => {
      throw new Error('the server search: bad shape');
    },
  });
  await expect(refuses.revive({ ...described, mcp_config })).rejects.toThrow(/^\[INVALID_DESCRIPTION\].*bad shape/);
});

test('the pattern of a description decides which tools are offered, built-in tools aside', async () => {
  const provider = scriptedProvider({ tools: named('search', 'look_up', 'research') });
  const agent = createAgent({
    model,
    tools: [add, look, provider],
    description: { filter_tools_regex: '(?i)^(?!lookup)(look|SEARCH)' },
  });
  expect(agent.toolNames).toEqual(['look', 'finish', 'think']);
  await using bench = await startBench(agent);
  expect(bench.session.tools.map(({ name }) => name)).toEqual(['look', 'finish', 'think', 'search', 'look_up']);
  provider.exchange(named('other', 'searches'));
  expect(bench.session.tools.map(({ name }) => name)).toEqual(['look', 'finish', 'think', 'searches']);
});

test('P13: an invalid pattern is refused by name; a pattern that never ends lets no tool through', async () => {
  const options = { model, tools: [{ ...add, name: `${'a'.repeat(40)}!` }] };
  const make = (pattern: JsonObject[string]) => () =>
    createAgent({ ...options, description: { filter_tools_regex: pattern } });
  expect(make('(')).toThrow(/^\[INVALID_OPTION\] filter_tools_regex/);
  expect(make(5)).toThrow(/^\[INVALID_OPTION\] filter_tools_regex/);
  expect(make('(a+)+$')().toolNames).toEqual(['finish', 'think']);
  const reviving = createAgentFactory({ model: () => model }).revive({ ...described, filter_tools_regex: '(' });
  await expect(reviving).rejects.toThrow(/^\[INVALID_DESCRIPTION\] filter_tools_regex/);
});
