import { agentMessage, drafts, textContent } from '@conv/core/events';
import { expect, test } from 'vitest';

import type { TurnChange } from '../src/index.ts';
import { answer, ask, Followed, isState, told, toolCall, until } from './support/followed.ts';

const isAnswer = (change: TurnChange): boolean => change.type === 'item' && change.item.kind === 'answer';

/** Takes changes until one is as wanted, by default an answer. Resolves with all but states, in words. */
async function passing(
  changes: AsyncIterableIterator<TurnChange>,
  wanted: (change: TurnChange) => boolean = isAnswer,
): Promise<readonly string[]> {
  return (await until(changes, wanted)).filter((change) => !isState(change)).map(told);
}

test('P11: a turn is told as items in the order of the log, and then the state', async () => {
  const followed = new Followed();
  await followed.append(drafts.systemPrompt('Help.', []), ask('Look it up'));
  const call = await followed.call('a', { thought: [textContent('I look.')], reasoning_content: 'hm' });
  await followed.append(drafts.observation(call, { kind: 'MCPToolObservation', tool_name: 'lookup' }));
  await followed.append(answer('Found.'));
  await followed.append(drafts.condensation({ forgotten_event_ids: ['x'], llm_response_id: 'c', summary: 'short' }));
  await followed.append(drafts.conversationError('Failed', 'why', { kind: 'transient', retryable: true }));
  const changes = await until(followed.follow({ after: -1 }), isState);
  expect(changes.map(told)).toEqual([
    '1: message',
    '1: answer I look.',
    '2: call a open',
    '3: call a output',
    '4: answer Found.',
    '5: condensation',
    '6: error',
    '6: error',
  ]);
});

test('a client without a cursor is told the newest turn, from the message of the user on', async () => {
  const followed = new Followed();
  await followed.append(ask('one'), answer('1', 'first'), ask('two'), answer('2', 'second'));
  const changes = await until(followed.follow(), isState);
  expect(changes.map(told)).toEqual(['2: message', '3: answer 2', '3: finished']);
});

test('a cursor that the log does not have is refused with the numbers that it has', async () => {
  const followed = new Followed();
  await followed.append(ask('one'));
  for (const after of [1, -2, 0.5, Number.NaN])
    expect(() => followed.follow({ after })).toThrow('expected the number of an event, from -1 to 0');
  expect(() => followed.follow({ afer: 0 } as never)).toThrow('did you mean after?');
});

test('P11: pieces come before their answer, which tells how much of it they were', async () => {
  const followed = new Followed();
  await followed.append(ask('one'));
  const changes = followed.follow({ after: 0 });
  followed.say('Hel');
  followed.say('lo', { order: 1 });
  await followed.append(answer('Hello.'));
  expect(await passing(changes)).toEqual(['0: piece Hello', '1: answer Hello., 5 told']);
});

test('the pieces of an attempt are withdrawn when another attempt begins', async () => {
  const followed = new Followed();
  const changes = followed.follow({ after: -1 });
  followed.say('wrong');
  followed.say('right', { attempt: 2 });
  await followed.append(answer('right'));
  expect(await passing(changes)).toEqual([
    '-1: piece wrong',
    '-1: withdrawn, retried',
    '-1: piece right',
    '0: answer right, 5 told',
  ]);
});

test('the pieces of an answer that is cancelled are withdrawn', async () => {
  const followed = new Followed();
  const changes = followed.follow({ after: -1 });
  followed.say('half');
  followed.abort('cancelled');
  expect(await passing(changes, ({ type }) => type === 'withdrawn')).toEqual([
    '-1: piece half',
    '-1: withdrawn, cancelled',
  ]);
});

test('pieces of an ended process are withdrawn when the next answer comes, and late ones are not told', async () => {
  const followed = new Followed();
  const changes = followed.follow({ after: -1 });
  followed.say('lost', { eventId: 'killed' });
  followed.say('new');
  await followed.append(answer('new one'));
  await until(changes, isAnswer);
  followed.say('late');
  followed.say('next', { eventId: 'another' });
  expect(await passing(changes, ({ type }) => type === 'piece')).toEqual(['0: piece next']);
});

test('pieces that were replaced by another text are withdrawn before the answer', async () => {
  const followed = new Followed();
  const changes = followed.follow({ after: -1 });
  followed.say('token-1234');
  await followed.append(answer('<secret-hidden>'));
  expect(await passing(changes)).toEqual([
    '-1: piece token-1234',
    '-1: withdrawn, replaced',
    '0: answer <secret-hidden>',
  ]);
});

test('an answer whose beginning was missed is told as an item alone, and a gap withdraws what came before', async () => {
  const followed = new Followed();
  const changes = followed.follow({ after: -1 });
  followed.say('middle', { order: 3 });
  followed.say('a', { attempt: 2 });
  followed.say('c', { attempt: 2, order: 2 });
  followed.say('d', { attempt: 2, order: 3 });
  await followed.append(answer('abcd'));
  expect(await passing(changes)).toEqual(['-1: piece a', '-1: withdrawn, missed', '0: answer abcd']);
});

test('servers that tell no ids of answers: pieces go when any answer comes', async () => {
  const followed = new Followed();
  const changes = followed.follow({ after: -1 });
  followed.say('Hel', { eventId: '' });
  followed.say('lo', { eventId: '' });
  await followed.append(answer('Hello'));
  expect(await passing(changes)).toEqual(['-1: piece Hello', '-1: withdrawn, replaced', '0: answer Hello']);
});

