import type { AnswerDelta, Subscriber, TokenDelta } from '@conv/core';
import { expect, test } from 'vitest';

import { play } from '../support/bench.ts';
import type { Script } from '../support/scripted-agent.ts';

const PIECE: TokenDelta = { kind: 'text', text: 'one moment', attempt: 1 };

/** Follows a conversation: pieces, ends and events in the order in which they came. */
function follower(): { readonly subscriber: Subscriber; readonly seen: [string, string][] } {
  const seen: [string, string][] = [];
  const subscriber: Subscriber = {
    onToken: ({ eventId }: AnswerDelta) => void seen.push(['piece', eventId]),
    onAnswerAborted: (eventId: string, reason: 'cancelled' | 'failed') => void seen.push([reason, eventId]),
    onEvent: ({ id, kind, source }) => void (source === 'agent' && seen.push([kind, id])),
  };
  return { subscriber, seen };
}

async function watched(script: Script): Promise<ReturnType<typeof follower> & Awaited<ReturnType<typeof play>>> {
  const played = await play(script);
  const following = follower();
  played.conversation.subscribe(following.subscriber);
  await played.conversation.sendMessage('go');
  return { ...played, ...following };
}

test('pieces of an answer carry the id that its message has later', async () => {
  const { conversation, seen } = await watched({
    think: ({ context }) => {
      context.onToken?.(PIECE);
      context.onToken?.({ ...PIECE, attempt: 2 });
      return 'done';
    },
  });
  await conversation.run();
  const id = seen.at(-1)?.[1];
  expect(seen.slice(1)).toEqual([
    ['piece', id],
    ['piece', id],
    ['MessageEvent', id],
  ]);
});

test('the first action of an answer has the id of its pieces, and the next answer another', async () => {
  const { conversation, seen } = await watched({
    think: ({ number, context }) => {
      context.onToken?.(PIECE);
      return number === 1 ? ['work', 'work'] : 'done';
    },
  });
  await conversation.run();
  const told = seen.filter(([what]) => what !== 'SystemPromptEvent');
  const kinds = told.map(([what]) => what);
  expect(kinds.filter((kind) => kind !== 'ObservationEvent')).toEqual([
    'piece',
    'ActionEvent',
    'ActionEvent',
    'piece',
    'MessageEvent',
  ]);
  const ids = told.filter(([what]) => what !== 'ObservationEvent').map(([, id]) => id);
  expect(ids[1]).toBe(ids[0]);
  expect(ids[2]).not.toBe(ids[0]);
  expect(ids[4]).toBe(ids[3]);
  expect(ids[3]).not.toBe(ids[0]);
});

test('a report says that an answer came to nothing if it fails after pieces of it were shown', async () => {
  const { conversation, seen } = await watched({
    think: ({ context }) => {
      context.onToken?.(PIECE);
      throw new Error('the provider hung up');
    },
  });
  await expect(conversation.run()).rejects.toThrow('hung up');
  await expect.poll(() => seen.slice(1).map(([what]) => what)).toEqual(['piece', 'failed']);
  expect(seen[2]?.[1]).toBe(seen[1]?.[1]);
});

test('a report says once that an answer was interrupted, and no event has its id', async () => {
  const { conversation, seen } = await watched({
    think: ({ context }) => {
      context.onToken?.(PIECE);
      return new Promise((_, reject) => {
        context.signal.addEventListener('abort', () => reject(context.signal.reason));
      });
    },
  });
  const run = conversation.run();
  await expect.poll(() => seen.some(([what]) => what === 'piece')).toBe(true);
  await conversation.interrupt();
  await run;
  await expect.poll(() => seen.slice(1).map(([what]) => what)).toEqual(['piece', 'cancelled']);
  expect(await conversation.events.get(seen[1]?.[1] ?? '')).toBeUndefined();
});

test('pieces are counted anew in each attempt and in each answer', async () => {
  const { conversation } = await play({
    think: ({ number, context }) => {
      for (const attempt of [1, 1, 2, 2]) context.onToken?.({ ...PIECE, attempt });
      return number === 1 ? ['work'] : 'done';
    },
  });
  const counted: (readonly [number, number])[] = [];
  conversation.subscribe({ onToken: ({ attempt, order }) => void counted.push([attempt, order]) });
  await conversation.sendMessage('go');
  await conversation.run();
  const once = [
    [1, 0],
    [1, 1],
    [2, 0],
    [2, 1],
  ];
  expect(counted).toEqual([...once, ...once]);
});
