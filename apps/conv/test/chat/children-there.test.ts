import { type Conversation, ConversationError, type StateFields, type Subscriber } from '@conv/core';
import { expect, test } from 'vitest';

import { followChildrenThere } from '../../src/chat/home/children-there.ts';
import type { ChildNews } from '../../src/chat/session/child-news.ts';

const CHILD = 'a-sub-agent';

/** A conversation of which this is the state, with a way to change it. */
function conversationWith(first: object) {
  const subscribers = new Set<Subscriber>();
  let state = first as StateFields;
  const conversation = {
    get state() {
      return state;
    },
    events: [],
    subscribe: (subscriber: Subscriber) => {
      subscribers.add(subscriber);
      return { caughtUp: async () => {}, unsubscribe: () => subscribers.delete(subscriber) };
    },
    close: async () => {},
  } as unknown as Conversation;
  const become = (next: object): void => {
    state = next as StateFields;
    for (const subscriber of subscribers) void subscriber.onStateChange?.(state, state);
  };
  return { conversation, become };
}

const parentWith = (...ids: readonly string[]): object => ({
  id: 'parent',
  agentState: { children_at_work: { parent: 'parent', calls: Object.fromEntries(ids.map((id) => [id, 'call'])) } },
});

/** Follows the sub-agents of a parent whose child is found from the given attempt on. Resolves with what is told until its end. */
async function told(found: number, leaveAt: number): Promise<{ kinds: string[]; attempts: number }> {
  const parent = conversationWith(parentWith(CHILD));
  const child = conversationWith({ id: CHILD, title: 'a look', tags: {}, stats: {}, executionStatus: 'finished' });
  const kinds: string[] = [];
  let attempts = 0;
  const settled = Promise.withResolvers<void>();
  const open = async (): Promise<Conversation> => {
    attempts += 1;
    await Promise.resolve();
    if (attempts === leaveAt) parent.become(parentWith());
    if (attempts >= found) return child.conversation;
    if (attempts > leaveAt) settled.resolve();
    throw new ConversationError('NOT_FOUND', 'there is no such conversation', { conversationId: CHILD });
  };
  const listener = ({ kind }: ChildNews): void => {
    kinds.push(kind);
    if (kind === 'ended') settled.resolve();
  };
  const end = followChildrenThere(parent.conversation, open, listener);
  await settled.promise;
  end();
  return { kinds, attempts };
}

test('a sub-agent that is named before it is made is followed when it is there', async () => {
  expect(await told(3, 3)).toEqual({ kinds: ['began', 'ended'], attempts: 3 });
});

test('a sub-agent that ended before it was found is looked for once more', async () => {
  expect(await told(2, 1)).toEqual({ kinds: ['began', 'ended'], attempts: 2 });
  expect(await told(Infinity, 1)).toEqual({ kinds: [], attempts: 2 });
});
