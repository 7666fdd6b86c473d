import { expect, test } from 'vitest';
import { say } from '../src/index.ts';
import { bodyOf, hello, post, serve, type ErrorBody } from './serve.ts';

const user = { role: 'user', content: 'hi' };
const toolCall = (id: unknown, name: unknown = 't', args: unknown = '{}') => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});
const assistant = (...toolCalls: unknown[]) => ({ role: 'assistant', content: null, tool_calls: toolCalls });
const result = (id: unknown) => ({ role: 'tool', tool_call_id: id, content: 'ok' });
const tool = (name: string, parameters: unknown = { type: 'object' }) => ({
  type: 'function',
  function: { name, parameters },
});
const messages = (...given: unknown[]) => ({ model: 'm', messages: given });

test.each<[rule: string, param: string | null, body: unknown]>([
  ['body', null, 'no json'],
  ['body', null, '[]'],
  ['model', 'model', { messages: [user] }],
  ['messages', 'messages', { model: 'm' }],
  ['messages', 'messages', messages()],
  ['messages', 'messages[0]', messages('hi')],
  ['role', 'messages[0].role', messages({ role: 'human', content: 'hi' })],
  ['role', 'messages[0].role', messages({ role: 'function', name: 't', content: 'hi' })],
  ['system-first', 'messages[1].role', messages(user, { role: 'system', content: 's' })],
  ['system-first', 'messages[1].role', messages(user, { role: 'developer', content: 's' })],
  ['content', 'messages[0].content', messages({ role: 'user' })],
  ['content', 'messages[0].content', messages({ role: 'user', content: [] })],
  ['content', 'messages[0].content', messages({ role: 'user', content: null })],
  ['content-part', 'messages[0].content[0]', messages({ role: 'user', content: ['hi'] })],
  [
    'content-part',
    'messages[0].content[0].type',
    messages({ role: 'user', content: [{ type: 'input_text', text: 'a' }] }),
  ],
  ['content-part', 'messages[0].content[0].type', messages({ role: 'user', content: [{ type: 'constructor' }] })],
  ['content-part', 'messages[0].content[0]', messages({ role: 'user', content: [{ type: 'text' }] })],
  [
    'content-part',
    'messages[0].content[0]',
    messages({ role: 'user', content: [{ type: 'image_url', image_url: 'x' }] }),
  ],
  [
    'content-part',
    'messages[0].content[0].type',
    messages({ role: 'system', content: [{ type: 'image_url', image_url: { url: 'x' } }] }),
  ],
  ['assistant-empty', 'messages[1]', messages(user, { role: 'assistant', content: null })],
  ['assistant-empty', 'messages[1]', messages(user, { role: 'assistant', content: '' })],
  ['tool-calls', 'messages[1].tool_calls', messages(user, { role: 'assistant', content: 'x', tool_calls: [] })],
  ['tool-calls', 'messages[1].tool_calls[0].type', messages(user, assistant({ id: 'a', function: {} }))],
  ['tool-calls', 'messages[1].tool_calls[0].function', messages(user, assistant({ id: 'a', type: 'function' }))],
  ['tool-call-id', 'messages[1].tool_calls[0].id', messages(user, assistant(toolCall('')))],
  ['tool-call-id', 'messages[1].tool_call_id', messages(user, result(undefined))],
  ['tool-call-id-unique', 'messages[1]', messages(user, assistant(toolCall('a'), toolCall('a')), result('a'))],
  [
    'tool-call-id-unique',
    'messages[3]',
    messages(user, assistant(toolCall('a')), result('a'), assistant(toolCall('a')), result('a')),
  ],
  [
    'tool-call-arguments',
    'messages[1].tool_calls[0].function.arguments',
    messages(user, assistant(toolCall('a', 't', {}))),
  ],
  [
    'tool-call-arguments',
    'messages[1].tool_calls[0].function.arguments',
    messages(user, assistant(toolCall('a', 't', '{"x":'))),
  ],
  [
    'tool-name',
    'messages[1].tool_calls[0].function.name',
    messages(user, assistant(toolCall('a', 'a b')), result('a')),
  ],
  ['tool-call-unanswered', 'messages[1]', messages(user, assistant(toolCall('a')))],
  ['tool-call-unanswered', 'messages[2]', messages(user, assistant(toolCall('a')), user, result('a'))],
  ['tool-call-unanswered', 'messages[3]', messages(user, assistant(toolCall('a'), toolCall('b')), result('a'), user)],
  ['tool-result-orphan', 'messages[1]', messages(user, result('a'))],
  ['tool-result-orphan', 'messages[2]', messages(user, assistant(toolCall('a')), result('b'))],
  ['tool-result-orphan', 'messages[4]', messages(user, assistant(toolCall('a')), result('a'), user, result('a'))],
  ['tool-result-twice', 'messages[3]', messages(user, assistant(toolCall('a')), result('a'), result('a'))],
  ['content-part', 'messages[0].content[0].type', messages({ role: 'user', content: [{ text: 'a' }] })],
  ['content-part', 'messages[0].content[0].type', messages({ role: 'user', content: [{ type: ['text'], text: 'a' }] })],
  ['tool-calls', 'messages[1].tool_calls[0]', messages(user, assistant('call'))],
  [
    'tool-call-arguments',
    'messages[1].tool_calls[0].function.arguments',
    messages(user, assistant(toolCall('a', 't', 1))),
  ],
  ['tool-name', 'messages[1].tool_calls[0].function.name', messages(user, assistant(toolCall('a', 7)))],
  ['tools', 'tools[0]', { ...hello, tools: ['t'] }],
  ['tools', 'tools[0].function', { ...hello, tools: [{ type: 'function', name: 't' }] }],
  ['tool-choice', 'tool_choice', { ...hello, tools: [tool('a')], tool_choice: 7 }],
  ['tools', 'tools', { ...hello, tools: [] }],
  ['tools', 'tools[0].type', { ...hello, tools: [{ type: 'other' }] }],
  ['tools', 'tools', { ...hello, tools: [tool('a'), tool('a')] }],
  ['tool-name', 'tools[0].function.name', { ...hello, tools: [tool('a.b')] }],
  ['tool-name', 'tools[0].function.name', { ...hello, tools: [tool('x'.repeat(65))] }],
  ['tool-parameters', 'tools[0].function.parameters', { ...hello, tools: [tool('a', null)] }],
  ['tool-parameters', 'tools[0].function.parameters', { ...hello, tools: [tool('a', { type: 'string' })] }],
  [
    'tool-parameters',
    'tools[0].function.parameters',
    { ...hello, tools: [tool('a', { type: 'object', properties: [] })] },
  ],
  ['tool-choice', 'tool_choice', { ...hello, tool_choice: 'auto' }],
  ['tool-choice', 'tool_choice', { ...hello, tools: [tool('a')], tool_choice: 'any' }],
  [
    'tool-choice',
    'tool_choice',
    { ...hello, tools: [tool('a')], tool_choice: { type: 'function', function: { name: 'b' } } },
  ],
  ['stream-options', 'stream_options', { ...hello, stream_options: { include_usage: true } }],
])('a request that breaks the rule %s at %s is answered 400 and recorded (%#)', async (rule, param, body) => {
  const seen: string[] = [];
  const server = await serve([say('never')], { onViolation: (violation) => seen.push(violation.rule) });
  const response = await post(server, '/chat/completions', body);
  expect(response.status).toBe(400);
  const { error } = await bodyOf<ErrorBody>(response);
  expect(error).toMatchObject({ type: 'invalid_request_error', code: rule, param });
  expect(server.violations).toMatchObject([{ rule, param: param ?? '', api: 'chat', message: error.message }]);
  expect(seen).toEqual([rule]);
  expect([server.requests.length, server.remainingTurns]).toEqual([0, 1]);
});