test('P11: pieces come after every event that existed when they came, however slow the reader is', async () => {
  const followed = new Followed();
  const changes = followed.follow({ after: -1 });
  for (let count = 0; count < 200; count++) await followed.append(ask(`${count}`));
  followed.say('answer');
  const taken = await until(changes, ({ type }) => type === 'piece');
  expect(taken.filter(({ type }) => type === 'item')).toHaveLength(200);
});

test('a reader that does not read holds back at most a megabyte of pieces, and is told the rest as an item', async () => {
  const followed = new Followed();
  const changes = followed.follow({ after: -1 });
  const long = 'x'.repeat(300_000);
  for (let order = 0; order < 5; order++) followed.say(long, { order });
  await followed.append(answer(long.repeat(2)));
  const [pieces, item] = (await until(changes, isAnswer)).filter((change) => !isState(change));
  expect(pieces?.type === 'piece' && pieces.text.length).toBe(900_000);
  expect(item?.type).toBe('withdrawn');
});

test('P10: a call tells its phases: it waits, is approved, runs and has its result', async () => {
  const followed = new Followed();
  const { state } = followed;
  const call = await followed.call('a');
  const changes = followed.follow({ after: -1 });
  const phase = async (): Promise<string> =>
    told((await until(changes, ({ type }) => type === 'item')).at(-1) as TurnChange);
  expect([await phase(), await phase()]).toEqual(['0: call a open', '0: call a waiting']);
  for (const recorded of ['approved', 'started'] as const) {
    await state.update({ set: { calls: { [call.id]: recorded } } });
    expect(await phase()).toBe(`0: call a ${recorded}`);
  }
  await followed.append(drafts.userReject(call, 'no', 'hook'));
  expect(await phase()).toBe('1: call a blocked');
});

test('a client that comes back is told the phase of calls that it knows, and their results', async () => {
  const followed = new Followed();
  await followed.append(ask('one'));
  const call = await followed.call('a');
  expect((await until(followed.follow({ after: 1 }), isState)).map(told)).toEqual([
    '1: call a waiting',
    '1: waiting_for_confirmation',
  ]);
  await followed.append(drafts.agentError(call, 'broken'));
  expect((await until(followed.follow({ after: 1 }), isState)).map(told)).toEqual(['2: call a failed', '2: idle']);
});

test('the message of a finish call that went through is an answer', async () => {
  const followed = new Followed();
  const tool_call = { id: 'f', name: 'finish', arguments: '{}', origin: 'completion' } as const;
  const call = await followed.call('f', {
    action: { kind: 'FinishAction', message: 'Done.' },
    tool_name: 'finish',
    tool_call,
  });
  await followed.append(drafts.observation(call, { kind: 'FinishObservation' }));
  const changes = await until(followed.follow({ after: -1 }), isState);
  expect(changes.map(told)).toEqual(['0: call f open', '0: call f output', '1: answer Done.', '1: finished']);
});

test('the iteration ends when the conversation closes, with everything that was there', async () => {
  const followed = new Followed();
  await followed.append(ask('one'));
  const changes = followed.follow({ after: -1 });
  await until(changes, isState);
  await followed.append(ask('two'));
  await followed.state.delivered(1000);
  await followed.state.close();
  expect((await Array.fromAsync(changes)).map(told)).toEqual(['1: message']);
});

test('an aborted iteration rejects with the reason, and an iteration that is left asks for no more pieces', async () => {
  const followed = new Followed();
  const stop = new AbortController();
  const changes = followed.follow({ after: -1, signal: stop.signal });
  await until(changes, isState);
  const next = changes.next();
  stop.abort(new Error('enough'));
  await expect(next).rejects.toThrow('enough');
  for await (const change of followed.follow({ after: -1 })) if (isState(change)) break;
  await followed.follow({ after: -1 }).return?.();
  expect(followed.state.subscriptions.wantsTokens).toBe(false);
});

test('reasoning that a model tells in blocks counts as told when it was streamed', async () => {
  const followed = new Followed();
  const changes = followed.follow({ after: -1 });
  followed.say('thinking', { kind: 'reasoning' });
  followed.say('Yes', { order: 1 });
  const thinking_blocks = [{ type: 'thinking', thinking: 'thinking' }] as const;
  await followed.append({ ...agentMessage({ content: 'Yes', llm_response_id: 'r', thinking_blocks }), id: 'answer' });
  const last = (await until(changes, isAnswer)).at(-1);
  expect(last?.type === 'item' && last.streamed).toEqual({ text: 3, reasoning: 8 });
});

test('a batch of calls: a client that stops between its items is told the whole event again', async () => {
  const followed = new Followed();
  await followed.append({ ...toolCall('a'), thought: [textContent('Both.')] }, toolCall('b'));
  const [first] = await until(followed.follow({ after: -1 }), isAnswer);
  expect(first?.cursor).toBe(-1);
  const again = await until(followed.follow({ after: first?.cursor ?? 0 }), isState);
  expect(again.map(told).slice(0, 3)).toEqual(['-1: answer Both.', '0: call a open', '1: call b open']);
});
