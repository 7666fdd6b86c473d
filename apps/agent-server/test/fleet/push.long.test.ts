import { TaskState } from '@a2a-js/sdk';
import { filesWith, inCi, TOKEN_CANARY } from '@conv/testing-harness';
import { join } from 'node:path';
import { expect, test } from 'vitest';

import { keyedClient, taskFor, waitingIn } from '../a2a-api.ts';
import { newFolder } from '../new-folder.ts';
import { pushBench, toldIn } from '../push-bench.ts';
import { FLEET_KEY, startInFleet, type FleetProcess } from './fleet-process.ts';

const { TASK_STATE_COMPLETED, TASK_STATE_INPUT_REQUIRED, TASK_STATE_WORKING } = TaskState;

/** The server is killed while the receiver is away, or while it has a notification that it has not answered. */
const cases = inCi([['away', 'sqlite'] as const, ['at work', 'fs'] as const], 2);

test.each(cases)(
  'P4, P5: a task whose server dies with its receiver %s is told in order by the remaining server (%s)',
  async (moment, kind) => {
    const { receiver, settings } = await pushBench();
    const cwd = newFolder();
    const store = kind === 'fs' ? `fs:${join(cwd, 'store')}` : `sqlite:${join(cwd, 'conversations.db')}`;
    const env = {
      OH_SECRET_KEY: 'one-secret-for-all-servers',
      CONV_WEBHOOK_HOSTS: `127.0.0.1:${receiver.port}`,
      CONV_TAKEOVER_SECONDS: '2',
    };
    const start = (): Promise<FleetProcess> => startInFleet({ cwd, store, env });
    const [first, second] = [await start(), await start()];
    await first.server.call('PATCH', '/api/settings', settings);
    receiver.answer = () => (moment === 'away' ? 503 : 'never');
    const authentication = { scheme: 'Bearer', credentials: TOKEN_CANARY };
    const taskPushNotificationConfig = { tenant: '', id: '', taskId: '', url: receiver.url, token: '', authentication };
    const client = await keyedClient(first.url, FLEET_KEY);
    const asked = await taskFor(client, 'Go', {}, { taskPushNotificationConfig });
    expect(asked.status?.state).toBe(TASK_STATE_INPUT_REQUIRED);
    await receiver.until(() => receiver.received.length > 0);
    first.server.kill('SIGKILL');
    await first.server.ended();
    receiver.answer = () => 204;
    await receiver.until(() => toldIn(receiver.taken).some(({ state }) => state === TASK_STATE_INPUT_REQUIRED));
    const other = await keyedClient(second.url, FLEET_KEY);
    const decision = [{ data: { call: waitingIn(asked)[0]?.call, approved: true } }];
    await taskFor(other, decision, { taskId: asked.id });
    await receiver.until(() => toldIn(receiver.taken).some(({ state }) => state === TASK_STATE_COMPLETED));
    const told = toldIn(receiver.taken);
    expect(new Set(told.map(({ id }) => id)).size).toBe(told.length);
    const states = told.map(({ state }) => state);
    expect(states.slice(states.indexOf(TASK_STATE_INPUT_REQUIRED))).toContain(TASK_STATE_WORKING);
    expect(states.indexOf(TASK_STATE_COMPLETED)).toBe(states.length - 1);
    expect(told.at(-1)?.isTask).toBe(true);
    expect(new Set(receiver.taken.map(({ headers }) => headers.authorization))).toEqual(
      new Set([`Bearer ${TOKEN_CANARY}`]),
    );
    expect(filesWith(cwd, TOKEN_CANARY)).toEqual([]);
  },
);
