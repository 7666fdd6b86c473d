import { expect, test } from 'vitest';

import { gate, open, play, story } from '../support/bench.ts';

test('a pause before the first message takes nothing from it: the system prompt comes, then the message', async () => {
  const { conversation, agent } = await play();
  await conversation.pause();
  expect(await conversation.run()).toEqual({ status: 'paused', iterations: 0 });
  expect(agent.requests).toBe(0);
  await conversation.sendMessage('go');
  expect(await story(conversation)).toBe('pause system user');
  expect((await conversation.run()).status).toBe('finished');
});

test('an interrupt while the tools are listed for the first message takes nothing from it either', async () => {
  const listing = gate();
  const { conversation } = await play({ start: () => listing.pass() });
  const sending = conversation.sendMessage('go');
  await listing.reached;
  const running = conversation.run();
  await conversation.interrupt();
  await running;
  listing.open();
  await sending;
  expect(await story(conversation)).toBe('interrupt system user');
});

test('nothing runs before the first message of a branch, and a message there needs no second prompt', async () => {
  const { conversation, agent } = await play();
  await conversation.sendMessage('go');
  await conversation.run();
  const requests = agent.requests;
  await conversation.history.navigateTo((await conversation.events.idAt(0)) ?? null);
  expect(await conversation.run()).toEqual({ status: 'idle', iterations: 0 });
  expect(agent.requests).toBe(requests);
  await conversation.sendMessage('again');
  expect(await story(conversation, 3)).toBe('user');
});

test('a conversation opened from a snapshot knows its first message from a later one', async () => {
  const { conversation, store, agent } = await play();
  await conversation.sendMessage('go');
  await conversation.close();
  const again = await open(store, { agent, id: conversation.id });
  await again.sendMessage('more');
  expect(await story(again)).toBe('system user user');
});
