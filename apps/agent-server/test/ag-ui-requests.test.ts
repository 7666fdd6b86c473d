import { ConversationError } from '@conv/core';
import { StreamingAgent } from '@conv/testing-harness';
import { expect, test } from 'vitest';

import { localThreads, serveThreads } from './ag-ui-api.ts';
import { calls, scripted } from './openai-api.ts';

const PIXEL = 'iVBORw0KGgo=';

test('a failed run ends with the error of the log, and the client goes on', async () => {
  const threads = await serveThreads(localThreads(scripted({ error: 'the key is wrong' }, { text: 'Fine.' })));
  const client = threads.client();
  const end = await client.say('Go');
  expect(end).toMatchObject({ type: 'RUN_ERROR', message: expect.stringContaining('the key is wrong') });
  await client.say('Again');
  expect(client.shown()).toEqual(['user: Go', 'user: Again', 'assistant: Fine.']);
});

test('a request that is sent again runs nothing again', async () => {
  const threads = await serveThreads(localThreads(scripted({ text: 'Once.' }, { text: 'Twice.' })));
  const client = threads.client();
  client.setMessages([{ id: 'mine', role: 'user', content: 'Go' }]);
  await client.ask();
  const [, answer] = client.messages;
  client.setMessages([{ id: 'mine', role: 'user', content: 'Go' }]);
  await client.ask();
  expect(client.messages).toEqual([{ id: 'mine', role: 'user', content: 'Go' }, answer]);
});

test('P10: a message that is sent again while a call waits gets the interrupt, and approves nothing', async () => {
  const threads = await serveThreads(localThreads(scripted(calls('echo', 'hi')), true));
  const client = threads.client();
  await client.say('Go');
  const other = threads.client(client.threadId);
  other.setMessages(client.messages.slice(0, 1));
  await other.ask();
  expect(other.pendingInterrupts).toEqual(client.pendingInterrupts);
  expect(other.messages).toEqual(client.messages);
});

test('P3: an approval with edited arguments runs them, and the edited call is shown beside the first one', async () => {
  const threads = await serveThreads(localThreads(scripted(calls('echo', 'hi'), { text: 'Done.' }), true));
  const client = threads.client();
  await client.say('Go');
  const end = await client.resume({ approved: true, editedArgs: { words: 'bye' } });
  expect(end).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'success' } });
  const ran = client.messages.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []));
  expect(ran.map((call) => JSON.parse(call.function.arguments) as unknown)).toEqual([
    { words: 'hi' },
    { words: 'bye' },
  ]);
  const results = client.messages.flatMap((message) =>
    message.role === 'tool' ? [JSON.stringify(message.content)] : [],
  );
  expect(results.filter((text) => text.includes('bye'))).toHaveLength(1);
  expect(results.filter((text) => text.includes('changed the arguments'))).toHaveLength(1);
  expect(client.shown().at(-1)).toBe('assistant: Done.');
});

test('an edit that the tool does not take is refused by the name of the argument, and decides nothing', async () => {
  const threads = await serveThreads(localThreads(scripted(calls('echo', 'hi')), true));
  const client = threads.client();
  await client.say('Go');
  const [interrupt] = client.pendingInterrupts;
  const interruptId = interrupt?.id ?? '';
  const payload = { approved: true, editedArgs: { words: 5 } };
  const resume = [{ interruptId, status: 'resolved', payload }];
  const body = JSON.stringify({ threadId: client.threadId, runId: 'r', messages: [], resume });
  const headers = { 'content-type': 'application/json' };
  const refused = await fetch(`${threads.url}/agent`, { method: 'POST', headers, body });
  expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('words')]);
  const [conversation] = threads.conversations.values();
  expect(conversation?.state.pendingActions.map(({ id }) => id)).toEqual([interruptId]);
});

test('P10: an approval that is sent again executes nothing again', async () => {
  const threads = await serveThreads(localThreads(scripted(calls('echo', 'hi'), { text: 'Done.' }), true));
  const client = threads.client();
  await client.say('Go');
  const resume = client.pendingInterrupts.map(({ id }) => ({
    interruptId: id,
    status: 'resolved' as const,
    payload: { approved: true },
  }));
  await client.ask({ resume });
  const { messages } = client;
  expect(await client.ask({ resume })).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'success' } });
  expect(client.messages).toEqual(messages);
});

test('a client that leaves stops no run, and comes back to the rest of the answer', async () => {
  const said = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const agent = new StreamingAgent(async ({ say }) => {
    say('Hel');
    said.resolve();
    await goOn.promise;
    say('lo');
    return 'Hello';
  });
  const threads = await serveThreads(localThreads(agent));
  const client = threads.client();
  const partial = Promise.withResolvers<void>();
  client.subscribe({ onTextMessageContentEvent: () => partial.resolve() });
  const running = client.say('Go');
  await said.promise;
  await partial.promise;
  client.abortRun();
  await running;
  expect(client.shown()).toEqual(['user: Go', 'assistant: Hel']);
  const back = client.ask();
  goOn.resolve();
  expect(await back).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'success' } });
  expect(client.shown()).toEqual(['user: Go', 'assistant: Hello']);
});

