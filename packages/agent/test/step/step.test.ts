import type { LanguageModelV4Content } from '@ai-sdk/provider';
import { defineTool } from '@conv/core/tool';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { call, calls, fail, lastUserText, say, toolResults } from '@conv/testing-model-server';
import { createAgent } from '../../src/index.ts';
import { scene, startBench } from '../support/bench.ts';
import { scriptedModel } from '../support/scripted-model.ts';
import { add, look, terminal } from '../support/tools.ts';

test('a text is the answer: one agent message with its call record in one commit, and the turn ends', async () => {
  await using stage = await scene([
    say('Hello.', { usage: { promptTokens: 100, completionTokens: 10, cachedTokens: 40 } }),
  ]);
  stage.bench.say('Hi');
  expect(await stage.bench.step()).toBe('finished');
  const message = stage.bench.ofKind('MessageEvent').at(-1);
  expect(message).toMatchObject({ source: 'agent', llm_response_id: 'chatcmpl-1', llm_message: { role: 'assistant' } });
  expect(stage.bench.records).toMatchObject([
    {
      usageId: 'default',
      model: 'openai/scripted-model',
      promptTokens: 100,
      completionTokens: 10,
      cacheReadTokens: 40,
      cost: 0,
    },
  ]);
  expect(stage.bench.commits.at(-1)).toBe(1);
});

test('calls become actions that are executed, and the model reads their results until it finishes', async () => {
  await using stage = await scene(
    [
      call('add', { numbers: [1, 2], summary: 'add up' }, { text: 'I will add.' }),
      (request) =>
        call('finish', {
          message: toolResults(request)
            .map(({ text }) => text)
            .join(),
        }),
    ],
    { agent: { tools: [add] } },
  );
  stage.bench.say('1 + 2?');
  await stage.bench.run();
  expect(stage.bench.kinds()).toEqual([
    'SystemPromptEvent',
    'MessageEvent',
    'ActionEvent',
    'ObservationEvent',
    'ActionEvent',
    'ObservationEvent',
  ]);
  const [first, last] = stage.bench.ofKind('ActionEvent');
  expect(first).toMatchObject({ thought: [{ text: 'I will add.' }], summary: 'add up', security_risk: 'UNKNOWN' });
  expect(first?.action).toEqual({ data: { numbers: [1, 2] }, kind: 'MCPToolAction' });
  expect(first?.tool_call.arguments).toBe('{"numbers": [1, 2], "summary": "add up"}');
  expect(last?.action).toMatchObject({ kind: 'FinishAction', message: expect.stringContaining('3') });
});

test('P5: answers of a batch are one assistant message, errors behind all actions, in one commit', async () => {
  await using stage = await scene(
    [
      calls(
        [
          { name: 'look', arguments: { what: 'a' } },
          { name: 'nothing_like_it', arguments: { x: 1 } },
          { name: 'look', arguments: { wrong: 'SECRET-VALUE' } },
          { name: 'look', arguments: { what: 'b' } },
        ],
        { text: 'All at once.', reasoning: 'because' },
      ),
      (request) =>
        say(
          toolResults(request)
            .map(({ text }) => text)
            .join(' | '),
        ),
    ],
    { agent: { tools: [look] } },
  );
  stage.bench.say('Look');
  expect(await stage.bench.step()).toBe('continue');
  expect(stage.bench.commits.at(-1)).toBe(6);
  expect(stage.bench.kinds().slice(2)).toEqual([
    'ActionEvent',
    'ActionEvent',
    'ActionEvent',
    'ActionEvent',
    'AgentErrorEvent',
    'AgentErrorEvent',
  ]);
  const actions = stage.bench.ofKind('ActionEvent');
  expect(new Set(actions.map((event) => event.llm_response_id)).size).toBe(1);
  expect(actions.map((event) => event.thought.length)).toEqual([1, 0, 0, 0]);
  expect(actions.map((event) => event.reasoning_content)).toEqual(['because', undefined, undefined, undefined]);
  expect(actions.map((event) => event.action !== undefined)).toEqual([true, false, false, true]);
  expect(actions[1]?.summary).toBeUndefined();
  const errors = stage.bench.ofKind('AgentErrorEvent');
  expect(errors.map((event) => event.classification)).toEqual(
    Array(2).fill({ kind: 'agent_action', retryable: true, user_action: 'retry' }),
  );
  expect(errors[0]?.error).toContain('Available tools: look, finish, think');
  expect(errors[1]?.error).toContain('wrong');
  expect(errors[1]?.error).not.toContain('SECRET-VALUE');
  await stage.bench.executePending();
  await stage.bench.step();
  expect(stage.server.requests[1]?.messages.filter(({ role }) => role === 'assistant')).toHaveLength(1);
});

