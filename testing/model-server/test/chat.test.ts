import { expect, test } from 'vitest';
import { call, calls, say } from '../src/index.ts';
import { bodyOf, events, hello, post, serve, type Completion } from './serve.ts';

test('an answer without stream is one chat.completion with usage computed from sizes', async () => {
  const server = await serve([say('Hi there.', { reasoning: 'short' })]);
  const response = await post(server, '/chat/completions', hello);
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_700_000_000,
    model: 'm',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: 'Hi there.', refusal: null, reasoning_content: 'short' },
        logprobs: null,
        finish_reason: 'stop',
      },
    ],
    usage: {
      prompt_tokens: 12,
      completion_tokens: 5,
      total_tokens: 17,
      prompt_tokens_details: { cached_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 2 },
    },
  });
});

test('several calls get ids of their own and null content', async () => {
  const server = await serve([calls([{ name: 'a', arguments: { x: 1 } }, { name: 'b' }])]);
  const body = await bodyOf<Completion>(post(server, '/chat/completions', hello));
  expect(body.choices[0]).toMatchObject({
    finish_reason: 'tool_calls',
    message: {
      content: null,
      tool_calls: [
        { id: 'call_1', type: 'function', function: { name: 'a', arguments: '{"x":1}' } },
        { id: 'call_2', type: 'function', function: { name: 'b', arguments: '{}' } },
      ],
    },
  });
});

test('a stream keeps the chunks the script gives, for text and for arguments', async () => {
  const server = await serve([call('t', ['{"a"', ':1}'], { text: ['one ', 'two'], reasoning: ['hm'] })]);
  const response = await post(server, '/chat/completions', { ...hello, stream: true });
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const sent = await events(response);
  expect(sent.at(-1)).toBe('[DONE]');
  const choices = sent.slice(0, -1).map((chunk) => (chunk as { choices: [object] }).choices[0]);
  const chunk = (delta: object, finish: string | null = null) => ({
    index: 0,
    delta,
    logprobs: null,
    finish_reason: finish,
  });
  expect(choices).toEqual([
    chunk({ role: 'assistant', content: '', refusal: null }),
    chunk({ reasoning_content: 'hm' }),
    chunk({ content: 'one ' }),
    chunk({ content: 'two' }),
    chunk({ tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 't', arguments: '' } }] }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: '{"a"' } }] }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: ':1}' } }] }),
    chunk({}, 'tool_calls'),
  ]);
});

test('a plain string is streamed in chunks of chunkSize characters, never through a surrogate pair', async () => {
  const server = await serve([say('ab😀cd')], { chunkSize: 3 });
  const sent = await events(await post(server, '/chat/completions', { ...hello, stream: true }));
  const text = sent.map(
    (chunk) => (chunk as { choices?: { delta: { content?: string } }[] }).choices?.[0]?.delta.content,
  );
  expect(text.filter((part) => part !== undefined && part !== '')).toEqual(['ab😀', 'cd']);
});

test('usage is streamed only on demand, in a last chunk without choices', async () => {
  const server = await serve([say('x', { usage: { promptTokens: 100, cachedTokens: 64 } }), say('x')]);
  const asked = { ...hello, stream: true, stream_options: { include_usage: true } };
  const withUsage = await events(await post(server, '/chat/completions', asked));
  expect(withUsage.at(-2)).toMatchObject({
    choices: [],
    usage: {
      prompt_tokens: 100,
      completion_tokens: 1,
      total_tokens: 101,
      prompt_tokens_details: { cached_tokens: 64 },
    },
  });
  expect(withUsage[0]).toMatchObject({ usage: null });
  const without = await events(await post(server, '/chat/completions', { ...hello, stream: true }));
  expect(without.filter((chunk) => chunk !== '[DONE]' && 'usage' in (chunk as object))).toEqual([]);
});

test('the part that a prompt shares with the one before it counts as cached', async () => {
  const server = await serve([say('a'), say('b'), say('c')]);
  const grown = {
    ...hello,
    messages: [...hello.messages, { role: 'assistant', content: 'a' }, { role: 'user', content: 'go on' }],
  };
  const changed = { ...hello, messages: [{ role: 'user', content: 'other' }, ...grown.messages.slice(1)] };
  const usageOf = async (body: unknown) => (await bodyOf<Completion>(post(server, '/chat/completions', body))).usage;
  const first = await usageOf(hello);
  const second = await usageOf(grown);
  const third = await usageOf(changed);
  expect(second.prompt_tokens_details.cached_tokens).toBe(first.prompt_tokens);
  expect(second.prompt_tokens).toBeGreaterThan(first.prompt_tokens);
  expect(third.prompt_tokens_details.cached_tokens).toBe(0);
});

test('a scripted finish reason and model are sent', async () => {
  const server = await serve([say('cut o', { finishReason: 'length', model: 'm-2' })]);
  const body = await bodyOf<Completion>(post(server, '/chat/completions', hello));
  expect(body).toMatchObject({ model: 'm-2', choices: [{ finish_reason: 'length' }] });
});

test('call ids that the history holds are passed over', async () => {
  const server = await serve([call('t')]);
  const toolCalls = [{ id: 'call_1', type: 'function', function: { name: 't', arguments: '{}' } }];
  const messages = [
    ...hello.messages,
    { role: 'assistant', content: null, tool_calls: toolCalls },
    { role: 'tool', tool_call_id: 'call_1', content: 'ok' },
  ];
  const body = await bodyOf<Completion>(post(server, '/chat/completions', { model: 'm', messages }));
  expect(body.choices[0].message.tool_calls[0].id).toBe('call_2');
});

test('an id infix makes the ids of two servers differ', async () => {
  const server = await serve([call('t')], { idInfix: 'b-' });
  const body = await bodyOf<Completion>(post(server, '/chat/completions', hello));
  expect(body.id).toBe('chatcmpl-b-1');
  expect(body.choices[0].message.tool_calls[0].id).toBe('call_b-1');
});
