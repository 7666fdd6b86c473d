import { expect, test } from 'vitest';
import { call, say } from '../src/index.ts';
import { bodyOf, events, post, serve, type ResponseBody } from './serve.ts';

const hello = { model: 'm', input: 'hello' };

test('an answer without stream is one response with reasoning, message and calls as items', async () => {
  const server = await serve([call('t', { x: 1 }, { text: 'wait', reasoning: 'hm' })]);
  const body = await bodyOf<ResponseBody>(
    post(server, '/responses', { ...hello, include: ['reasoning.encrypted_content'] }),
  );
  expect(body).toMatchObject({
    id: 'resp_1',
    object: 'response',
    created_at: 1_700_000_000,
    status: 'completed',
    model: 'm',
    output: [
      {
        type: 'reasoning',
        id: 'rs_1',
        summary: [{ type: 'summary_text', text: 'hm' }],
        encrypted_content: expect.any(String),
      },
      {
        type: 'message',
        id: 'msg_1',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'wait', annotations: [] }],
      },
      { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 't', arguments: '{"x":1}', status: 'completed' },
    ],
    usage: {
      input_tokens: 12,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens_details: { reasoning_tokens: 1 },
    },
  });
});

test('a stream sends numbered events from response.created to response.completed', async () => {
  const server = await serve([call('t', ['{', '}'], { text: ['a', 'b'], reasoning: ['r'] })]);
  const response = await post(server, '/responses', { ...hello, stream: true });
  const sent = (await events(response)) as { type: string; sequence_number: number; delta?: string }[];
  expect(sent.map(({ sequence_number: number }) => number)).toEqual(sent.map((_, index) => index));
  expect(sent.map(({ type, delta }) => (delta === undefined ? type : `${type} ${delta}`))).toEqual([
    'response.created',
    'response.in_progress',
    'response.output_item.added',
    'response.reasoning_summary_part.added',
    'response.reasoning_summary_text.delta r',
    'response.reasoning_summary_text.done',
    'response.reasoning_summary_part.done',
    'response.output_item.done',
    'response.output_item.added',
    'response.content_part.added',
    'response.output_text.delta a',
    'response.output_text.delta b',
    'response.output_text.done',
    'response.content_part.done',
    'response.output_item.done',
    'response.output_item.added',
    'response.function_call_arguments.delta {',
    'response.function_call_arguments.delta }',
    'response.function_call_arguments.done',
    'response.output_item.done',
    'response.completed',
  ]);
  expect(sent.at(-1)).toMatchObject({ response: { output: [{ id: 'rs_1' }, { id: 'msg_1' }, { id: 'fc_1' }] } });
});

test('an answer cut for length is incomplete, in both forms', async () => {
  const server = await serve(() => say('cut o', { finishReason: 'length' }));
  const incomplete = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };
  expect(await (await post(server, '/responses', hello)).json()).toMatchObject(incomplete);
  const sent = await events(await post(server, '/responses', { ...hello, stream: true }));
  expect(sent.at(-1)).toMatchObject({ type: 'response.incomplete', response: incomplete });
});

test('items of one turn are shown to the script as one assistant message', async () => {
  const server = await serve([call('t', {}, { text: 'wait', reasoning: 'hm' }), say('done')]);
  const first = await bodyOf<ResponseBody>(post(server, '/responses', hello));
  const [reasoning, message, made] = first.output;
  const input = [
    { role: 'user', content: [{ type: 'input_text', text: 'hello' }] },
    { type: 'item_reference', id: reasoning.id },
    { type: 'item_reference', id: message.id },
    made,
    { type: 'function_call_output', call_id: made.call_id, output: 'ok' },
  ];
  const second = await post(server, '/responses', { model: 'm', instructions: 'be brief', input });
  expect([second.status, server.violations]).toEqual([200, []]);
  expect((await server.request(1)).messages).toMatchObject([
    { role: 'system', text: 'be brief' },
    { role: 'user', text: 'hello' },
    { role: 'assistant', text: 'wait', reasoning: 'hm', toolCalls: [{ id: 'call_1', name: 't', arguments: '{}' }] },
    { role: 'tool', text: 'ok', toolCallId: 'call_1' },
  ]);
});

test('previous_response_id brings back the input and output of a stored response', async () => {
  const server = await serve([call('t'), say('done')]);
  const first = await bodyOf<ResponseBody>(post(server, '/responses', hello));
  const input = [{ type: 'function_call_output', call_id: 'call_1', output: 'ok' }];
  await post(server, '/responses', { model: 'm', previous_response_id: first.id, input });
  expect((await server.request(1)).messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
});
