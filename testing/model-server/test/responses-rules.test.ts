import { expect, test } from 'vitest';
import { call, say, type ModelServer } from '../src/index.ts';
import { bodyOf, post, serve, type ResponseBody } from './serve.ts';

const user = { role: 'user', content: [{ type: 'input_text', text: 'hi' }] };
const made = (callId: unknown, more: object = {}) => ({
  type: 'function_call',
  call_id: callId,
  name: 't',
  arguments: '{}',
  ...more,
});
const output = (callId: unknown) => ({ type: 'function_call_output', call_id: callId, output: 'ok' });
const input = (...items: unknown[]) => ({ model: 'm', input: items });
const tool = { type: 'function', name: 't', parameters: { type: 'object' } };

test.each<[rule: string, param: string, body: object]>([
  ['model', 'model', { input: 'hi' }],
  ['messages', 'input', { model: 'm' }],
  ['messages', 'input', input()],
  ['input-item', 'input[0]', input('hi')],
  ['input-item', 'input[0].type', input({ type: 'tool_result' })],
  ['input-item', 'input[0].type', input({ content: 'hi' })],
  ['role', 'input[0].role', input({ role: 'tool', content: 'hi' })],
  ['content', 'input[0].content', input({ role: 'user' })],
  ['content-part', 'input[0].content[0].type', input({ role: 'user', content: [{ type: 'text', text: 'a' }] })],
  ['content-part', 'input[0].content[0]', input({ role: 'user', content: [{ type: 'input_image' }] })],
  [
    'content-part',
    'input[0].content[0].type',
    input({ role: 'assistant', content: [{ type: 'input_text', text: 'a' }] }),
  ],
  ['assistant-empty', 'input[0]', input({ role: 'assistant', content: '' })],
  ['item-id', 'input[0].id', input({ role: 'assistant', id: 'm1', content: 'x' })],
  ['item-id', 'input[1].id', input(user, made('a', { id: 'call_a' }), output('a'))],
  ['item-id', 'input[1].id', input(user, { type: 'reasoning', id: 'r1', summary: [], encrypted_content: 'x' })],
  [
    'item-id-unique',
    'input[2].id',
    input(user, made('a', { id: 'fc_9' }), made('b', { id: 'fc_9' }), output('a'), output('b')),
  ],
  ['input-item', 'input[1].summary', input(user, { type: 'reasoning', id: 'rs_1', encrypted_content: 'x' })],
  [
    'reasoning-signature',
    'input[1].encrypted_content',
    input(user, { type: 'reasoning', summary: [], encrypted_content: 'x.y' }),
  ],
  ['item-reference', 'input[1].id', input(user, { type: 'reasoning', id: 'rs_7', summary: [] })],
  ['item-reference', 'input[0].id', input({ type: 'item_reference', id: 'msg_7' })],
  ['previous-response', 'previous_response_id', { ...input(user), previous_response_id: 'resp_7' }],
  ['tool-call-id', 'input[1].call_id', input(user, made(''))],
  ['tool-call-id', 'input[1].call_id', input(user, output(7))],
  ['tool-call-arguments', 'input[1].arguments', input(user, made('a', { arguments: {} }))],
  ['tool-call-arguments', 'input[1].arguments', input(user, made('a', { arguments: '{' }))],
  ['tool-name', 'input[1].name', input(user, made('a', { name: 'a b' }))],
  ['tool-call-id-unique', 'input[2].call_id', input(user, made('a'), made('a'), output('a'))],
  ['tool-call-unanswered', 'input[1]', input(user, made('a'), user)],
  ['tool-result-orphan', 'input[1].call_id', input(user, output('a'))],
  ['tool-result-orphan', 'input[1].call_id', input(user, output('a'), made('a'))],
  ['tool-result-twice', 'input[3].call_id', input(user, made('a'), output('a'), output('a'))],
  ['tools', 'tools', { ...input(user), tools: [] }],
  ['tools', 'tools[0].type', { ...input(user), tools: [{ name: 't' }] }],
  ['tool-name', 'tools[0].name', { ...input(user), tools: [{ ...tool, name: '' }] }],
  ['tool-parameters', 'tools[0].parameters', { ...input(user), tools: [{ ...tool, parameters: { type: 'array' } }] }],
  ['tool-choice', 'tool_choice', { ...input(user), tools: [tool], tool_choice: { type: 'function', name: 'u' } }],
])('a request that breaks the rule %s at %s is answered 400 and recorded (%#)', async (rule, param, body) => {
  const server = await serve([say('never')]);
  await expectRefused(server, body, rule, param);
});

async function expectRefused(server: ModelServer, body: object, rule: string, param: string): Promise<void> {
  const before = server.requests.length;
  const response = await post(server, '/responses', body);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error', code: rule, param } });
  expect(server.violations).toMatchObject([{ rule, param, api: 'responses' }]);
  expect(server.requests).toHaveLength(before);
}

const thought = call('t', {}, { text: 'wait', reasoning: 'hm' });

async function serveAfter(
  more: object = {},
): Promise<[ModelServer, reasoning: object, message: { id: string }, made: object]> {
  const server = await serve([thought, say('done')]);
  const { output: items } = await bodyOf<ResponseBody>(
    post(server, '/responses', { model: 'm', input: 'hello', ...more }),
  );
  return [server, items[0], items[1], items[2]];
}

test('a reasoning item must be followed by what it led to', async () => {
  const [server, reasoning] = await serveAfter();
  await expectRefused(server, input(user, reasoning, user), 'reasoning-alone', 'input[1]');
});

test('a stored item may not come without its reasoning item', async () => {
  const [server, , message] = await serveAfter();
  const body = input(user, { type: 'item_reference', id: message.id });
  await expectRefused(server, body, 'reasoning-missing', 'input[1]');
});

test('nothing can be referred to with store: false, and reasoning travels encrypted', async () => {
  const [server, reasoning, message, toolCall] = await serveAfter({
    store: false,
    include: ['reasoning.encrypted_content'],
  });
  const whole = await post(server, '/responses', input(user, reasoning, message, toolCall, output('call_1')));
  expect([whole.status, server.violations]).toEqual([200, []]);
  await expectRefused(server, input(user, { type: 'item_reference', id: message.id }), 'item-reference', 'input[1].id');
});

test('encrypted reasoning that was altered is refused', async () => {
  const [server, reasoning, message] = await serveAfter({ include: ['reasoning.encrypted_content'] });
  const altered = { ...reasoning, encrypted_content: Buffer.from('other').toString('base64url') };
  await expectRefused(server, input(user, altered, message), 'reasoning-signature', 'input[1].encrypted_content');
});
