import { describe, expect, test } from 'vitest';
import { isEvent, isText, type JsonObject } from '@conv/core/events';
import { call, createModelServer, lastUserText, say } from '@conv/testing-model-server';
import { anthropic, createAgent, modelFromDescription, openaiCompatible, withFallbacks } from '../../../src/index.ts';
import { takesStop } from '../../../src/model/completion/sent-settings.ts';
import { withReadCalls } from '../../../src/model/text-calls/read-calls.ts';
import { scene, startBench } from '../../support/bench.ts';
import { add, fileEditor, look } from '../../support/tools.ts';

const texts = { textCalls: true } as const;

/** The calls in an answer with this text, and the text that is left. */
function read(text: string) {
  const message = withReadCalls({ role: 'assistant', content: [{ type: 'text', text }], thinking_blocks: [] }, 'stop');
  const calls = (message.tool_calls ?? []).map(({ name, arguments: given }) => [name, JSON.parse(given) as unknown]);
  return { calls, left: message.content.filter(isText).map((part) => part.text) };
}

describe('a model that writes its calls as text', () => {
  test('the model is told of its tools in the system prompt, and its call runs with typed arguments', async () => {
    const answer = 'I add them.\n\n<function=add>\n<parameter=numbers>[2, 40]</parameter>\n';
    await using stage = await scene(
      (request) => (lastUserText(request)?.startsWith('EXECUTION RESULT') ? say('It is 42.') : say(answer)),
      { agent: { tools: [add] }, model: texts },
    );
    stage.bench.say('Add 2 and 40.');
    await stage.bench.run();
    const [action] = stage.bench.ofKind('ActionEvent');
    expect(action).toMatchObject({
      tool_name: 'add',
      action: { data: { numbers: [2, 40] } },
      thought: [{ text: 'I add them.' }],
    });
    expect(stage.bench.events.findLast((event) => isEvent(event, 'MessageEvent'))).toMatchObject({
      llm_message: { content: [{ text: 'It is 42.' }] },
    });
    const [first, second] = stage.server.requests;
    expect(first?.body).not.toHaveProperty('tools');
    expect(first?.messages[0]).toMatchObject({ role: 'system', text: expect.stringContaining('## add') as string });
    expect(first?.body).toMatchObject({ stop: ['</function>'] });
    expect(second?.messages.slice(-2)).toMatchObject([
      {
        role: 'assistant',
        text: expect.stringMatching(/^I add them\.\n\n<function=add>\n.*numbers>\[2, ?40\]/) as string,
      },
      { role: 'user', text: expect.stringMatching(/^EXECUTION RESULT of \[add\]:\n.*42$/) as string },
    ]);
  });

  test('the model reads the mistakes in its calls, and the run goes on', async () => {
    const answers = [
      '<function=nothing>\n</function>',
      '<function=look>\n</function>',
      '<function=look>\n<parameter=what>a house',
      '<function=look>\n<parameter=what>a house</parameter>\n</function>',
    ];
    await using stage = await scene(({ index }) => say(answers[index] ?? 'Seen.'), {
      agent: { tools: [look] },
      model: texts,
    });
    stage.bench.say('Look.');
    await stage.bench.run();
    expect(stage.bench.ofKind('AgentErrorEvent').map(({ error }) => error)).toEqual([
      expect.stringContaining("Tool 'nothing' not found"),
      expect.stringContaining('Parameters given: none; parameters of the tool: what'),
      expect.stringMatching(/cut off within 'what'.*Write it in smaller parts/) as string,
    ]);
    expect(stage.bench.ofKind('ObservationEvent').map(({ tool_name: name }) => name)).toEqual(['look']);
  });

  test('the model goes on with the calls of a model with calls of its own, and the other way round', async () => {
    await using server = await createModelServer({
      script: ({ model, index }) => {
        if (index === 0) return call('look', { what: 'a house' });
        if (model === 'writes') return say('<function=look>\n<parameter=what>a tree</parameter>\n</function>');
        return say('Both seen.');
      },
    });
    const named = (id: string, more: object = {}) => openaiCompatible(id, { baseUrl: server.url, ...more });
    const agent = createAgent({ model: named('calls'), tools: [look] });
    await using bench = await startBench(agent);
    bench.say('Look.');
    await bench.step();
    await bench.executePending();
    bench.session.switchTo?.(agent.withModel(named('writes', texts)));
    await bench.step();
    await bench.executePending();
    bench.session.switchTo?.(agent);
    expect(await bench.step()).toBe('finished');
    const [, written, own] = server.requests;
    expect(written?.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
    expect(own?.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'tool']);
    expect(server.violations).toEqual([]);
  });

  test('a model that writes its calls as text is a fallback of a model with calls of its own', async () => {
    await using broken = await createModelServer({ script: () => ({ status: 503 }) });
    await using server = await createModelServer({
      script: ({ index }) => say(index === 0 ? '<function=look>\n<parameter=what>it</parameter>' : 'Seen.'),
    });
    const retry = { attempts: 1 };
    const model = withFallbacks(openaiCompatible('first', { baseUrl: broken.url, retry }), [
      openaiCompatible('second', { baseUrl: server.url, retry, ...texts }),
    ]);
    await using bench = await startBench(createAgent({ model, tools: [look] }));
    bench.say('Look.');
    await bench.run();
    expect(bench.ofKind('ObservationEvent')).toHaveLength(1);
    expect(broken.requests[0]?.tools.map(({ name }) => name)).toContain('look');
    expect(server.requests[0]?.tools).toEqual([]);
  });

  test('a model that writes its calls as text speaks the protocol of Anthropic, too', async () => {
    await using server = await createModelServer({
      script: ({ index }) => say(index === 0 ? '<function=look>\n<parameter=what>it</parameter>' : 'Seen.'),
    });
    const model = anthropic('claude-x', { apiKey: 'k', baseUrl: server.url, ...texts });
    await using bench = await startBench(createAgent({ model, tools: [look] }));
    bench.say('Look.');
    await bench.run();
    expect(bench.ofKind('ObservationEvent')).toHaveLength(1);
    expect([server.violations, server.requests[0]?.body['stop_sequences']]).toEqual([[], ['</function>']]);
  });

  test('the model is described with native_tool_calling false, and comes back from its description', () => {
    const agent = createAgent({ model: openaiCompatible('m', { baseUrl: 'http://127.0.0.1:1', ...texts }) });
    const { llm } = agent.describe({ secrets: 'plain' }) as { readonly llm: JsonObject };
    expect(llm).toMatchObject({ native_tool_calling: false });
    expect(modelFromDescription(llm).textCalls).toBe(true);
    expect(modelFromDescription({ ...llm, native_tool_calling: true }).textCalls).toBeUndefined();
  });
});

