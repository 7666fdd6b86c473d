import { StreamResponse, type TaskState } from '@a2a-js/sdk';
import { WebhookReceiver, type ReceivedWebhook } from '@conv/testing-harness';
import { call, createModelServer, say, toolResults } from '@conv/testing-model-server';
import type { JsonObject } from '@conv/core';
import { onTestFinished } from 'vitest';

/** A receiver of push notifications, and settings for conversations that each have something to tell. */
export interface PushBench {
  readonly receiver: WebhookReceiver;
  /** The model calls the terminal once for each message; a person is asked about the call. */
  readonly settings: JsonObject;
}

/** Starts a receiver and a model. They are stopped after the test. */
export async function pushBench(): Promise<PushBench> {
  const receiver = await WebhookReceiver.start();
  onTestFinished(() => receiver.close());
  const model = await createModelServer({
    script: (request) =>
      toolResults(request, 'since-last-user-message').length > 0
        ? say('Done.')
        : call('terminal', { command: 'echo hi' }),
  });
  onTestFinished(() => model.close());
  const llm = { model: 'openai/any', base_url: model.url, api_key: 'sk-any-0123456789', usage_id: 'agent' };
  return {
    receiver,
    settings: {
      agent_settings_diff: { llm, tools: [{ name: 'terminal', params: {} }] },
      conversation_settings_diff: { confirmation_mode: true },
    },
  };
}

/** A notification, as its receiver has it. */
export interface Told {
  readonly id: string;
  readonly state: TaskState | undefined;
  /** True for the task as a whole. */
  readonly isTask: boolean;
}

/** Returns what notifications tell, in their order. */
export function toldIn(notifications: readonly ReceivedWebhook[]): readonly Told[] {
  return notifications.map(({ id, body }) => {
    const { payload } = StreamResponse.fromJSON(JSON.parse(body));
    const isTask = payload?.$case === 'task';
    const state = isTask || payload?.$case === 'statusUpdate' ? payload.value.status?.state : undefined;
    return { id, state, isTask };
  });
}