test('calls after a finish call are dropped', async () => {
  await using stage = await scene([
    calls([
      { name: 'finish', arguments: { message: 'done' } },
      { name: 'think', arguments: { thought: 'no' } },
    ]),
  ]);
  stage.bench.say('Go');
  await stage.bench.step();
  expect(stage.bench.ofKind('ActionEvent').map((event) => event.tool_name)).toEqual(['finish']);
});

test('a call id that was used before, in this answer or earlier, gets a number', async () => {
  await using stage = await scene(
    [
      calls([
        { name: 'look', arguments: { what: 'a' }, id: 'same' },
        { name: 'look', arguments: { what: 'b' }, id: 'same' },
      ]),
      call('look', { what: 'c' }, { id: 'same' }),
      say('ok'),
    ],
    { agent: { tools: [look] } },
  );
  stage.bench.say('Go');
  await stage.bench.run();
  expect(stage.bench.ofKind('ActionEvent').map((event) => event.tool_call_id)).toEqual(['same', 'same_2', 'same_3']);
});

test('answers of a server that gives all of them one id count as different answers', async () => {
  const model = scriptedModel([[{ type: 'text', text: 'a' }], [{ type: 'text', text: 'b' }]]);
  const { languageModel: inner } = model;
  const languageModel: typeof inner = {
    specificationVersion: 'v4',
    provider: inner.provider,
    modelId: inner.modelId,
    supportedUrls: {},
    doGenerate: async (call) => ({ ...(await inner.doGenerate(call)), response: { id: 'same' } }),
    doStream: (call) => inner.doStream(call),
  };
  await using bench = await startBench(createAgent({ model: { ...model, languageModel } }));
  for (const text of ['1', '2']) {
    bench.say(text);
    await bench.step();
  }
  const answers = bench.ofKind('MessageEvent').filter(({ source }) => source === 'agent');
  expect(answers.map((event) => event.llm_response_id)).toEqual(['same', 'same_2']);
});

test('an answer that is empty or only reasoning is stored with a nudge in one commit, and work goes on', async () => {
  await using stage = await scene([
    say(''),
    say('', { reasoning: 'thinking only' }),
    (request) => say(lastUserText(request)),
  ]);
  stage.bench.say('Go');
  expect(await stage.bench.step()).toBe('continue');
  expect(stage.bench.commits.at(-1)).toBe(2);
  expect(await stage.bench.step()).toBe('continue');
  expect(await stage.bench.step()).toBe('finished');
  const messages = stage.bench.ofKind('MessageEvent');
  expect(messages.map((event) => event.source)).toEqual([
    'user',
    'agent',
    'environment',
    'agent',
    'environment',
    'agent',
  ]);
  expect(messages[3]?.llm_message.reasoning_content).toBe('thinking only');
  expect(messages[4]?.llm_message.role).toBe('user');
});

test('a refusal for the content policy is met with one nudge; the second one fails the step', async () => {
  const refusal = fail(400, { code: 'content_policy_violation', message: 'refused by our content policy' });
  await using stage = await scene([refusal, refusal]);
  stage.bench.say('Go');
  expect(await stage.bench.step()).toBe('continue');
  expect(stage.bench.ofKind('MessageEvent').at(-1)).toMatchObject({ source: 'environment' });
  await expect(stage.bench.step()).rejects.toMatchObject({ code: 'CONTENT_POLICY' });
});

test('a history too long for the model rejects with its code without a condenser, and stores nothing', async () => {
  const message = "This model's maximum context length is 8192 tokens";
  const agent = { condenser: null };
  await using stage = await scene([fail(400, { code: 'context_length_exceeded', message })], { agent });
  stage.bench.say('Go');
  const before = stage.bench.events.length;
  await expect(stage.bench.step()).rejects.toMatchObject({
    code: 'CONTEXT_WINDOW_EXCEEDED',
    conversationErrorCode: 'LLMContextWindowExceedError',
  });
  expect(stage.bench.events).toHaveLength(before);
});

test('P10: the declared risk counts when an analyzer is set, also for a tool that calls itself read-only', async () => {
  const batch = calls([
    { name: 'terminal', arguments: { command: 'ls', security_risk: 'low' } },
    { name: 'look', arguments: { what: 'x', security_risk: 'HIGH' } },
    { name: 'terminal', arguments: { command: 'ls', 'security-risk': 'HIGH' } },
    { name: 'terminal', arguments: { command: 'ls' } },
    { name: 'terminal', arguments: { command: 'ls', security_risk: 'SEVERE' } },
  ]);
  await using stage = await scene([batch, batch], { agent: { tools: [look, terminal] } });
  stage.bench.say('Go');
  await stage.bench.step();
  expect(stage.bench.ofKind('ActionEvent').map((event) => event.security_risk)).toEqual(Array(5).fill('UNKNOWN'));
  expect(stage.bench.ofKind('AgentErrorEvent')).toHaveLength(0);
  await stage.bench.executePending();
  stage.bench.securityAnalyzer = { kind: 'LLMSecurityAnalyzer' };
  await stage.bench.step();
  const actions = stage.bench.ofKind('ActionEvent').slice(5);
  expect(actions.map((event) => event.security_risk)).toEqual(['LOW', 'HIGH', 'HIGH', 'UNKNOWN', 'UNKNOWN']);
  expect(actions.at(-1)?.action).toBeUndefined();
  expect(stage.bench.ofKind('AgentErrorEvent').at(-1)?.error).toContain('security_risk');
  await stage.bench.executePending();
});

