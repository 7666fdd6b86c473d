import type { Conversation } from '@conv/core';
import { StreamingAgent } from '@conv/testing-harness';
import { expect, test } from 'vitest';

import { apiOver as a2aOver, localWith as contextsWith, taskFor } from './a2a-api.ts';
import { apiOver as openaiOver, localWith } from './openai-api.ts';

/** Clients of one answer. */
const FOLLOWERS = 5;

/** An agent that answers when it may. */
function gated(): { readonly agent: StreamingAgent; readonly open: () => void } {
  const gate = Promise.withResolvers<void>();
  const agent = new StreamingAgent(async ({ say }) => {
    await gate.promise;
    say('Ri');
    say('ght.');
    return 'Right.';
  });
  return { agent, open: gate.resolve };
}

/** Makes conversations, and counts the subscriptions that have not ended. */
class Subscriptions {
  readonly #signals: (AbortSignal | undefined)[] = [];

  get live(): number {
    return this.#signals.filter((signal) => signal?.aborted !== true).length;
  }

  over<Wanted>(make: (wanted: Wanted) => Promise<Conversation>): (wanted: Wanted) => Promise<Conversation> {
    return async (wanted) => {
      const conversation = await make(wanted);
      const subscribe = conversation.subscribe.bind(conversation);
      const value: Conversation['subscribe'] = (subscriber, options) => {
        this.#signals.push(options?.signal);
        return subscribe(subscriber, options);
      };
      return Object.defineProperty(conversation, 'subscribe', { value });
    };
  }
}

const times = <T>(make: (at: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: FOLLOWERS }, (_, at) => make(at)));

test('P11: clients that follow the same response are told it once, and get all of it', async () => {
  const { agent, open } = gated();
  const subscriptions = new Subscriptions();
  const { client } = openaiOver(subscriptions.over(localWith(agent)));
  const { id } = await client.responses.create({ model: 'm', input: 'Go', background: true });
  const before = subscriptions.live;
  const follow = (): Promise<Response> => client.responses.retrieve(id, { stream: true }).asResponse();
  const [left, ...responses] = await times(follow);
  await expect.poll(() => subscriptions.live - before).toBe(1);
  await left?.body?.cancel();
  open();
  const [told, ...others] = await Promise.all(responses.map((response) => response.text()));
  expect(told).toContain('"delta":"Ri');
  expect(told).toContain('response.completed');
  expect(others).toEqual(others.map(() => told));
  expect(subscriptions.live - before).toBe(0);
});

/** Resolves with the answers of JSON-RPC in a stream. */
async function answersIn(response: Response): Promise<readonly { readonly id: unknown; readonly result: unknown }[]> {
  const frames = (await response.text()).split('\n\n').filter(Boolean);
  return frames.map((frame) => JSON.parse(frame.replace(/^data: /, '')) as { id: unknown; result: unknown });
}

test('P11: clients that follow one task by requests with other ids are told it once, each under its id', async () => {
  const { agent, open } = gated();
  const subscriptions = new Subscriptions();
  const { client, url } = await a2aOver(subscriptions.over(contextsWith(agent)));
  const { id } = await taskFor(client, 'Go', {}, { returnImmediately: true });
  const before = subscriptions.live;
  const ids = [1, 2, 'three', 'äöü €', null];
  const follow = (at: number): Promise<Response> =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'a2a-version': '1.0' },
      body: JSON.stringify({ jsonrpc: '2.0', id: ids[at], method: 'SubscribeToTask', params: { id } }),
    });
  const [left, ...responses] = await times(follow);
  await expect.poll(() => subscriptions.live - before).toBe(1);
  await left?.body?.cancel();
  open();
  const all = await Promise.all(responses.map(answersIn));
  expect(all.map((answers) => [...new Set(answers.map((answer) => answer.id))])).toEqual(
    ids.slice(1).map((own) => [own]),
  );
  const [told, ...others] = all.map((answers) => answers.map(({ result }) => result));
  expect(JSON.stringify(told)).toContain('TASK_STATE_COMPLETED');
  expect(JSON.stringify(told)).toContain('Ri');
  expect(others).toEqual(others.map(() => told));
  await expect.poll(() => subscriptions.live - before).toBe(0);
});
