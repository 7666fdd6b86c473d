import { ConversationError } from '@conv/core';
import { agentMessage, imageContent, textContent } from '@conv/core/events';
import { StreamingAgent } from '@conv/testing-harness';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';

import { calls } from './chat-api.ts';
import { heldAgent } from './held-agent.ts';
import { about, converse, said, serve, taskOf } from './mcp-api.ts';

const UUID = '5e0c8f0e-53a2-4f0e-8a56-2c6f7cf0a002';

test('P11: a call that is repeated with its UUID is answered again, and runs nothing again', async () => {
  const { connect, conversations } = await serve([{ text: 'One.' }]);
  const client = await connect('auto');
  const answers = [await converse(client, 'Go', { id: UUID }), await converse(client, 'Go', { id: UUID })];
  expect(answers.map(said)).toEqual([
    [false, 'done', 'One.'],
    [false, 'done', 'One.'],
  ]);
  expect(conversations).toHaveLength(1);
});

test('P11: a UUID is the same in capitals, so that its call runs nothing again', async () => {
  const { connect, conversations } = await serve([{ text: 'One.' }, { text: 'Two.' }]);
  const client = await connect('auto');
  for (const id of [UUID.toUpperCase(), UUID.toUpperCase(), UUID])
    expect(said(await converse(client, 'Go', { id }))).toEqual([false, 'done', 'One.']);
  expect(conversations).toHaveLength(1);
});

test('P11: a call that is repeated in its conversation with any id runs nothing again', async () => {
  const { connect, conversations } = await serve([{ text: 'One.' }, { text: 'Two.' }]);
  const client = await connect('auto');
  await converse(client, 'Go');
  const conversation = conversations[0]?.id;
  for (const _ of ['first', 'again'])
    expect(said(await converse(client, 'On', { conversation, id: '1' }))).toEqual([false, 'done', 'Two.']);
});

test('P10: two clients that choose the same id, which is no UUID, have conversations of their own', async () => {
  const { connect, conversations } = await serve([{ text: 'One.' }, { text: 'Two.' }]);
  const one = await converse(await connect('auto'), 'My secret', { id: '1' });
  const other = await converse(await connect('auto'), 'Go', { id: '1' });
  expect([said(one), said(other)]).toEqual([
    [false, 'done', 'One.'],
    [false, 'done', 'Two.'],
  ]);
  expect(new Set(conversations.map(({ id }) => id)).size).toBe(2);
});

test('stopping a task that is queued leaves the run before it', async () => {
  const { agent, begun, goOn } = heldAgent();
  const { connect, conversations } = await serve(agent);
  const client = await connect('auto', () => ({ action: 'accept', content: { approved: true } }));
  const first = converse(client, 'Go');
  await begun;
  const told = Promise.withResolvers<string>();
  const next = client.callTool(
    { name: 'converse', arguments: { message: 'On', conversation: conversations[0]?.id } },
    { onprogress: ({ message = '' }) => told.resolve(message) },
  ) as Promise<CallToolResult>;
  const stopped = await about(client, 'stop_answer', (await told.promise).replace('task ', ''));
  expect(said(stopped)).toEqual([false, 'queued', 'The message waits for the run before it.']);
  goOn();
  expect([said(await first)[1], said(await next)]).toEqual(['done', [false, 'done', 'Done.']]);
});

test('P10: stopping a task rejects its calls that wait for a person', async () => {
  const { connect, conversations, executed } = await serve([calls('one')]);
  const client = await connect('auto');
  const task = taskOf(await converse(client, 'Go'));
  for (const _ of ['first', 'again'])
    expect(said(await about(client, 'stop_answer', task))).toEqual([false, 'stopped', 'The run was stopped.']);
  expect([conversations[0]?.state.pendingActions, executed]).toEqual([[], []]);
});

test('P10: a sender without the right rejects no call by stopping its task', async () => {
  const { connect, conversations } = await serve([calls('one')], { mayApprove: () => false });
  const client = await connect('auto');
  const stopped = await about(client, 'stop_answer', taskOf(await converse(client, 'Go')));
  expect(said(stopped)).toEqual([true, undefined, expect.stringContaining('[DENIED]')]);
  expect(conversations[0]?.state.pendingActions).toHaveLength(1);
});