test('DELETE stops a run, whose client learns that it was cancelled', async () => {
  const begun = Promise.withResolvers<void>();
  const agent = new StreamingAgent(async ({ context: { signal } }) => {
    begun.resolve();
    await new Promise((__, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    return '';
  });
  const threads = await serveThreads(localThreads(agent));
  const client = threads.client();
  const running = client.say('Go');
  await begun.promise;
  const stopped = await fetch(`${threads.url}/agent/${client.threadId}`, { method: 'DELETE' });
  expect(stopped.status).toBe(204);
  expect(await running).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'cancelled' } });
});

test('void pieces of text and reasoning are taken back', async () => {
  const agent = new StreamingAgent(({ say }) => {
    say('hm', { kind: 'reasoning' });
    say('Wrong');
    say('so', { kind: 'reasoning', attempt: 2 });
    say('Wro', { attempt: 2 });
    say('Ri', { attempt: 3 });
    say('ght', { attempt: 3 });
    return 'Right.';
  });
  const threads = await serveThreads(localThreads(agent));
  const client = threads.client();
  await client.say('Go');
  expect(client.events.map(({ type }) => type)).toContain('TEXT_MESSAGE_START');
  expect(client.shown()).toEqual(['user: Go', 'assistant: Right.']);
});

test('a client that lost an answer and sends another message has both in the order of the log', async () => {
  const threads = await serveThreads(localThreads(scripted({ text: 'One.' }, { text: 'Two.' })));
  const client = threads.client();
  await client.say('First');
  client.setMessages(client.messages.slice(0, 1));
  await client.say('Second');
  expect(client.shown()).toEqual(['user: First', 'assistant: One.', 'user: Second', 'assistant: Two.']);
});

test('images reach the model, and come back as the client sent them', async () => {
  const threads = await serveThreads(localThreads(scripted({ text: 'A dot.' }, { text: 'A dot.' })));
  const client = threads.client();
  const source = { type: 'data' as const, value: PIXEL, mimeType: 'image/png' };
  const content = [
    { type: 'text' as const, text: 'Look' },
    { type: 'image' as const, source },
  ];
  client.addMessage({ id: 'mine', role: 'user', content });
  await client.ask();
  expect(client.messages[0]).toEqual({ id: 'mine', role: 'user', content });
  const [conversation] = threads.conversations.values();
  expect(JSON.stringify(await conversation?.events.slice())).toContain(`data:image/png;base64,${PIXEL}`);
});

test('the state has status, cost and tasks beside what the application put there', async () => {
  const threads = await serveThreads(localThreads(scripted({ text: 'Fine.' })));
  const client = threads.client();
  client.setState({ theme: 'dark' });
  await client.say('Go');
  const metrics = expect.objectContaining({ llmCallCount: 1 });
  expect(client.state).toMatchObject({ theme: 'dark', conversation: { status: 'finished', metrics, tasks: [] } });
  expect(client.events.map(({ type }) => type)).toContain('STATE_DELTA');
});

test('GET follows the newest turn behind a cursor, or from its beginning', async () => {
  const threads = await serveThreads(localThreads(scripted({ text: 'One.' }, { text: 'Two.' })));
  const client = threads.client();
  await client.say('First');
  await client.say('Second');
  const read = async (query: string): Promise<readonly string[]> =>
    (await (await fetch(`${threads.url}/agent/${client.threadId}${query}`)).text()).split('\n\n').slice(0, -1);
  const turn = await read('');
  expect(turn.join('\n')).toContain('TEXT_MESSAGE_CONTENT');
  const [, last] = /^id: (\d+)/.exec(turn.at(-1) ?? '') ?? [];
  const rest = await read(`?after=${last}`);
  expect(rest.join('\n')).not.toContain('TEXT_MESSAGE_CONTENT');
  expect(rest.at(-1)).toContain('RUN_FINISHED');
});

test('P10: a sender without the right approves nothing', async () => {
  const make = localThreads(scripted(calls('echo', 'hi')), true);
  const threads = await serveThreads(make, { mayApprove: () => false });
  const client = threads.client();
  await client.say('Go');
  const [interrupt] = client.pendingInterrupts;
  const resume = [{ interruptId: interrupt?.id ?? '', status: 'resolved' as const, payload: { approved: true } }];
  await expect(client.ask({ resume })).rejects.toMatchObject({ status: 403, payload: { code: 'DENIED' } });
  const [conversation] = threads.conversations.values();
  expect(conversation?.state.executionStatus).toBe('waiting_for_confirmation');
});

