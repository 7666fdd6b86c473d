import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { drafts, textContent } from '@conv/core/events';
import { systemPlatform } from '@conv/core/platform';
import type { LlmMessage } from '@conv/openhands/messages';
import {
  call,
  calls,
  createModelServer,
  fail,
  type ModelRequest,
  nonsense,
  say,
  type ScriptedCall,
} from '@conv/testing-model-server';
import { anthropic, createAgent, type Model, openai, openaiCompatible } from '../../../src/index.ts';
import { complete } from '../../../src/model/completion/complete.ts';
import { startBench } from '../../support/bench.ts';
import { add, look } from '../../support/tools.ts';

const KEY = 'sk-test-0123456789';
const looking = (what: string): ScriptedCall => ({ name: 'look', arguments: { what } });

/** Lists the parts of a request, block by block and item by item. */
type Outline = (request: ModelRequest) => readonly string[];

const outlineOfMessages: Outline = ({ body }) =>
  (body['messages'] as { role: string; content: string | { type: string }[] }[]).flatMap(({ role, content }) =>
    typeof content === 'string' ? [role] : content.map(({ type }) => (type === 'text' ? role : type)),
  );

const outlineOfInput: Outline = ({ body }) =>
  (body['input'] as { role?: string; type?: string }[])
    .map(({ role, type }) => role ?? type ?? '')
    .filter((item) => item !== 'system' && item !== 'developer');

const protocols = [
  {
    api: 'messages',
    modelAt: (url: string): Model => anthropic('claude-opus-4-1', { apiKey: KEY, baseUrl: url }),
    outline: outlineOfMessages,
    thought: 'thinking',
    made: 'tool_use',
    result: 'tool_result',
  },
  {
    api: 'responses',
    modelAt: (url: string): Model => openai('gpt-5', { apiKey: KEY, baseUrl: url }),
    outline: outlineOfInput,
    thought: 'reasoning',
    made: 'function_call',
    result: 'function_call_output',
  },
] as const;

describe.each(protocols)('thinking in the $api protocol goes back as it came', ({ modelAt, outline, ...kinds }) => {
  const { thought, made, result } = kinds;

  test.each([
    ['streamed', true],
    ['unstreamed', false],
  ])(
    'thinking goes back in front of the calls of its response, and of every response of a loop, %s',
    async (_, streams) => {
      await using server = await createModelServer({
        script: [
          calls([looking('a'), looking('b'), { name: 'add', arguments: { numbers: [1] } }], {
            reasoning: 'two and one',
          }),
          calls([looking('c')], { reasoning: 'one more', text: 'Nearly.' }),
          say('Done.', { reasoning: 'enough' }),
          say('Still done.'),
        ],
      });
      await using bench = await startBench(createAgent({ model: modelAt(server.url), tools: [look, add] }));
      bench.streams = streams;
      bench.say('Look');
      await bench.run();
      bench.say('And now?');
      await bench.run();
      expect(server.violations).toEqual([]);
      const first = ['user', thought, made, made, made, result, result, result];
      const second = [thought, 'assistant', made, result];
      expect(server.requests.map(outline)).toEqual([
        ['user'],
        first,
        [...first, ...second],
        [...first, ...second, thought, 'assistant', 'user'],
      ]);
      const said = server.requests[3]?.messages.filter(({ role }) => role === 'assistant');
      expect(said?.map(({ reasoning }) => reasoning)).toEqual(['two and one', 'one more', 'enough']);
    },
  );

  test('thinking goes back when calls were interrupted, rejected or invalid', async () => {
    await using server = await createModelServer({
      script: [
        calls([looking('a'), looking('b'), { name: 'look', arguments: '{"what"' }], { reasoning: 'all at once' }),
        say('Stopped.'),
      ],
    });
    await using bench = await startBench(createAgent({ model: modelAt(server.url), tools: [look] }));
    bench.say('Look');
    await bench.step();
    const [interrupted, rejected] = bench.pending();
    if (interrupted === undefined || rejected === undefined) throw new Error('two calls are open');
    bench.append([
      drafts.userReject(rejected, 'no'),
      drafts.agentError(interrupted, 'Interrupted; what it did is not known.'),
    ]);
    await bench.run();
    expect(server.violations).toEqual([]);
    expect(server.requests.map(outline)).toEqual([
      ['user'],
      ['user', thought, made, made, made, result, result, result],
    ]);
  });

  test('thinking does not go to a model that cannot read it, which is asked once more and not refused again', async () => {
    const refusal = fail(400, {
      message:
        thought === 'thinking'
          ? 'messages.1.content.0: Invalid `signature` in `thinking` block'
          : 'The encrypted content gAAA... could not be verified. Reason: Encrypted content could not be decrypted or parsed.',
    });
    await using server = await createModelServer({
      script: [
        calls([looking('a')], { reasoning: 'of another account' }),
        refusal,
        calls([looking('b')], { reasoning: 'my own' }),
        say('Done.'),
      ],
    });
    await using bench = await startBench(createAgent({ model: modelAt(server.url), tools: [look] }));
    bench.say('Look');
    await bench.step();
    await bench.executePending();
    bench.say('Go on');
    await bench.run();
    expect(server.violations).toEqual([]);
    const loop = [made, result, 'user'];
    expect(server.requests.slice(1).map(outline)).toEqual([
      ['user', thought, ...loop],
      ['user', ...loop],
      ['user', ...loop, thought, made, result],
    ]);
  });

  test('a refusal for another reason is no reason to leave thinking out', async () => {
    await using server = await createModelServer({
      script: [
        call('look', { what: 'a' }, { reasoning: 'why' }),
        fail(400, { message: 'bad parameter' }),
        say('Done.'),
      ],
    });
    await using bench = await startBench(createAgent({ model: modelAt(server.url), tools: [look] }));
    bench.say('Look');
    await bench.run();
    expect(server.requests.slice(1).map((request) => outline(request).includes(thought))).toEqual([true, true]);
  });
});

