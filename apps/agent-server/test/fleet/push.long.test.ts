import { StreamResponse, TaskState } from '@a2a-js/sdk';
import { filesWith, inCi, TOKEN_CANARY, WebhookReceiver, type ReceivedWebhook } from '@conv/testing-harness';
import { call, createModelServer, say, toolResults, type ModelServer } from '@conv/testing-model-server';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

import { keyedClient, taskFor, waitingIn } from '../a2a-api.ts';
import { newFolder } from '../new-folder.ts';
import { FLEET_KEY, startInFleet, type FleetProcess } from './fleet-process.ts';

const { TASK_STATE_COMPLETED, TASK_STATE_INPUT_REQUIRED, TASK_STATE_WORKING } = TaskState;

let model: ModelServer;

beforeAll(async () => {
  model = await createModelServer({
    script: (request) =>
      toolResults(request, 'since-last-user-message').length > 0
        ? say('Done.')
        : call('terminal', { command: 'echo hi' }),
  });
});

afterAll(() => model.close());

interface Told {
  readonly id: string;
  readonly state: number | undefined;
  /** True for the task as a whole. */
  readonly isTask: boolean;
}

function toldIn(notifications: readonly ReceivedWebhook[]): readonly Told[] {
  return notifications.map(({ id, body }) => {
    const { payload } = StreamResponse.fromJSON(JSON.parse(body));
    const isTask = payload?.$case === 'task';
    const state = isTask || payload?.$case === 'statusUpdate' ? payload.value.status?.state : undefined;
    return { id, state, isTask };
  });
}

/** The server is killed while the receiver is away, or while it has a notification that it has not answered. */
const cases = inCi([['away', 'sqlite'] as const, ['at work', 'fs'] as const], 2);

test.each(cases)(
  'P4, P5: a task whose server is killed while its receiver is %s is told by the server that is left, in order and without a request (%s)',
  async (moment, kind) => {
    const receiver = await WebhookReceiver.start();
    onTestFinished(() => receiver.close());
    const cwd = newFolder();
    const store = kind === 'fs' ? `fs:${join(cwd, 'store')}` : `sqlite:${join(cwd, 'conversations.db')}`;
    const env = {
      OH_SECRET_KEY: 'one-secret-for-all-servers',
      CONV_WEBHOOK_HOSTS: `127.0.0.1:${receiver.port}`,
      CONV_TAKEOVER_SECONDS: '2',
    };
    const start = (): Promise<FleetProcess> => startInFleet({ cwd, store, env });
    const [first, second] = [await start(), await start()];
    const llm = { model: 'openai/any', base_url: model.url, api_key: 'sk-any-0123456789', usage_id: 'agent' };
    await first.server.call('PATCH', '/api/settings', {
      agent_settings_diff: { llm, tools: [{ name: 'terminal', params: {} }] },
      conversation_settings_diff: { confirmation_mode: true },
    });
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