test('P10: answers that do not fit the interrupts fail the run, and decide nothing', async () => {
  const threads = await serveThreads(localThreads(scripted(calls('echo', 'hi')), true));
  const client = threads.client();
  await client.say('Go');
  const [interrupt] = client.pendingInterrupts;
  const interruptId = interrupt?.id ?? '';
  const other = threads.client(client.threadId);
  const answers = [
    [{ interruptId: 'x', status: 'resolved' as const, payload: { approved: true } }],
    [{ interruptId, status: 'resolved' as const }],
    [{ interruptId, status: 'resolved' as const, payload: { approved: true, editedArgs: 'hi' } }],
    [{ interruptId, status: 'resolved' as const, payload: { approved: false, editedArgs: {} } }],
  ];
  for (const resume of answers) {
    other.pendingInterrupts = [];
    expect(await other.ask({ resume })).toMatchObject({ type: 'RUN_ERROR', code: 'INTERRUPT_MISMATCH' });
  }
  expect(await other.say('Never mind')).toMatchObject({ type: 'RUN_ERROR', code: 'INTERRUPT_MISMATCH' });
  const [conversation] = threads.conversations.values();
  expect(conversation?.state.pendingActions.map(({ id }) => id)).toEqual([interruptId]);
});

test('bad requests are refused with the error event of the protocol, which names what is wrong', async () => {
  const threads = await serveThreads(async () => {
    throw new ConversationError('NOT_FOUND', 'no such thread');
  });
  const user = (content: unknown): object => ({ id: 'u', role: 'user', content });
  const video = { type: 'video', source: { type: 'url', value: 'https://x' } };
  const file = { type: 'image', source: { type: 'file', value: 'x' } };
  const tool = (content: unknown): object => ({ id: 't', role: 'tool', toolCallId: 'c', content });
  const image = (value: string): object => ({ type: 'image', source: { type: 'url', value } });
  const data = (mimeType?: string): object => ({ type: 'image', source: { type: 'data', value: PIXEL, mimeType } });
  const requests: readonly (readonly [unknown, number, string])[] = [
    ['no object', 400, 'RunAgentInput'],
    [{ runId: 'r', messages: [] }, 400, 'threadId: expected an id'],
    [{ threadId: 't', runId: 'r' }, 400, 'messages: expected a list'],
    [{ threadId: 't', runId: 'r', messages: [{ role: 'user' }] }, 400, 'messages[0]: expected an id'],
    [{ threadId: 't', runId: 'r', messages: [user([video])] }, 400, 'messages[0].content[0]: expected a text'],
    [{ threadId: 't', runId: 'r', messages: [user([file])] }, 400, 'content[0].source: expected data'],
    [{ threadId: 't', runId: 'r', messages: [user([null])] }, 400, 'messages[0].content: expected a text or a list'],
    [{ threadId: 't', runId: 'r', messages: [user([image('nonsense')])] }, 400, 'content[0].source: expected data'],
    [{ threadId: 't', runId: 'r', messages: [user([data('text/html')])] }, 400, 'content[0].source: expected data'],
    [{ threadId: 't', runId: 'r', messages: [user([data()])] }, 400, 'content[0].source: expected data'],
    [{ threadId: 't', runId: 'r', messages: [user('')] }, 400, 'messages[0].content: expected a text or an image'],
    [{ threadId: 't', runId: 'r', messages: [user([])] }, 400, 'messages[0].content: expected a text or an image'],
    [{ threadId: 't', runId: 'r', messages: [tool(undefined)] }, 400, 'messages[0].content: expected a text or a list'],
    [{ threadId: 't', runId: 'r', messages: [tool([null])] }, 400, 'messages[0].content: expected a text or a list'],
    [
      { threadId: 't', runId: 'r', messages: [user([video]), tool('sun'), user('x')] },
      404,
      'expected the id of a thread',
    ],
    [{ threadId: 't', runId: 'r', messages: [] }, 404, 'expected the id of a thread'],
  ];
  for (const [body, status, message] of requests) {
    const answer = await fetch(`${threads.url}/agent`, { method: 'POST', body: JSON.stringify(body) });
    const error: unknown = await answer.json();
    expect([body, answer.status, error]).toMatchObject([body, status, { type: 'RUN_ERROR' }]);
    expect(error).toMatchObject({ message: expect.stringContaining(message) });
  }
  const put = await fetch(`${threads.url}/agent`, { method: 'PUT' });
  expect([put.status, await put.json()]).toEqual([
    405,
    { type: 'RUN_ERROR', code: 'METHOD_NOT_ALLOWED', message: 'expected GET, POST or DELETE, found PUT' },
  ]);
});
