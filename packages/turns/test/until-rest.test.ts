import { drafts, type ActionEvent } from '@conv/core/events';
import { expect, test } from 'vitest';

import { eventStreamResponse, untilRest, type RestOptions } from '../src/index.ts';
import { answer, ask, Followed, told, toolCall } from './support/followed.ts';

/** Follows to the rest, with a few words for each change. */
async function follow(followed: Followed, options?: RestOptions): Promise<readonly string[]> {
  return (await Array.fromAsync(untilRest(followed.conversation, options))).map(told);
}

const status = (executionStatus: 'running' | 'finished' | 'waiting_for_confirmation') => ({ set: { executionStatus } });

test('P11: changes end with the run, when everything was told that it wrote', async () => {
  const followed = new Followed();
  await followed.append(ask('Go'));
  const run = Promise.withResolvers<void>();
  const following = follow(followed, { after: 0, run: run.promise });
  await followed.state.update(status('running'));
  await followed.append(answer('One.', 'one'));
  await followed.append(answer('Two.', 'two'));
  await followed.state.update(status('finished'));
  run.resolve();
  const changes = await following;
  expect(changes.filter((change) => change.includes('answer'))).toEqual(['1: answer One.', '2: answer Two.']);
  expect(changes.at(-1)).toMatch(/answer Two|finished/);
});

test('P11: a reader that is told late of a rest goes on to the end of the run after it', async () => {
  const followed = new Followed();
  await followed.append(ask('Go'));
  await followed.state.update(status('running'));
  const changes = untilRest(followed.conversation, { after: -1 });
  expect(told((await changes.next()).value as never)).toBe('0: message');
  await followed.append(answer('One.', 'one'));
  await followed.state.update(status('waiting_for_confirmation'));
  await followed.state.update(status('running'));
  await followed.append(answer('Two.', 'two'));
  await followed.state.update(status('finished'));
  const rest = (await Array.fromAsync(changes)).map(told);
  expect(rest.filter((change) => change.includes('answer'))).toEqual(['1: answer One.', '2: answer Two.']);
  expect(rest.at(-1)).toBe('2: finished');
});

test('changes end while the run waits for the client to answer a call', async () => {
  const followed = new Followed();
  await followed.state.update(status('running'));
  const action = { kind: 'ClientAction_weather' };
  const [call] = (await followed.append({ ...toolCall('one'), action } as ReturnType<typeof toolCall>)) as [
    ActionEvent,
  ];
  const following = follow(followed, { after: -1 });
  await followed.state.update({ add: { calls: { [call.id]: 'started' } } });
  expect((await following).slice(-2)).toEqual(['0: call one started', '0: running']);
  await followed.append(drafts.agentError(call, 'no weather'));
  await followed.state.update(status('finished'));
  expect(await follow(followed, { after: 0 })).toEqual(['1: call one failed', '1: finished']);
});

test('P11: changes of a turn end before the next message of the user', async () => {
  const followed = new Followed();
  const [first] = await followed.append(ask('Go'));
  await followed.append(answer('One.', 'one'));
  const [second] = await followed.append(ask('On'));
  await followed.append(answer('Two.', 'two'));
  const tell = async (after: number, event: string | undefined): Promise<readonly string[]> =>
    (await follow(followed, { after, event })).filter((change) => change.includes('answer'));
  expect(await tell(0, first?.id)).toEqual(['1: answer One.']);
  expect(await tell(1, first?.id)).toEqual([]);
  expect(await tell(2, second?.id)).toEqual(['3: answer Two.']);
});

test('server-sent events have their name, number and data, and end with their client', async () => {
  const signals: AbortSignal[] = [];
  const response = eventStreamResponse(async function* (signal) {
    signals.push(signal);
    yield { event: 'one', id: 1, data: { text: 'a\nb' } };
    yield { data: '[DONE]' };
  });
  expect(await response.text()).toBe('event: one\nid: 1\ndata: {"text":"a\\nb"}\n\ndata: [DONE]\n\n');
  const left = eventStreamResponse(async function* (signal) {
    signals.push(signal);
    for (let id = 0; ; id++) yield { id, data: 'more' };
  });
  const reader = left.body?.getReader();
  await reader?.read();
  await reader?.cancel();
  expect(signals.map(({ aborted }) => aborted)).toEqual([false, true]);
});