test('a request that uses everything the rules allow is accepted', async () => {
  const server = await serve([say('ok')]);
  const content = [
    { type: 'text', text: 'see ' },
    { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
    { type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } },
    { type: 'file', file: { file_id: 'f' } },
  ];
  const body = {
    ...messages(
      { role: 'system', content: 's1' },
      { role: 'developer', content: [{ type: 'text', text: 's2' }] },
      { role: 'user', content },
      { role: 'assistant', content: 'let me', reasoning_content: 'r', tool_calls: [toolCall('a'), toolCall('b')] },
      result('b'),
      result('a'),
      { role: 'assistant', content: [{ type: 'refusal', refusal: 'no' }] },
      user,
    ),
    tools: [tool('t', { type: 'object', properties: {} })],
    tool_choice: { type: 'function', function: { name: 't' } },
    stream: true,
    stream_options: { include_usage: true },
  };
  const response = await post(server, '/chat/completions', body);
  expect([response.status, server.violations]).toEqual([200, []]);
  await response.text();
  const { messages: seen } = await server.request(0);
  expect(seen.map(({ role, text }) => [role, text])).toEqual([
    ['system', 's1'],
    ['system', 's2'],
    ['user', 'see '],
    ['assistant', 'let me'],
    ['tool', 'ok'],
    ['tool', 'ok'],
    ['assistant', ''],
    ['user', 'hi'],
  ]);
  expect(seen[3]).toMatchObject({ reasoning: 'r', toolCalls: [{ id: 'a', name: 't', arguments: '{}' }, { id: 'b' }] });
});
