import type { ModelTurn } from '@conv/conformance';
import type { Conversation } from '@conv/core';
import { takeRequest, turnBehind, type ClientRequest, type Decision, type TakenRequest } from '@conv/turns';
import { expect, onTestFinished, test } from 'vitest';

import { localWith } from './a2a-api.ts';
import { calls, scripted } from './openai-api.ts';

const content = [{ type: 'text', text: 'Go' }] as const;
const tooLong = [{ type: 'text', text: 'x'.repeat(1024 * 1024) }] as const;

/** Makes a conversation that asks about each call. */
async function asking(...script: readonly ModelTurn[]): Promise<Conversation> {
  const conversation = await localWith(scripted(...script), true)({ id: undefined });
  onTestFinished(() => conversation.close());
  return conversation;
}

/** Takes a request and resolves when its run has ended. */
async function answered(conversation: Conversation, news: ClientRequest): Promise<TakenRequest> {
  const taken = await takeRequest(conversation, news);
  await taken.run;
  return taken;
}

/** Resolves with the arguments and the outcome of each call of a turn. */
async function callsIn(conversation: Conversation, event: string): Promise<readonly unknown[]> {
  const { items } = await turnBehind(conversation, event);
  return items.flatMap((item) => (item.kind === 'call' ? [[JSON.parse(item.input), item.result?.outcome]] : []));
}

test('P4: an approval with other arguments that comes twice at once is taken once', async () => {
  const conversation = await asking(calls('echo', 'hi'), { text: 'Done.' });
  const { event } = await answered(conversation, { content });
  const decisions = conversation.state.pendingActions.map(({ id: actionId }): Decision => ({
    actionId,
    approved: true,
    edit: { words: 'bye' },
  }));
  await Promise.all([answered(conversation, { decisions }), answered(conversation, { decisions })]);
  expect(await callsIn(conversation, event)).toEqual([
    [{ words: 'hi' }, 'rejected'],
    [{ words: 'bye' }, 'output'],
  ]);
});

test('a call that was decided elsewhere meanwhile keeps no other call from its new arguments', async () => {
  const words = ['one', 'two'].map((each) => ({ name: 'echo', arguments: { words: each } }));
  const conversation = await asking({ calls: words }, { text: 'Done.' });
  const { event } = await answered(conversation, { content });
  const [first, second] = conversation.state.pendingActions.map(({ id: actionId }): Decision => ({
    actionId,
    approved: true,
    edit: { words: 'bye' },
  })) as [Decision, Decision];
  await Promise.all([
    answered(conversation, { decisions: [first] }),
    answered(conversation, { decisions: [first, second] }),
  ]);
  expect((await callsIn(conversation, event)).slice(0, 2)).toEqual([
    [{ words: 'one' }, 'rejected'],
    [{ words: 'two' }, 'rejected'],
  ]);
  expect(await callsIn(conversation, event)).toHaveLength(4);
});

test('an approval with the arguments that a call has approves the call as it is', async () => {
  const conversation = await asking(calls('echo', 'hi'), { text: 'Done.' });
  const { event } = await answered(conversation, { content });
  const actionId = conversation.state.pendingActions[0]?.id ?? '';
  await answered(conversation, { decisions: [{ actionId, approved: true, edit: { words: 'hi' } }] });
  expect(await callsIn(conversation, event)).toEqual([[{ words: 'hi' }, 'output']]);
});

test.each([
  ['an earlier message', [content, tooLong], content],
  ['its message', [content], tooLong],
])('a request that is refused for %s stores none of its earlier messages', async (_, messages, newest) => {
  const conversation = await asking({ text: 'Done.' });
  const { length } = conversation.events;
  const earlier = messages.map((each) => ({ id: crypto.randomUUID(), content: each }));
  const refused = takeRequest(conversation, { content: newest, earlier });
  await expect(refused).rejects.toMatchObject({ code: 'EVENT_TOO_LARGE' });
  expect([conversation.events.length, conversation.state.queue]).toEqual([length, []]);
});

test('a request with a message does not ask for the event before it', async () => {
  const conversation = await asking({ text: 'Done.' });
  const asked: PropertyKey[] = [];
  const bound = (target: object, key: PropertyKey): unknown => {
    const value: unknown = Reflect.get(target, key, target);
    return typeof value === 'function' ? (value.bind(target) as unknown) : value;
  };
  const events = new Proxy(conversation.events, { get: (target, key) => asked.push(key) && bound(target, key) });
  const watched = new Proxy(conversation, { get: (target, key) => (key === 'events' ? events : bound(target, key)) });
  await answered(watched, { content });
  expect(asked).toContain('indexOf');
  expect(asked).not.toContain('idAt');
});