test('a model is told where to stop, unless its description or its kind forbids it', () => {
  const takes = (name: string, more: object = {}) => takesStop({ name, api: 'chat', description: {}, ...more });
  expect([takes('openai/qwen3'), takes('anthropic/claude-x', { api: 'messages' })]).toEqual([true, true]);
  expect([takes('openai/o3-mini'), takes('xai/grok-4'), takes('openai/gpt-x', { api: 'responses' })]).toEqual([
    false,
    false,
    false,
  ]);
  expect(takes('openai/qwen3', { description: { disable_stop_word: true } })).toBe(false);
});

describe('a written call', () => {
  test.each([
    ['with its end', '<function=look>\n<parameter=what>it</parameter>\n</function>'],
    ['without its end, where the provider stopped', '<function=look>\n<parameter=what>it</parameter>\n'],
    ['with half of its end', '<function=look>\n<parameter=what>it</parameter>\n</'],
    [
      'in the tags of some models',
      '</think>\n<tool_call>\n<function=look><parameter=what>it</parameter></function></tool_call>',
    ],
    ['with a parameter that some models write', '<function=look>\n<parameter=what=it</parameter>\n</function>'],
    [
      'before a result that the model made up',
      '<function=look>\n<parameter=what>it</parameter>\n</function>\nEXECUTION RESULT of [look]:\nx',
    ],
  ])('a written call is read %s', (_, text) => {
    expect(read(text)).toEqual({ calls: [['look', { what: 'it' }]], left: [] });
  });

  test('a written call keeps the indentation of a value, ends within it and breaks at its edges', () => {
    const value = '    return "</parameter>";\n\n  <b>';
    const { calls } = read(
      `<function=edit>\n<parameter=old>\n${value}\n</parameter>\n<parameter=new>  x</parameter>\n`,
    );
    expect(calls).toEqual([['edit', { old: value, new: '  x' }]]);
  });

  test('a written call runs alone: a call that follows it at once gets an error', () => {
    const one = (what: string) => `<function=look>\n<parameter=what>${what}</parameter>\n</function>`;
    const error = expect.stringContaining('only the first call of an answer runs') as string;
    expect(read(`Both.\n${one('a')}\n${one('b')}`)).toEqual({
      calls: [
        ['look', { what: 'a' }],
        ['look', { _openhands_malformed_tool_call: true, error }],
      ],
      left: ['Both.'],
    });
  });

  test('an answer without a written call stays as it is', () => {
    expect(read('  Say <b>it</b>.\n ')).toEqual({ calls: [], left: ['  Say <b>it</b>.\n '] });
  });
});

test('every value that tools take comes back from the text in which the history shows it', async () => {
  await using server = await createModelServer({
    script: ({ index }) =>
      index === 0
        ? call('file_editor', { command: 'create', path: '/a', file_text: '\n  two\n\n', view_range: [1, 2] })
        : say('Done.'),
  });
  const agent = createAgent({ model: openaiCompatible('m', { baseUrl: server.url }), tools: [fileEditor] });
  await using bench = await startBench(agent);
  bench.say('Write.');
  await bench.step();
  await bench.executePending();
  bench.session.switchTo?.(agent.withModel(openaiCompatible('m', { baseUrl: server.url, ...texts })));
  await bench.step();
  const written = server.requests.at(-1)?.messages.find(({ role }) => role === 'assistant')?.text ?? '';
  expect(read(written).calls).toEqual([
    ['file_editor', { command: 'create', path: '/a', file_text: '\n  two\n\n', view_range: '[1,2]' }],
  ]);
});