test('a refusal for another reason is no reason to leave thinking out, whatever the name of the model says', async () => {
  await using server = await createModelServer({
    script: [
      call('look', { what: 'a' }, { reasoning: 'why' }),
      fail(400, { message: 'Your organization must be verified to use this model' }),
      say('Done.'),
    ],
  });
  const model = anthropic('claude-thinking', { apiKey: KEY, baseUrl: server.url });
  await using bench = await startBench(createAgent({ model, tools: [look] }));
  bench.say('Look');
  await bench.run();
  const outlines = server.requests.slice(1).map(outlineOfMessages);
  expect(outlines.map((outline) => outline.includes('thinking'))).toEqual([true, true]);
});

test('reasoning in Chat Completions goes back with its calls to a model that needs it', async () => {
  await using server = await createModelServer({
    script: [calls([looking('a'), looking('b')], { reasoning: 'two at once' }), say('Done.')],
  });
  const model = openaiCompatible('kimi-k2-thinking', { baseUrl: server.url, name: 'moonshot/kimi-k2-thinking' });
  await using bench = await startBench(createAgent({ model, tools: [look] }));
  bench.say('Look');
  await bench.run();
  expect(server.violations).toEqual([]);
  const messages = server.requests[1]?.body['messages'] as readonly Record<string, unknown>[];
  expect(messages.find(({ role }) => role === 'assistant')).toMatchObject({
    reasoning_content: 'two at once',
    tool_calls: [{}, {}],
  });
});

test('redacted thinking goes back to Anthropic', async () => {
  await using server = await createModelServer({ script: [say('Done.')] });
  const messages: LlmMessage[] = [
    { role: 'user', content: [textContent('Hi')], thinking_blocks: [] },
    {
      role: 'assistant',
      content: [textContent('Ho')],
      thinking_blocks: [{ type: 'redacted_thinking', data: 'opaque' }],
    },
    { role: 'user', content: [textContent('And?')], thinking_blocks: [] },
  ];
  const model = anthropic('claude-opus-4-1', { apiKey: KEY, baseUrl: server.url });
  await complete(model, { platform: systemPlatform, messages, usageId: 'u', signal: new AbortController().signal });
  expect(JSON.stringify(server.requests[0]?.body)).toContain('{"type":"redacted_thinking","data":"opaque"}');
  expect(server.violations).toEqual([]);
});

/** Returns content that the server accepts as encrypted by itself. */
function sealed(text: string): string {
  const encoded = Buffer.from(text).toString('base64url');
  return `${encoded}.${createHash('sha256').update(encoded).digest('base64url')}`;
}

function item(kind: 'reasoning' | 'function_call', id: string): object {
  return kind === 'reasoning'
    ? {
        type: kind,
        id: `rs_${id}`,
        summary: [{ type: 'summary_text', text: id }],
        encrypted_content: sealed(id),
        status: 'completed',
      }
    : {
        type: kind,
        id: `fc_${id}`,
        call_id: `call_${id}`,
        name: 'look',
        arguments: JSON.stringify({ what: id }),
        status: 'completed',
      };
}

test('thoughts between the calls of one response go back between them, and other thoughts do not', async () => {
  const output = [
    item('reasoning', 'skipped'),
    item('reasoning', 'a'),
    item('function_call', 'a'),
    item('function_call', 'b'),
    item('reasoning', 'c'),
    item('function_call', 'c'),
    item('reasoning', 'trailing'),
  ];
  const body = {
    id: 'resp_x',
    object: 'response',
    created_at: 1,
    status: 'completed',
    model: 'gpt-5',
    output,
    usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
  };
  await using server = await createModelServer({ script: [nonsense(JSON.stringify(body)), say('Done.')] });
  const model = openai('gpt-5', { apiKey: KEY, baseUrl: server.url });
  await using bench = await startBench(createAgent({ model, tools: [look] }));
  bench.say('Look');
  await bench.run();
  expect(server.violations).toEqual([]);
  const input = server.requests[1]?.body['input'] as { id?: string; call_id?: string; type?: string }[];
  const sent = input.filter(({ type }) => type === 'reasoning' || type === 'function_call');
  expect(sent.map(({ id, call_id: callId }) => id ?? callId)).toEqual(['rs_a', 'call_a', 'call_b', 'rs_c', 'call_c']);
  expect(bench.ofKind('ActionEvent').map((event) => event.responses_reasoning_item?.summary)).toEqual([
    ['a'],
    undefined,
    ['c'],
  ]);
});
