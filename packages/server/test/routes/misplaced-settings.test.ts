import { expect, test } from 'vitest';

import { message } from '../support/conversation-calls.ts';
import { startServer } from '../support/test-server.ts';

const LLM = { model: 'openai/gpt-5' };
const POLICY = { kind: 'AlwaysConfirm' };

test.each<[method: string, place: string, body: object]>([
  ['PATCH', '', { title: 'New' }],
  ['POST', '/fork', { title: 'New' }],
  ['POST', '/run', {}],
  ['POST', '/navigate', { event_id: null }],
  ['POST', '/events', { ...message('hi'), run: false }],
  ['POST', '/events/respond_to_confirmation', { accept: false }],
  ['POST', '/ask_agent', { question: 'why?' }],
  ['POST', '/switch_llm', { llm: LLM }],
  ['POST', '/secrets', { secrets: {} }],
  ['POST', '/settings', { max_iterations: 3 }],
  ['POST', '/security_analyzer', { security_analyzer: null }],
])('P13: %s %s refuses a policy that it does not change, by name, and changes nothing', async (method, place, body) => {
  const server = await startServer();
  const { id } = await server.make();
  const sent = { ...body, confirmation_policy: POLICY };
  const before = await server.info(id);
  expect(await server.call(method, `/api/conversations/${id}${place}`, sent)).toMatchObject({
    status: 422,
    body: { detail: [{ loc: ['body', 'confirmation_policy'], msg: expect.stringContaining('send it with POST ') }] },
  });
  expect(await server.info(id)).toEqual(before);
});

test.each([
  ['security_analyzer', { kind: 'PatternSecurityAnalyzer' }],
  ['hook_config', {}],
  ['max_iterations', 3],
  ['max_budget', 1],
  ['max_budget_per_run', 1],
  ['tool_timeout', 1],
  ['stuck_detection', true],
])('P13: the title of a conversation cannot be changed together with %s', async (name, value) => {
  const server = await startServer();
  const { id, title } = await server.make();
  expect(await server.call('PATCH', `/api/conversations/${id}`, { title: 'New', [name]: value })).toMatchObject({
    status: 422,
    body: { detail: [{ loc: ['body', name] }] },
  });
  expect((await server.info(id)).title).toBe(title);
  const other = { title: 'New', container: null, mood: 'a', prompt: 'x' };
  expect(await server.call('PATCH', `/api/conversations/${id}`, other)).toMatchObject({ status: 200 });
});
