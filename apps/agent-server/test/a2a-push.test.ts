import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

import { StreamResponse, TaskState, type Task, type TaskPushNotificationConfig } from '@a2a-js/sdk';
import { TaskNotifications, type TaskNotificationsOptions } from '@conv/a2a-push';
import { ConversationError } from '@conv/core';
import { StreamingAgent } from '@conv/testing-harness';
import { expect, onTestFinished, test } from 'vitest';

import { answersOf, apiOver, localWith, taskFor, waitingIn } from './a2a-api.ts';
import { calls, scripted } from './openai-api.ts';

interface Receiver {
  readonly url: string;
  /** The notifications, with the keys in their headers. */
  readonly got: readonly (readonly [string, StreamResponse])[];
  /** Resolves when a task in this state was received. */
  readonly until: (state: TaskState) => Promise<Task>;
}

/** A receiver that refuses the first requests with 503. */
async function receiver(refused = 0): Promise<Receiver> {
  const got: (readonly [string, StreamResponse])[] = [];
  let left = refused;
  let more = Promise.withResolvers<void>();
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = StreamResponse.fromJSON(await json(request));
    if (left-- > 0) return void response.writeHead(503).end();
    const { authorization, 'x-a2a-notification-token': token } = request.headers;
    got.push([`${authorization}, ${String(token)}`, body]);
    response.end();
    more.resolve();
    more = Promise.withResolvers();
  };
  const server = createServer((request, response) => void take(request, response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const until = async (state: TaskState): Promise<Task> => {
    for (;;) {
      const told = got.map(([, { payload }]) => (payload?.$case === 'task' ? payload.value : undefined));
      const task = told.find((each) => each?.status?.state === state);
      if (task) return task;
      await more.promise;
    }
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, got, until };
}

/** Notifications that reach a receiver of this machine. */
function notifications(url: string, options: TaskNotificationsOptions = {}): TaskNotifications {
  const push = new TaskNotifications({ hosts: [new URL(url).host], ...options });
  onTestFinished(() => push.close());
  return push;
}

function configFor(url: string, more: Partial<TaskPushNotificationConfig> = {}): TaskPushNotificationConfig {
  const authentication = { scheme: 'Bearer', credentials: 'key of the receiver' };
  return { tenant: '', id: '', taskId: '', url, token: '', authentication, ...more };
}

test('a client that asked for it is notified until the task is over', async () => {
  const { url, got, until } = await receiver(1);
  const { client } = await apiOver(localWith(scripted(calls('echo', 'hi'), { text: 'Done.' }), true), {
    push: notifications(url),
  });
  expect((await client.getAgentCard()).capabilities?.pushNotifications).toBe(true);
  const taskPushNotificationConfig = configFor(url, { token: 'token of the task' });
  const asked = await taskFor(client, 'Go', {}, { taskPushNotificationConfig });
  expect(waitingIn(await until(TaskState.TASK_STATE_INPUT_REQUIRED))).toEqual(waitingIn(asked));
  await taskFor(client, [{ data: { call: waitingIn(asked)[0]?.call, approved: true } }], { taskId: asked.id });
  expect(answersOf(await until(TaskState.TASK_STATE_COMPLETED))).toEqual(['Done.']);
  expect(new Set(got.map(([keys]) => keys))).toEqual(new Set(['Bearer key of the receiver, token of the task']));
});

test('configurations are stored, read without keys, listed and deleted', async () => {
  const agent = new StreamingAgent(async ({ context: { signal } }) => {
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    return '';
  });
  const { url } = await receiver();
  const { client } = await apiOver(localWith(agent), { push: notifications(url) });
  const { id: taskId } = await taskFor(client, 'Go', {}, { returnImmediately: true });
  const made = await client.createTaskPushNotificationConfig(configFor(url, { taskId }));
  expect(made).toMatchObject({ taskId, url, authentication: { scheme: 'Bearer', credentials: '' } });
  const named = { tenant: '', taskId, id: made.id };
  expect(await client.getTaskPushNotificationConfig(named)).toEqual(made);
  const all = { tenant: '', taskId, pageSize: 0, pageToken: '' };
  expect((await client.listTaskPushNotificationConfig(all)).configs).toEqual([made]);
  await client.deleteTaskPushNotificationConfig(named);
  expect((await client.listTaskPushNotificationConfig(all)).configs).toEqual([]);
  await expect(client.getTaskPushNotificationConfig(named)).rejects.toMatchObject({ reason: 'TASK_NOT_FOUND' });
  await client.cancelTask({ tenant: '', id: taskId, metadata: undefined });
});

test('a task has ten configurations at most, also when more are created at once or with a decision', async () => {
  const { url } = await receiver();
  const { client } = await apiOver(localWith(scripted(calls('echo', 'hi'), { text: 'Done.' }), true), {
    push: notifications(url),
  });
  const asked = await taskFor(client, 'Go');
  const { id: taskId } = asked;
  const create = (id: string) => client.createTaskPushNotificationConfig(configFor(url, { taskId, id }));
  const ids = Array.from({ length: 11 }, (_, number) => `config-${number}`);
  const made = await Promise.allSettled(ids.map(create));
  expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
  const tooMany = { reason: 'INVALID_PARAMS', message: expect.stringContaining('at most 10') };
  expect(made.find(({ status }) => status === 'rejected')).toMatchObject({ reason: tooMany });
  await expect(create('another')).rejects.toMatchObject(tooMany);
  const decision = [{ data: { call: waitingIn(asked)[0]?.call, approved: true } }];
  const taskPushNotificationConfig = configFor(url, { id: 'another' });
  await expect(taskFor(client, decision, { taskId }, { taskPushNotificationConfig })).rejects.toMatchObject(tooMany);
  expect((await client.getTask({ tenant: '', id: taskId })).status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
  const { configs } = await client.listTaskPushNotificationConfig({ tenant: '', taskId, pageSize: 0, pageToken: '' });
  const [first = '', second = ''] = configs.map(({ id }) => id);
  await create(first);
  await client.deleteTaskPushNotificationConfig({ tenant: '', taskId, id: second });
  await create('another');
});

test('notifications go on after a restart, when the task is asked for', async () => {
  const { url, until } = await receiver();
  const stored: TaskPushNotificationConfig[] = [];
  const configs = {
    list: async () => stored,
    set: async () => true,
    delete: async () => void stored.splice(0),
  };
  const { client } = await apiOver(localWith(scripted({ text: 'Done.' })), { push: notifications(url, { configs }) });
  const { id: taskId } = await taskFor(client, 'Go');
  stored.push(configFor(url, { taskId, id: 'a' }));
  await client.getTask({ tenant: '', id: taskId });
  expect(answersOf(await until(TaskState.TASK_STATE_COMPLETED))).toEqual(['Done.']);
});

test('an address without http is refused, and every address without the option', async () => {
  const one = await apiOver(localWith(scripted({ text: 'One.' })), { push: new TaskNotifications() });
  const bad = taskFor(one.client, 'Go', {}, { taskPushNotificationConfig: configFor('file:///etc/passwd') });
  await expect(bad).rejects.toMatchObject({ reason: 'INVALID_PARAMS', message: expect.stringContaining('file:') });
  expect(one.conversations).toEqual([]);
  const other = await apiOver(localWith(scripted({ text: 'One.' })));
  const asked = taskFor(other.client, 'Go', {}, { taskPushNotificationConfig: configFor(one.url) });
  await expect(asked).rejects.toMatchObject({ reason: 'PUSH_NOTIFICATION_NOT_SUPPORTED' });
  expect(other.conversations).toEqual([]);
});

test('a sender without the right to a context is told nothing of its configurations', async () => {
  const refuse = (): Promise<never> => Promise.reject(new ConversationError('DENIED', 'not yours'));
  const { url } = await receiver();
  const own = await apiOver(localWith(scripted({ text: 'One.' })), { push: notifications(url) });
  const other = await apiOver(localWith(scripted()), { push: notifications(url), conversation: refuse });
  const { id: taskId, contextId } = await taskFor(own.client, 'Go');
  const taskPushNotificationConfig = configFor('file:///etc/passwd');
  const decided = [{ data: { call: 'x', approved: true } }];
  const approved = taskFor(other.client, decided, { taskId }, { taskPushNotificationConfig });
  await expect(approved).rejects.toThrow('not yours');
  const said = taskFor(other.client, 'Go', { contextId }, { taskPushNotificationConfig });
  await expect(said).rejects.toThrow('not yours');
});

test('no notification reaches an address of this machine that is not listed', async () => {
  const { url, got } = await receiver();
  const refused = Promise.withResolvers<unknown>();
  const push = new TaskNotifications({ onError: refused.resolve });
  onTestFinished(() => push.close());
  const { client } = await apiOver(localWith(scripted({ text: 'One.' })), { push });
  await taskFor(client, 'Go', {}, { taskPushNotificationConfig: configFor(url) });
  expect(await refused.promise).toMatchObject({ cause: { code: 'ADDRESS_REFUSED' } });
  expect(got).toEqual([]);
});
