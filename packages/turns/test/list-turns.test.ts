import { ConversationError, type Conversation } from '@conv/core';
import { expect, test } from 'vitest';

import { pageOfTurns, turnBehind, type TurnPageQuery } from '../src/index.ts';
import { answer, ask, Followed } from './support/followed.ts';

/** A conversation of turns with an answer each, and what is read of it. */
async function talked(id: string, ...texts: readonly string[]): Promise<{ conversation: Conversation; read: number }> {
  const followed = new Followed();
  for (const text of texts) await followed.append(ask(text), answer(`To ${text}`, `${id} ${text}`));
  const { conversation } = followed;
  const counted = {
    read: 0,
    conversation: {
      ...conversation,
      id,
      events: new Proxy(conversation.events, {
        get: (events, name) => {
          const member: unknown = Reflect.get(events, name, events);
          if (name !== 'slice') return typeof member === 'function' ? (member.bind(events) as unknown) : member;
          return (from: number, to: number) => {
            counted.read += to - from;
            return events.slice(from, to);
          };
        },
      }),
    } as unknown as Conversation,
  };
  return counted;
}

/** Lists the answers of conversations. */
function listOf(...conversations: readonly Conversation[]): Omit<TurnPageQuery<string>, 'size' | 'after'> {
  return {
    open: async (id) => {
      const found = conversations.find((each) => each.id === id);
      if (found) return found;
      throw new ConversationError('NOT_FOUND', `there is no ${id}`);
    },
    list: async () => ({ ids: ['deleted', ...conversations.map(({ id }) => id)] }),
    read: async ({ conversation, event }) => {
      const { items } = await turnBehind(conversation, event);
      return items.flatMap((item) => (item.kind === 'answer' ? [item.text] : [])).join();
    },
  };
}

test('P11: pages tell each turn once, the newest of a conversation first, and count what was told', async () => {
  const [one, two] = [await talked('one', 'a', 'b'), await talked('two', 'c')];
  const list = listOf(one.conversation, two.conversation);
  const first = await pageOfTurns({ ...list, size: 2 });
  expect(first).toMatchObject({ entries: ['To b', 'To a'], seen: 3 });
  expect(await pageOfTurns({ ...list, size: 2, after: first.next })).toEqual({ entries: ['To c'], seen: 3 });
});

test('P11: a list goes on where it was when the conversation of its token was deleted meanwhile', async () => {
  const [one, two, three] = [await talked('one', 'a'), await talked('two', 'b', 'c'), await talked('three', 'd')];
  const all = [one.conversation, two.conversation, three.conversation];
  const first = await pageOfTurns({ ...listOf(...all), size: 2 });
  expect(first.entries).toEqual(['To a', 'To c']);
  const left = listOf(one.conversation, three.conversation);
  expect((await pageOfTurns({ ...left, size: 2, after: first.next })).entries).toEqual(['To d']);
});

test('a page whose entries are rare looks at so many turns, and the next one goes on behind them', async () => {
  const texts = Array.from({ length: 201 }, (_, at) => `${at}`);
  const { conversation } = await talked('one', ...texts);
  const only: TurnPageQuery<string>['read'] = async ({ event }) =>
    (await conversation.events.indexOf(event)) === 0 ? 'the first' : undefined;
  const list = { ...listOf(conversation), read: only, size: 1 };
  const begun = await pageOfTurns(list);
  expect(begun).toMatchObject({ entries: [], next: expect.any(String), seen: 1 });
  expect(await pageOfTurns({ ...list, after: begun.next })).toEqual({ entries: ['the first'], seen: 1 });
});

test('a turn is read up to its end, however long the log behind it is', async () => {
  const talk = await talked('one', ...Array.from({ length: 2000 }, (_, at) => `${at}`));
  const [message] = await talk.conversation.events.slice(0, 1);
  talk.read = 0;
  expect((await turnBehind(talk.conversation, String(message?.id))).items).toHaveLength(1);
  expect(talk.read).toBeLessThan(200);
});
