import { TaskState, type Task } from '@a2a-js/sdk';
import { ConversationError } from '@conv/core';
import { StreamingAgent } from '@conv/testing-harness';
import { describe, expect, test } from 'vitest';

import {
  answersOf,
  apiOver,
  localWith,
  remoteWith,
  type Run,
  sends,
  Shown,
  taskFor,
  waitingIn,
  withRun,
} from './a2a-api.ts';
import { calls, scripted } from './openai-api.ts';

const PIXEL = 'iVBORw0KGgo=';
const { TASK_STATE_COMPLETED, TASK_STATE_INPUT_REQUIRED, TASK_STATE_FAILED, TASK_STATE_CANCELED, TASK_STATE_WORKING } =
  TaskState;

describe.each<readonly [string, typeof localWith]>([
  ['local', localWith],
  ['remote', remoteWith],
])('the published client on a %s conversation', (_, makes) => {
  test('P11: the A2A client gets an answer, continues the context, and reads the first task as it was', async () => {
    const { client, conversations } = await apiOver(makes(scripted({ text: 'One.' }, { text: 'Two.' })));
    const first = await taskFor(client, 'Go');
    expect([first.status?.state, answersOf(first)]).toEqual([TASK_STATE_COMPLETED, ['One.']]);
    const second = await taskFor(client, 'Again', { contextId: first.contextId });
    expect([second.contextId, answersOf(second)]).toEqual([first.contextId, ['Two.']]);
    const read = await client.getTask({ tenant: '', id: first.id });
    expect([answersOf(read), read.history.map(({ parts }) => parts[0]?.content?.value)]).toEqual([['One.'], ['Go']]);
    expect(conversations).toHaveLength(1);
  });

  test('P10: a call waits for a person, and the part with its id approves it', async () => {
    const { client } = await apiOver(makes(scripted(calls('echo', 'hi'), { text: 'Done.' }), true));
    const asked = await taskFor(client, 'Go');
    expect(asked.status?.state).toBe(TASK_STATE_INPUT_REQUIRED);
    const [waiting] = waitingIn(asked);
    expect(waiting).toMatchObject({ asks: 'approval', tool: 'echo', arguments: { words: 'hi' } });
    const done = await taskFor(client, [{ data: { call: waiting?.call, approved: true } }], { taskId: asked.id });
    expect([done.id, done.status?.state, answersOf(done)]).toEqual([asked.id, TASK_STATE_COMPLETED, ['Done.']]);
    expect(done.history[1]?.parts[0]?.content?.value).toMatchObject({ tool: 'echo', outcome: 'output' });
  });

  test('P3: a part with arguments approves the call with them, and the task has both calls', async () => {
    const { client } = await apiOver(makes(scripted(calls('echo', 'hi'), { text: 'Done.' }), true));
    const asked = await taskFor(client, 'Go');
    const call = waitingIn(asked)[0]?.call;
    const decide = (edit: object): Promise<Task> =>
      taskFor(client, [{ data: { call, approved: true, arguments: edit } }], { taskId: asked.id });
    await expect(decide({ words: 5 })).rejects.toThrow('words');
    await expect(decide(['bye'])).rejects.toThrow('as an object');
    const done = await decide({ words: 'bye' });
    expect([done.id, done.status?.state, answersOf(done)]).toEqual([asked.id, TASK_STATE_COMPLETED, ['Done.']]);
    const told = done.history.flatMap(({ parts }) =>
      parts[0]?.content?.$case === 'data' ? [parts[0].content.value] : [],
    );
    expect(told).toEqual([
      expect.objectContaining({ arguments: { words: 'hi' }, outcome: 'rejected' }),
      expect.objectContaining({ arguments: { words: 'bye' }, outcome: 'output' }),
    ]);
  });

  test('P3: a part that is sent back as it came, with a decision, decides the call as it is', async () => {
    const { client } = await apiOver(
      makes(scripted(calls('echo', 'hi'), calls('echo', 'ho'), { text: 'Done.' }), true),
    );
    let task = await taskFor(client, 'Go');
    for (const approved of [true, false])
      task = await taskFor(client, [{ data: { ...waitingIn(task)[0], approved } }], { taskId: task.id });
    const told = task.history.slice(1).map(({ parts }) => parts[0]?.content?.value);
    expect(told).toMatchObject([
      { arguments: { words: 'hi' }, outcome: 'output' },
      { arguments: { words: 'ho' }, outcome: 'rejected' },
    ]);
    expect([task.status?.state, answersOf(task)]).toEqual([TASK_STATE_COMPLETED, ['Done.']]);
  });

  test('P11: a rejection whose run never began goes on when it is sent again', async () => {
    const { client, conversations } = await apiOver(makes(scripted(calls('echo', 'hi'), { text: 'Not then.' }), true));
    const asked = await taskFor(client, 'Go');
    const call = waitingIn(asked)[0]?.call ?? '';
    // as the log is if the process ends between the two
    await conversations[0]?.reject([call]);
    expect((await client.getTask({ tenant: '', id: asked.id })).status?.state).toBe(TASK_STATE_WORKING);
    const done = await taskFor(client, [{ data: { call, approved: false } }], { taskId: asked.id });
    expect([done.status?.state, answersOf(done)]).toEqual([TASK_STATE_COMPLETED, ['Not then.']]);
  });

  test('the A2A client executes a tool of its own, and the output comes to the model', async () => {
    const { client } = await apiOver(makes(scripted(calls('weather', 'Rome'), { text: 'Sunny.' })));
    const asked = await taskFor(client, 'Go');
    const [waiting] = waitingIn(asked);
    expect(waiting).toMatchObject({ asks: 'output', tool: 'weather' });
    const done = await taskFor(client, [{ data: { call: waiting?.call, output: 'sun' } }], { taskId: asked.id });
    expect([done.status?.state, answersOf(done)]).toEqual([TASK_STATE_COMPLETED, ['Sunny.']]);
  });

  test('streams a task, whose parts are what the task has at the end', async () => {
    const { client } = await apiOver(makes(scripted(calls('echo', 'hi'), { text: 'Done.' })));
    const shown = new Shown();
    for await (const response of client.sendMessageStream(sends('Go'))) shown.take(response);
    const task = await client.getTask({ tenant: '', id: shown.task?.id ?? '' });
    expect([shown.state, shown.answers]).toEqual([TASK_STATE_COMPLETED, answersOf(task)]);
    expect([...shown.messages]).toEqual(task.history.slice(1).map(({ messageId }) => messageId));
    expect(shown.messages.size).toBe(1);
  });

  test('P4: a message that is sent again runs nothing, also the first one of a context', async () => {
    const { client, conversations } = await apiOver(makes(scripted({ text: 'One.' }, { text: 'Two.' })));
    const messageId = crypto.randomUUID();
    const first = await taskFor(client, 'Go', { messageId });
    const again = await taskFor(client, 'Go', { messageId: messageId.toUpperCase() });
    expect([again.id, answersOf(again)]).toEqual([first.id, ['One.']]);
    const next = { messageId: 'no-uuid', contextId: first.contextId };
    const second = await taskFor(client, 'On', next);
    expect(await taskFor(client, 'On', next)).toEqual(second);
    expect([conversations.length, conversations[0]?.state.iteration]).toEqual([1, 2]);
  });
});

