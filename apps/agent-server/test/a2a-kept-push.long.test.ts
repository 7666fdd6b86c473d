import { TaskState } from '@a2a-js/sdk';
import type { WebhookReceiver } from '@conv/testing-harness';
import { expect, onTestFinished, test } from 'vitest';

import { answersOf, keyedClient, taskFor, waitingIn } from './a2a-api.ts';
import { newFolder } from './new-folder.ts';
import { pushBench, toldIn } from './push-bench.ts';
import { ServerHere } from './server-here.ts';

const { TASK_STATE_COMPLETED, TASK_STATE_INPUT_REQUIRED, TASK_STATE_WORKING } = TaskState;

/** Returns the states that a receiver has taken. */
const statesOf = ({ taken }: WebhookReceiver): readonly (TaskState | undefined)[] =>
  toldIn(taken).map(({ state }) => state);

test('P4: push notifications go on after a restart, without a request, until the task is over', async () => {
  const { receiver, settings } = await pushBench();
  const folder = newFolder();
  const key = 'one-key-for-both-starts-0123456789';
  const env = { CONV_WEBHOOK_HOSTS: `127.0.0.1:${receiver.port}`, OH_SESSION_API_KEYS_0: key };
  const start = (): Promise<ServerHere> => ServerHere.start(folder, env);
  let server = await start();
  onTestFinished(() => server.stop());
  const set = await fetch(`${server.url}/api/settings`, {
    method: 'PATCH',
    headers: { 'x-session-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify(settings),
  });
  expect(set.status).toBe(200);
  receiver.answer = () => 503;
  const authentication = { scheme: 'Bearer', credentials: 'key of the receiver' };
  const taskPushNotificationConfig = {
    tenant: '',
    id: 'mine',
    taskId: '',
    url: receiver.url,
    token: 'T',
    authentication,
  };
  const first = await keyedClient(server.url, key);
  const asked = await taskFor(first, 'Go', {}, { taskPushNotificationConfig });
  expect(asked.status?.state).toBe(TASK_STATE_INPUT_REQUIRED);
  await receiver.until(() => receiver.received.length > 0);
  await server.stop();
  receiver.answer = () => 204;
  server = await start();
  await receiver.until(() => statesOf(receiver).includes(TASK_STATE_INPUT_REQUIRED));
  const again = await keyedClient(server.url, key);
  const named = { tenant: '', taskId: asked.id, id: 'mine' };
  expect(await again.getTaskPushNotificationConfig(named)).toMatchObject({ url: receiver.url, token: '' });
  const decision = [{ data: { call: waitingIn(asked)[0]?.call, approved: true } }];
  expect(answersOf(await taskFor(again, decision, { taskId: asked.id }))).toContain('Done.');
  await receiver.until(() => statesOf(receiver).includes(TASK_STATE_COMPLETED));
  const told = statesOf(receiver);
  expect(told.indexOf(TASK_STATE_COMPLETED)).toBe(told.length - 1);
  expect(told.slice(told.indexOf(TASK_STATE_INPUT_REQUIRED) + 1)).toContain(TASK_STATE_WORKING);
  expect(new Set(receiver.taken.map(({ id }) => id)).size).toBe(told.length);
  const keys = receiver.taken.map(
    ({ headers }) => `${headers.authorization} ${String(headers['x-a2a-notification-token'])}`,
  );
  expect(new Set(keys)).toEqual(new Set(['Bearer key of the receiver T']));
});
