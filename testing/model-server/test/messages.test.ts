import { expect, test } from 'vitest';
import { call, fail, say } from '../src/index.ts';
import { bodyOf, events, post, serve, type ErrorBody } from './serve.ts';

const hello = { model: 'm', max_tokens: 100, messages: [{ role: 'user', content: 'hello' }] };
const user = { role: 'user', content: 'hi' };
const use = (id: unknown, input: unknown = {}) => ({ type: 'tool_use', id, name: 't', input });
const assistant = (...content: unknown[]) => ({ role: 'assistant', content });
const result = (id: unknown) => ({ type: 'tool_result', tool_use_id: id, content: 'ok' });
const text = { type: 'text', text: 'and' };
const messages = (...given: unknown[]) => ({ ...hello, messages: given });
const tool = { name: 't', input_schema: { type: 'object' } };

test('an answer without stream is one message', async () => {
  const server = await serve([call('t', { x: 1 }, { text: 'wait', reasoning: 'hm' })]);
  expect(await (await post(server, '/messages', hello)).json()).toMatchObject({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [
      { type: 'thinking', thinking: 'hm', signature: expect.any(String) },
      { type: 'text', text: 'wait' },
      { type: 'tool_use', id: 'toolu_1', name: 't', input: { x: 1 } },
    ],
    stop_reason: 'tool_use',
    usage: { input_tokens: 12, cache_read_input_tokens: 0 },
  });
});

test('a stream sends blocks with their deltas', async () => {
  const server = await serve([call('t', ['{', '}'], { text: ['a'], reasoning: ['r'] })]);
  const sent = (await events(await post(server, '/messages', { ...hello, stream: true }))) as {
    type: string;
    delta?: { type?: string };
  }[];
  expect(sent.map(({ type, delta }) => delta?.type ?? type)).toEqual([
    'message_start',
    'content_block_start',
    'thinking_delta',
    'signature_delta',
    'content_block_stop',
    'content_block_start',
    'text_delta',
    'content_block_stop',
    'content_block_start',
    'input_json_delta',
    'input_json_delta',
    'content_block_stop',
    'message_delta',
    'message_stop',
  ]);
});

test('errors have the format of this API', async () => {
  const server = await serve([fail(529, { message: 'busy' })], { apiKey: 'key' });
  const unknown = await post(server, '/messages', hello);
  expect(await unknown.json()).toMatchObject({ type: 'error', error: { type: 'authentication_error' } });
  const busy = await post(server, '/messages', hello, { headers: { 'x-api-key': 'key' } });
  expect(await busy.json()).toEqual({ type: 'error', error: { type: 'overloaded_error', message: 'busy' } });
});

test('a whole tool turn is accepted and shown to the script message by message', async () => {
  const server = await serve([call('t', { x: 1 }, { reasoning: 'hm' }), say('done')]);
  const first = await bodyOf<{ content: unknown[] }>(post(server, '/messages', hello));
  const body = {
    ...messages(
      user,
      { role: 'assistant', content: first.content },
      { role: 'user', content: [result('toolu_1'), text] },
    ),
    system: [{ type: 'text', text: 'be brief' }],
    tools: [tool],
    tool_choice: { type: 'tool', name: 't' },
  };
  const second = await post(server, '/messages', body);
  expect([second.status, server.violations]).toEqual([200, []]);
  expect((await server.request(1)).messages).toMatchObject([
    { role: 'system', text: 'be brief' },
    { role: 'user', text: 'hi' },
    { role: 'assistant', reasoning: 'hm', toolCalls: [{ id: 'toolu_1', name: 't', arguments: '{"x":1}' }] },
    { role: 'tool', text: 'ok', toolCallId: 'toolu_1' },
    { role: 'user', text: 'and' },
  ]);
});

test.each<[rule: string, message: string, body: unknown]>([
  ['body', 'JSON object', 'no json'],
  ['model', 'model', { ...hello, model: '' }],
  ['max-tokens', 'max_tokens', { ...hello, max_tokens: undefined }],
  ['messages', 'messages', messages()],
  ['messages', 'messages[0]', messages('hi')],
  ['role', 'messages[0].role', messages({ role: 'system', content: 's' })],
  ['content', 'messages[0].content', messages({ role: 'user', content: '' })],
  ['content-part', 'messages[0].content[0]', messages({ role: 'user', content: [{ type: 'text', text: '' }] })],
  ['content-part', 'messages[0].content[0].type', messages({ role: 'user', content: [use('a')] })],
  ['content-part', 'messages[1].content[0]', messages(user, assistant(use('a', '{}')))],
  [
    'content-part',
    'messages[2].content',
    messages(user, assistant(use('a')), { role: 'user', content: [text, result('a')] }),
  ],
  ['tool-call-id', 'messages[1].content[0].id', messages(user, assistant(use('')))],
  ['tool-call-id', 'messages[0].content[0].tool_use_id', messages({ role: 'user', content: [result(1)] })],
  ['tool-call-id-unique', 'messages[1]', messages(user, assistant(use('a'), use('a')))],
  ['tool-call-unanswered', 'messages[2]', messages(user, assistant(use('a')), user)],
  ['tool-result-orphan', 'messages[0]', messages({ role: 'user', content: [result('a')] })],
  [
    'tool-result-twice',
    'messages[2]',
    messages(user, assistant(use('a')), { role: 'user', content: [result('a'), result('a')] }),
  ],
  [
    'reasoning-signature',
    'messages[1].content[0].signature',
    messages(user, assistant({ type: 'thinking', thinking: 'x', signature: 's' }, text)),
  ],
  ['tool-parameters', 'tools[0].input_schema', { ...hello, tools: [{ name: 't', input_schema: { type: 'string' } }] }],
  ['tool-name', 'tools[0].name', { ...hello, tools: [{ ...tool, name: 'a b' }] }],
  ['tool-choice', 'tool_choice', { ...hello, tools: [tool], tool_choice: { type: 'tool', name: 'u' } }],
  ['tool-choice', 'tool_choice', { ...hello, tools: [tool], tool_choice: 'auto' }],
])('a request that breaks the rule %s is answered 400 with %s (%#)', async (rule, message, body) => {
  const server = await serve([say('never')]);
  const response = await post(server, '/messages', body);
  expect(response.status).toBe(400);
  const { error } = await bodyOf<ErrorBody>(response);
  expect(error).toMatchObject({ type: 'invalid_request_error', message: expect.stringContaining(message) });
  expect(server.violations).toMatchObject([{ rule, api: 'messages' }]);
});