test.each(['converse', 'read_answer', 'stop_answer'] as const)(
  'P9: %s tells an error of the host to the host alone',
  async (name) => {
    const broken = new Error('cannot open /srv/keys/store.db');
    const heard: unknown[] = [];
    const { connect } = await serve([], {
      conversation: () => Promise.reject(broken),
      onError: (error) => heard.push(error),
    });
    const client = await connect('auto');
    const result = await (name === 'converse'
      ? converse(client, 'Go', { conversation: UUID })
      : about(client, name, `${UUID}.${UUID}`));
    expect(said(result)).toEqual([true, undefined, 'the request failed; the server has the reason']);
    expect(heard).toEqual([broken]);
  },
);

test('a message that is too large is refused before a conversation is made for it', async () => {
  const { connect, conversations } = await serve([]);
  const result = await converse(await connect('auto'), 'x'.repeat(2 ** 20 + 1));
  expect(said(result)).toEqual([true, undefined, expect.stringContaining('[EVENT_TOO_LARGE]')]);
  expect(conversations).toEqual([]);
});

test('no tool says that it only reads, because answers to its questions run calls', async () => {
  const { connect } = await serve([]);
  const { tools } = await (await connect('auto')).listTools();
  expect(tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint === true])).toEqual([
    ['converse', false],
    ['read_answer', false],
    ['stop_answer', false],
  ]);
});

test('a client without forms is not asked', async () => {
  const asked: string[] = [];
  const decide = (message: string): { action: 'cancel' } => (asked.push(message), { action: 'cancel' });
  const { connect } = await serve([calls('one')]);
  const client = await connect('auto', decide, { url: {} });
  expect(said(await converse(client, 'Go'))).toEqual([false, 'waiting', 'A call waits for a person.']);
  expect(asked).toEqual([]);
});

test('a call that waits for the client of its conversation is not said to wait for a person', async () => {
  const parameters = { type: 'object', properties: {} } as const;
  const weather = { name: 'weather', description: 'The weather.', parameters, answers: 'caller' } as const;
  const { connect } = await serve([{ calls: [{ name: 'weather', arguments: {} }] }], {}, [weather]);
  const client = await connect('auto', () => ({ action: 'accept', content: { approved: true } }));
  const result = await converse(client, 'Go');
  expect(said(result)).toEqual([false, 'waiting', 'A call waits for its output from the client of the conversation.']);
});

test.each<readonly [string, string, object, RegExp]>([
  ['a conversation that is not there', 'converse', { message: 'Go', conversation: 'none' }, /\[NOT_FOUND\]/],
  ['a message without a text', 'converse', { message: ' ' }, /\[INVALID_INPUT\].*message with a text/],
  ['the id of no task', 'read_answer', { task: 'none' }, /\[NOT_FOUND\]/],
])('%s is refused by name', async (_, name, given, problem) => {
  const { connect } = await serve([]);
  const client = await connect('auto');
  const result = (await client.callTool({ name, arguments: { ...given } })) as CallToolResult;
  expect(said(result)).toEqual([true, undefined, expect.stringMatching(problem)]);
});

test('a failed run is an error with the code of its failure', async () => {
  const { connect } = await serve(
    new StreamingAgent(() => {
      throw Object.assign(new Error('no such model'), { name: 'LLMBadRequestError' });
    }),
  );
  const result = await converse(await connect('auto'), 'Go');
  expect(said(result)).toEqual([true, 'failed', expect.stringContaining('no such model')]);
});

test('a sender without the right opens nothing', async () => {
  const { connect } = await serve([], {
    create: () => Promise.reject(new ConversationError('DENIED', 'expected another key')),
  });
  expect(said(await converse(await connect('auto'), 'Go'))).toEqual([
    true,
    undefined,
    expect.stringContaining('[DENIED]'),
  ]);
});

test('clients read the version that was given, and `unknown` without it', async () => {
  for (const [options, version] of [
    [{}, 'unknown'],
    [{ version: '2.1.0' }, '2.1.0'],
  ] as const) {
    const client = await (await serve([], options)).connect('auto');
    expect(client.getServerVersion()).toMatchObject({ name: 'conv', version });
  }
});

test('images of an answer come to the client as images', async () => {
  const data = 'iVBORw0KGgo=';
  const dot = imageContent(`data:image/png;base64,${data}`);
  const agent = new StreamingAgent(async ({ context }) => {
    await context.emit([agentMessage({ content: [textContent('A dot:'), dot], llm_response_id: 'first' })]);
    return 'Done.';
  });
  const { connect } = await serve(agent);
  const { content } = await converse(await connect('auto'), 'Paint');
  expect(content).toEqual([
    { type: 'text', text: 'A dot:\n\nDone.' },
    { type: 'image', mimeType: 'image/png', data },
  ]);
});
