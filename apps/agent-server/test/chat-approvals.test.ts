import { StreamingAgent } from '@conv/testing-harness';
import { expect, test } from 'vitest';

import { calls, chatWith, EMPTY, USER } from './chat-api.ts';

test('P10: a message without decisions runs nothing that waits, also without the right to approve', async () => {
  const chat = await chatWith([calls('one'), { text: 'Done.' }], { mayApprove: () => false });
  await chat.post(USER);
  const [waiting] = chat.conversation.state.pendingActions;
  const [status, told] = await chat.post(EMPTY);
  expect([status, told]).toEqual([200, expect.stringContaining('"finishReason":"tool-calls"')]);
  expect((await chat.post(chat.decides([waiting?.id, true])))[0]).toBe(403);
  expect([chat.executed, chat.conversation.state.executionStatus]).toEqual([[], 'waiting_for_confirmation']);
});

test('P10: a repeated message runs nothing that waits', async () => {
  const chat = await chatWith([calls('one'), { text: 'Done.' }]);
  await chat.post(USER);
  expect((await chat.post(USER))[1]).toContain('tool-approval-request');
  expect([chat.executed, chat.conversation.state.executionStatus]).toEqual([[], 'waiting_for_confirmation']);
});

test('P10: rejecting one of two calls runs neither, and approving the other runs that', async () => {
  const chat = await chatWith([calls('one', 'two'), { text: 'Done.' }]);
  await chat.post(USER);
  const [one, two] = chat.conversation.state.pendingActions;
  await chat.post(chat.decides([one?.id, false]));
  expect(chat.conversation.state.pendingActions.map(({ id }) => id)).toEqual([two?.id]);
  expect([chat.executed, chat.conversation.state.executionStatus]).toEqual([[], 'waiting_for_confirmation']);
  expect((await chat.post(chat.decides([one?.id, false], [two?.id, true])))[1]).toContain('Done.');
  expect(chat.executed).toEqual(['two']);
});

test('rejecting every call lets the model answer', async () => {
  const chat = await chatWith([calls('one', 'two'), { text: 'Then not.' }]);
  await chat.post(USER);
  const [one, two] = chat.conversation.state.pendingActions;
  expect((await chat.post(chat.decides([one?.id, false], [two?.id, false])))[1]).toContain('Then not.');
  expect(chat.executed).toEqual([]);
});

test('approvals that were stored before their run began are executed when the request comes again', async () => {
  const chat = await chatWith([calls('one'), { text: 'Done.' }]);
  await chat.post(USER);
  const [one] = chat.conversation.state.pendingActions;
  await chat.conversation.approve([one?.id ?? '']);
  expect((await chat.post(chat.decides([one?.id, true])))[1]).toContain('Done.');
  expect(chat.executed).toEqual(['one']);
});

test.each([true, false])(
  'P11: a decision (approved: %s) that comes again is answered again, and runs nothing',
  async (approved) => {
    const chat = await chatWith([calls('one'), { text: 'Done.' }]);
    await chat.post(USER);
    const [one] = chat.conversation.state.pendingActions;
    const decision = chat.decides([one?.id, approved]);
    const [, first] = await chat.post(decision);
    const { length } = chat.conversation.events;
    const [status, again] = await chat.post(decision);
    for (const told of [first, again]) expect(told).toContain('Done.');
    expect([status, again]).toEqual([200, expect.stringContaining(one?.id ?? '')]);
    expect([chat.executed, chat.conversation.events.length]).toEqual([approved ? ['one'] : [], length]);
  },
);

test('a decision on a call that the log does not have is refused by name', async () => {
  const chat = await chatWith([calls('one')]);
  await chat.post(USER);
  expect(await chat.post(chat.decides(['nothing', true]))).toEqual([400, expect.stringContaining('"nothing"')]);
});

test('a stopped run stays stopped when its message or an empty one comes again', async () => {
  const begun = Promise.withResolvers<void>();
  let asked = 0;
  const chat = await chatWith(
    new StreamingAgent(async ({ context: { signal } }) => {
      if (++asked > 1) return 'Again.';
      begun.resolve();
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      return '';
    }),
  );
  const first = chat.post(USER);
  await begun.promise;
  expect((await chat.stop()).status).toBe(204);
  await first;
  for (const message of [USER, EMPTY]) expect((await chat.post(message))[1]).toContain('"finishReason":"interrupted"');
  expect([asked, chat.conversation.state.executionStatus]).toEqual([1, 'paused']);
});

test('P11: a message that was stored before its run began is answered when it comes again', async () => {
  const chat = await chatWith([{ text: 'Done.' }]);
  const id = '0c5c8f0e-53a2-4f0e-8a56-2c6f7cf0a003';
  await chat.conversation.sendMessage('Go', { id });
  expect((await chat.post({ ...USER, id }))[1]).toContain('Done.');
});

test('two pages that approve at the same moment both get the answer', async () => {
  const goOn = Promise.withResolvers<void>();
  const chat = await chatWith([calls('one', 'two'), { text: 'Done.' }], {}, goOn.promise);
  await chat.post(USER);
  const pending = chat.conversation.state.pendingActions;
  const pages = await Promise.all(pending.map(({ id }) => chat.open(chat.decides([id, true]))));
  const streams = pages.map(({ body }) => (body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()));
  const readers = streams.map((stream) => stream[Symbol.asyncIterator]());
  // a stream that mistakes the beginning for the end has told its last state then
  for (const reader of readers) while (!String((await reader.next()).value).includes('data-status'));
  goOn.resolve();
  for (const reader of readers) expect((await Array.fromAsync(reader)).join('')).toContain('Done.');
  expect([...chat.executed].sort()).toEqual(['one', 'two']);
});

test('regenerating an answer is refused by name', async () => {
  const chat = await chatWith([{ text: 'One.' }, { text: 'Two.' }]);
  await chat.post(USER);
  expect(await chat.post(USER, { trigger: 'regenerate-message' })).toEqual([
    400,
    expect.stringContaining('found regenerate-message'),
  ]);
});
