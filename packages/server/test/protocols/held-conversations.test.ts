import type { Conversation, ExecutionStatus } from '@conv/core';
import { ManualPlatform } from '@conv/testing-harness';
import type { FastifyRequest } from 'fastify';
import { expect, test } from 'vitest';

import { HeldConversations, type Opened } from '../../src/protocols/held-conversations.ts';
import { Sender } from '../../src/protocols/senders.ts';

const MINUTE = 60_000;

/** A conversation that says how often it was opened and closed. */
class Place {
  readonly state: { executionStatus: ExecutionStatus } = { executionStatus: 'idle' };
  isThere = true;
  isOutdated = false;
  opened = 0;
  closed = 0;

  readonly open = async (): Promise<Opened> => {
    this.opened++;
    return {
      conversation: { state: this.state } as Conversation,
      isThere: async () => this.isThere,
      isOutdated: () => this.isOutdated,
      close: async () => void this.closed++,
    };
  };
}

/** A sender that waits for its answer until `answer` is called. */
function waiting(key = 'ann'): { readonly sender: Sender; readonly answer: () => void } {
  const answered = new AbortController();
  const request = { headers: { 'x-session-api-key': key } } as unknown as FastifyRequest;
  return { sender: new Sender(request, answered.signal), answer: () => answered.abort() };
}

function held(): { readonly platform: ManualPlatform; readonly conversations: HeldConversations } {
  const platform = new ManualPlatform();
  const conversations = new HeldConversations(platform, (error) => {
    throw error;
  });
  return { platform, conversations };
}

test('requests with one key share a conversation, which is closed a minute after the last answer', async () => {
  const { platform, conversations } = held();
  const place = new Place();
  const [first, second, other] = [waiting(), waiting(), waiting('bob')];
  for (const { sender } of [first, second, other]) await conversations.get('ID', sender, place.open);
  expect(place.opened).toBe(2);
  for (const { answer } of [first, other]) answer();
  platform.pass(MINUTE);
  await expect.poll(() => place.closed).toBe(1);
  second.answer();
  platform.pass(MINUTE - 1);
  const third = waiting();
  await conversations.get('id', third.sender, place.open);
  platform.pass(MINUTE);
  expect(place.opened).toBe(2);
  third.answer();
  platform.pass(MINUTE);
  await expect.poll(() => place.closed).toBe(2);
});

test('a run at work keeps a conversation open, until the conversation is gone', async () => {
  const { platform, conversations } = held();
  const place = new Place();
  const { sender, answer } = waiting();
  await conversations.get('id', sender, place.open);
  place.state.executionStatus = 'running';
  answer();
  platform.pass(MINUTE);
  await platform.untilWaiting(MINUTE);
  expect(place.closed).toBe(0);
  // its state stays as it was, because the server does not tell the client any more
  place.isThere = false;
  platform.pass(MINUTE);
  await expect.poll(() => place.closed).toBe(1);
});

test('a server with too many idle conversations closes the longest kept, but none with a run at work', async () => {
  const { conversations } = held();
  const places = Array.from({ length: 300 }, () => new Place());
  places[1]!.state.executionStatus = 'running';
  const { sender, answer } = waiting();
  for (const [at, { open }] of places.entries()) await conversations.get(`${at}`, sender, open);
  expect(places.every(({ closed }) => closed === 0)).toBe(true);
  answer();
  await expect.poll(() => places.filter(({ closed }) => closed === 1).length).toBe(43);
  expect(places.slice(0, 45).map(({ closed }) => closed)).toEqual([1, 0, ...Array.from({ length: 42 }, () => 1), 0]);
});

test('a conversation that is not found any more is closed, but not if it is made during the look', async () => {
  const { conversations } = held();
  const place = new Place();
  const { sender } = waiting();
  const made = conversations.missing('id', sender);
  await conversations.get('id', sender, place.open);
  made();
  const gone = conversations.missing('ID', sender);
  await conversations.get('id', sender, place.open);
  expect([place.opened, place.closed]).toEqual([1, 0]);
  gone();
  await expect.poll(() => place.closed).toBe(1);
  await conversations.get('id', sender, place.open);
  expect(place.opened).toBe(2);
  await conversations.close();
  expect(place.closed).toBe(2);
});

test('answers to other requests are cut off before their conversation is closed under them', async () => {
  const { conversations } = held();
  const place = new Place();
  const [first, second, other] = [waiting(), waiting(), waiting('bob')];
  for (const { sender } of [first, second, other]) await conversations.get('id', sender, place.open);
  let closed = -1;
  first.sender.cut.addEventListener('abort', () => (closed = place.closed));
  conversations.missing('id', second.sender)(new Error('it is gone'));
  await expect.poll(() => place.closed).toBe(1);
  expect(closed).toBe(0);
  expect([first, second, other].map(({ sender }) => sender.cut.aborted)).toEqual([true, false, false]);
});

test('a conversation that has ended, or would be opened in another way, is opened anew and then closed', async () => {
  const { conversations } = held();
  const place = new Place();
  const [first, second, third] = [waiting(), waiting(), waiting()];
  await conversations.get('id', first.sender, place.open);
  conversations.ended('ID', first.sender);
  await conversations.get('id', second.sender, place.open);
  expect([place.opened, place.closed]).toEqual([2, 0]);
  first.answer();
  await expect.poll(() => place.closed).toBe(1);
  place.isOutdated = true;
  second.answer();
  await conversations.get('id', third.sender, place.open);
  await expect.poll(() => [place.opened, place.closed]).toEqual([3, 2]);
});

test('a close waits for conversations that were let go before, with and without a request', async () => {
  const { conversations } = held();
  const place = new Place();
  const slow = Promise.withResolvers<void>();
  const closing: string[] = [];
  const open = (name: string, until: Promise<void>) => async (): Promise<Opened> => ({
    ...(await place.open()),
    close: async () => {
      closing.push(name);
      await until;
      closing.push(`${name} is closed`);
    },
  });
  const [first, second] = [waiting(), waiting()];
  await conversations.get('one', first.sender, open('one', slow.promise));
  conversations.ended('one', first.sender);
  first.answer();
  await conversations.get('two', second.sender, open('two', Promise.resolve()));
  conversations.ended('two', second.sender);
  await expect.poll(() => closing).toEqual(['one']);
  const closed = conversations.close().then(() => closing.push('all are closed'));
  await expect.poll(() => closing).toEqual(['one', 'two', 'two is closed']);
  slow.resolve();
  await closed;
  expect(closing).toEqual(['one', 'two', 'two is closed', 'one is closed', 'all are closed']);
});