test('the card tells the interface, and has the members that were given', async () => {
  const { client, url } = await apiOver(localWith(scripted()), {
    card: { name: 'Other', description: 'Another one.', version: '2.1.0' },
  });
  const card = await client.getAgentCard();
  expect(card).toMatchObject({ name: 'Other', version: '2.1.0', capabilities: { streaming: true } });
  expect(card.supportedInterfaces).toMatchObject([{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }]);
  const without = await apiOver(localWith(scripted()));
  expect(await without.client.getAgentCard()).toMatchObject({ version: 'unknown' });
});

test('P10: a run that is refused after an approval fails the task of the call', async () => {
  const make = localWith(scripted({ text: 'I look.', ...calls('echo', 'hi') }), true);
  const runs: (() => Run)[] = [];
  const { client } = await apiOver(async (wanted) =>
    withRun(await make(wanted), (begin) => {
      if (runs.push(begin) === 1) return begin();
      return Promise.reject(new ConversationError('DENIED', 'expected a sender who may run'));
    }),
  );
  const asked = await taskFor(client, 'Go');
  const parts = [{ data: { call: waitingIn(asked)[0]?.call, approved: true } }];
  const failed = await taskFor(client, parts, { taskId: asked.id });
  expect(failed.status?.state).toBe(TASK_STATE_FAILED);
  expect(JSON.stringify(failed.status?.message)).toContain('expected a sender who may run');
  expect(await client.getTask({ tenant: '', id: asked.id })).toEqual(failed);
});