test('the model is offered security_risk and summary first; built-in tools ask no risk', async () => {
  await using stage = await scene([say('ok')], { agent: { tools: [look, terminal] } });
  stage.bench.say('Go');
  await stage.bench.step();
  const offered = stage.server.requests[0]?.tools ?? [];
  const names = offered.map(({ name, parameters }) => [name, Object.keys(Object(parameters['properties']) as object)]);
  expect(names).toEqual([
    ['look', ['security_risk', 'summary', 'what']],
    ['terminal', ['security_risk', 'summary', 'command', 'reset']],
    ['finish', ['summary', 'message']],
    ['think', ['summary', 'thought']],
  ]);
});

test('P10: a tool with a parameter security_risk of its own does not silence the model', async () => {
  const input = z.object({ security_risk: z.string() });
  const own = { ...defineTool({ name: 'own', description: 'Has it.', input, execute: () => 'ok' }) };
  const batch = calls(['HIGH', 'of its own'].map((risk) => ({ name: 'own', arguments: { security_risk: risk } })));
  await using stage = await scene([batch], { agent: { tools: [own] } });
  stage.bench.securityAnalyzer = { kind: 'LLMSecurityAnalyzer' };
  stage.bench.say('Go');
  await stage.bench.step();
  expect(stage.bench.ofKind('ActionEvent').map((event) => event.security_risk)).toEqual(['HIGH', 'UNKNOWN']);
  await stage.bench.executePending();
});

test('P12: a call whose event would be too large is not stored as it is, and the model is told', async () => {
  const text = 'x'.repeat(1_200_000);
  await using stage = await scene([calls([{ name: 'look', arguments: { what: text } }]), say('ok')], {
    agent: { tools: [look] },
  });
  stage.bench.say('Go');
  await stage.bench.run();
  expect(stage.bench.ofKind('ActionEvent')[0]?.action).toBeUndefined();
  expect(stage.bench.ofKind('AgentErrorEvent')[0]?.error).toContain('too large');
});

test.each([null, undefined, 7, {}, ''])(
  'P13: a custom model’s call of the tool %s is answered with an error, and the work continues',
  async (toolName) => {
    const nameless = {
      type: 'tool-call',
      toolCallId: null,
      toolName,
      input: '{}',
    } as unknown as LanguageModelV4Content;
    const named = { type: 'tool-call', toolCallId: 'b', toolName: 'look', input: '{"what": "x"}' } as const;
    const model = scriptedModel([[nameless, named], [{ type: 'text', text: 'Sorry.' }]]);
    await using bench = await startBench(createAgent({ model, tools: [look] }));
    bench.say('Go');
    await bench.run();
    expect(bench.kinds().slice(2)).toEqual([
      'ActionEvent',
      'ActionEvent',
      'AgentErrorEvent',
      'ObservationEvent',
      'MessageEvent',
    ]);
    const [first] = bench.ofKind('ActionEvent');
    expect(first?.action).toBeUndefined();
    expect(bench.ofKind('AgentErrorEvent')[0]).toMatchObject({
      tool_call_id: first?.tool_call_id,
      error: 'The call names no tool. Available tools: look, finish, think.',
    });
    expect(JSON.stringify(model.calls[1]?.prompt)).not.toContain('"toolName":""');
  },
);

test('P7: an abort during the model call rejects with its reason at once and stores nothing', async () => {
  await using stage = await scene([{ hang: true }]);
  stage.bench.say('Go');
  const controller = new AbortController();
  const stepping = stage.bench.step(controller.signal);
  const request = await stage.server.request(0);
  const reason = new Error('interrupted');
  controller.abort(reason);
  await expect(stepping).rejects.toBe(reason);
  expect(await request.outcome).toBe('client-gone');
  expect(stage.bench.kinds()).toEqual(['SystemPromptEvent', 'MessageEvent']);
});

test('a request never ends with the model’s own words: a message that came meanwhile is asked for again', async () => {
  await using stage = await scene([say('One.'), (request) => say(`Last: ${lastUserText(request)}`)]);
  stage.bench.say('First?');
  await stage.bench.step();
  await stage.bench.step();
  expect(stage.server.requests.at(-1)?.messages.at(-1)).toMatchObject({ role: 'user' });
  expect(stage.server.violations).toEqual([]);
});