test('a failed run is a failed task', async () => {
  const { client } = await apiOver(localWith(scripted({ error: 'the key is wrong' })));
  const task = await taskFor(client, 'Go');
  expect(task.status?.state).toBe(TASK_STATE_FAILED);
  expect(JSON.stringify(task.status?.message)).toContain('the key is wrong');
});

test('a task goes on without its client, and cancel ends it, once', async () => {
  const begun = Promise.withResolvers<void>();
  const agent = new StreamingAgent(async ({ context: { signal } }) => {
    begun.resolve();
    await new Promise((__, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    return '';
  });
  const { client } = await apiOver(localWith(agent));
  const { id } = await taskFor(client, 'Go', {}, { returnImmediately: true });
  await begun.promise;
  expect((await client.getTask({ tenant: '', id })).status?.state).toBe(TASK_STATE_WORKING);
  const cancel = { tenant: '', id, metadata: undefined };
  expect((await client.cancelTask(cancel)).status?.state).toBe(TASK_STATE_CANCELED);
  expect((await client.cancelTask(cancel)).status?.state).toBe(TASK_STATE_CANCELED);
});

test('P10: cancel rejects the calls that wait', async () => {
  const { client, conversations } = await apiOver(localWith(scripted(calls('echo', 'hi')), true));
  const { id } = await taskFor(client, 'Go');
  const canceled = await client.cancelTask({ tenant: '', id, metadata: undefined });
  expect([canceled.status?.state, conversations[0]?.state.pendingActions]).toEqual([TASK_STATE_CANCELED, []]);
});

test('images reach the conversation, and come from it', async () => {
  const { client, conversations } = await apiOver(localWith(scripted({ text: 'A dot.' })));
  const parts = [{ text: 'Look' }, { raw: PIXEL, mediaType: 'image/png' }];
  const task = await taskFor(client, parts);
  expect(JSON.stringify(await conversations[0]?.events.slice())).toContain(`data:image/png;base64,${PIXEL}`);
  const [, image] = task.history[0]?.parts ?? [];
  expect([image?.mediaType, image?.content?.value.toString('base64')]).toEqual(['image/png', PIXEL]);
});

test('P10: a caller without the right approves nothing', async () => {
  const { client, conversations } = await apiOver(localWith(scripted(calls('echo', 'hi')), true), {
    mayApprove: () => false,
  });
  const asked = await taskFor(client, 'Go');
  const parts = [{ data: { call: waitingIn(asked)[0]?.call, approved: true } }];
  await expect(taskFor(client, parts, { taskId: asked.id })).rejects.toThrow('expected a sender who may approve');
  expect(conversations[0]?.state.executionStatus).toBe('waiting_for_confirmation');
});

test('P10: a caller without the right rejects no call by canceling its task', async () => {
  const { client, conversations } = await apiOver(localWith(scripted(calls('echo', 'hi')), true), {
    mayApprove: () => false,
  });
  const { id } = await taskFor(client, 'Go');
  const canceled = client.cancelTask({ tenant: '', id, metadata: undefined });
  await expect(canceled).rejects.toThrow('expected a sender who may approve');
  expect(conversations[0]?.state.pendingActions).toHaveLength(1);
});

test('a message with a wrong length of the history is refused before anything runs', async () => {
  const { client, conversations } = await apiOver(localWith(scripted({ text: 'One.' })));
  await expect(taskFor(client, 'Go', {}, { historyLength: -1 })).rejects.toThrow('historyLength');
  expect(conversations).toEqual([]);
});

test('P10: words approve nothing', async () => {
  const { client, conversations } = await apiOver(localWith(scripted(calls('echo', 'hi')), true));
  const asked = await taskFor(client, 'Go');
  await expect(taskFor(client, 'Yes', { taskId: asked.id })).rejects.toThrow('expected data parts');
  expect(conversations[0]?.state.executionStatus).toBe('waiting_for_confirmation');
});

test('bad requests are refused by the errors of the protocol, which name what is wrong', async () => {
  const { client, url } = await apiOver(localWith(scripted({ text: 'One.' })));
  const { id, contextId } = await taskFor(client, 'Go');
  const other = `${contextId}_${crypto.randomUUID()}`;
  const refusals: readonly (readonly [() => Promise<unknown>, string, string])[] = [
    [() => client.getTask({ tenant: '', id: 'x' }), 'TASK_NOT_FOUND', 'expected the id of a task'],
    [() => client.getTask({ tenant: '', id: other }), 'TASK_NOT_FOUND', 'expected the id of a task'],
    [() => client.getTask({ tenant: '', id: `${crypto.randomUUID()}_${crypto.randomUUID()}` }), 'TASK_NOT_FOUND', ''],
    [() => client.cancelTask({ tenant: '', id, metadata: undefined }), 'TASK_NOT_CANCELABLE', 'which is over'],
    [() => taskFor(client, 'On', { taskId: id }), 'UNSUPPORTED_OPERATION', 'expected data parts'],
    [() => taskFor(client, [], { contextId }), 'INVALID_PARAMS', 'expected a message with content'],
    [() => taskFor(client, 'On', { taskId: id, contextId: 'x' }), 'INVALID_PARAMS', 'expected the context of the task'],
    [
      () => taskFor(client, [{ data: { call: 'x', approved: true } }], { contextId }),
      'INVALID_PARAMS',
      'the id of the task',
    ],
    [() => taskFor(client, [{ raw: PIXEL, mediaType: 'audio/wav' }]), 'CONTENT_TYPE_NOT_SUPPORTED', 'audio/wav'],
    [() => taskFor(client, [{ url: 'nonsense', mediaType: 'image/png' }]), 'CONTENT_TYPE_NOT_SUPPORTED', 'found url'],
    [() => client.getTask({ tenant: '', id, historyLength: -1 }), 'INVALID_PARAMS', 'historyLength'],
  ];
  const seen: string[] = [];
  for (const [ask, , message] of refusals) {
    const error = await ask().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ message: expect.stringContaining(message) });
    seen.push(Object(error).reason as string);
  }
  expect(seen).toEqual(refusals.map(([, reason]) => reason));
  const post = async (body: string, headers: object): Promise<unknown> =>
    (await fetch(url, { method: 'POST', body, headers: { ...headers } })).json();
  const rpc = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id } });
  const send = (method: string, part: unknown): string => {
    const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [part] };
    return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { message } });
  };
  for (const method of ['SendMessage', 'SendStreamingMessage'])
    for (const part of [null, { raw: 5 }])
      expect(await post(send(method, part), { 'A2A-Version': '1.0' })).toMatchObject({
        id: 1,
        error: { code: -32602, message: expect.stringContaining('expected params') },
      });
  expect(await post('{', { 'A2A-Version': '1.0' })).toMatchObject({ id: null, error: { code: -32700 } });
  expect(await post(rpc, {})).toMatchObject({ id: 1, error: { code: -32009 } });
  expect(await post(rpc.replace('GetTask', 'Get'), { 'A2A-Version': '1.0' })).toMatchObject({
    error: { code: -32601 },
  });
});
