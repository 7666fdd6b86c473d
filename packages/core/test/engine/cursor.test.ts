import fc from 'fast-check';
import { expect, test } from 'vitest';

import { userMessage, type Event } from '../../src/events/index.ts';
import { ConversationState } from '../../src/engine/conversation-state.ts';
import { toEventIndex } from '../../src/store/index.ts';

const say = (state: ConversationState, text: string): Promise<readonly Event[]> => state.append([userMessage(text)]);

test(
  'P1: every subscriber is given each event once, in order, whatever the others do',
  { timeout: 120_000 },
  async () => {
    const kinds = fc.constantFrom('quick' as const, 'slow' as const, 'throwing' as const, 'rejecting' as const);
    const subscribers = fc.array(fc.record({ kind: kinds, from: fc.nat(10), joins: fc.nat(20) }), {
      minLength: 1,
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(subscribers, fc.array(fc.nat(3), { minLength: 5, maxLength: 25 }), async (plans, batches) => {
        const state = new ConversationState();
        const seen = plans.map((): number[] => []);
        const subscriptions = plans.map(() => undefined as ReturnType<ConversationState['subscribe']> | undefined);
        const join = (at: number): void => {
          plans.forEach(({ kind, from, joins }, index) => {
            if (joins % batches.length !== at) return;
            const onEvent = async (_: Event, position: number): Promise<void> => {
              if (kind === 'slow') await new Promise((resolve) => setImmediate(resolve));
              seen[index]?.push(position);
              if (kind === 'rejecting') throw new Error('rejected');
            };
            const throwing = (_: Event, position: number): void => {
              seen[index]?.push(position);
              throw new Error('thrown');
            };
            const subscriber = { onEvent: kind === 'throwing' ? throwing : onEvent, onError: () => {} };
            subscriptions[index] = state.subscribe(subscriber, { from: toEventIndex(from) });
          });
        };
        const appends: Promise<unknown>[] = [];
        for (const [at, size] of batches.entries()) {
          join(at);
          const appending = state.append(Array.from({ length: size }, () => userMessage('x')));
          appends.push(appending);
          if (at % 2 === 0) await appending;
        }
        await Promise.all(appends);
        const end = state.events.length;
        for (const subscription of subscriptions) await subscription?.caughtUp(toEventIndex(end));
        plans.forEach(({ from }, index) => {
          expect(seen[index]).toEqual(Array.from({ length: Math.max(0, end - from) }, (_, at) => from + at));
        });
      }),
      { numRuns: 60 },
    );
  },
);

test('an event that becomes durable while a cursor looks for the last time is given at once', async () => {
  const state = new ConversationState();
  const seen: number[] = [];
  // each delivery wakes the writer one microtask later than the one before, so that every gap of the loop is hit
  for (let delay = 0; delay < 12; delay++) {
    const subscription = state.subscribe({ onEvent: (_, index) => void seen.push(index) });
    await say(state, 'a');
    const target = toEventIndex(state.events.length + 1);
    for (let turn = 0; turn < delay; turn++) await Promise.resolve();
    await say(state, 'b');
    await subscription.caughtUp(target);
    subscription.unsubscribe();
  }
  expect(seen).toEqual(Array.from({ length: 24 }, (_, at) => at));
});

test('P1: a subscriber is called after the commit is durable, outside of the lock', async () => {
  const state = new ConversationState();
  const lengths: number[] = [];
  const answered = Promise.withResolvers<void>();
  state.subscribe({
    onEvent: async (_, index) => {
      lengths.push(state.events.length);
      if (index === 0) {
        await say(state, 'from inside');
        answered.resolve();
      }
    },
  });
  await say(state, 'a');
  await answered.promise;
  expect(lengths[0]).toBeGreaterThanOrEqual(1);
  expect(state.events.length).toBe(2);
});

test('changes of state that come faster than they are taken are folded into one, and the last one is given', async () => {
  const state = new ConversationState();
  const titles: (string | null)[] = [];
  const last = Promise.withResolvers<void>();
  state.subscribe({
    onStateChange: async ({ title }, before) => {
      titles.push(title);
      expect(before.title).toBe(titles.at(-2) ?? null);
      await new Promise((resolve) => setImmediate(resolve));
      if (title === '19') last.resolve();
    },
  });
  await Promise.all(Array.from({ length: 20 }, (_, at) => state.update({ set: { title: String(at) } })));
  await last.promise;
  expect(titles.length).toBeLessThan(20);
});

test('a subscription that has ended is given nothing, and waiting for it resolves', async () => {
  const state = new ConversationState();
  const seen: number[] = [];
  const controller = new AbortController();
  const subscription = state.subscribe({ onEvent: (_, index) => void seen.push(index) }, { signal: controller.signal });
  const waiting = subscription.caughtUp(toEventIndex(5));
  controller.abort();
  await waiting;
  await say(state, 'a');
  await subscription.caughtUp(toEventIndex(1));
  expect(seen).toEqual([]);
});

test('delivered waits for subscribers, but no longer than its grace time', async () => {
  const state = new ConversationState();
  const never = Promise.withResolvers<void>();
  state.subscribe({ onEvent: () => never.promise });
  await say(state, 'a');
  await state.delivered(1);
  never.resolve();
});

test('an error of a subscriber is reported to it, or as a warning, even when reporting throws', async () => {
  const state = new ConversationState();
  const reported: unknown[] = [];
  const warned = Promise.withResolvers<Error>();
  process.once('warning', warned.resolve);
  state.subscribe({
    onEvent: () => {
      throw new Error('thrown');
    },
    onError: (error) => {
      reported.push(error);
      throw new Error('reporting failed');
    },
  });
  await say(state, 'a');
  expect((await warned.promise).message).toBe('reporting failed');
  expect(reported).toMatchObject([{ message: 'thrown' }]);
});

test('pieces, ends and outputs reach every subscriber whatever one throws, and none that has left', () => {
  const state = new ConversationState();
  const [seen, errors]: [string[], unknown[]] = [[], []];
  const fails = (): never => {
    throw new Error('thrown');
  };
  state.subscribe({
    onToken: fails,
    onAnswerAborted: fails,
    onOutput: fails,
    onError: (error) => void errors.push(error),
  });
  const left = state.subscribe({
    onToken: () => void seen.push('left'),
    onAnswerAborted: () => void seen.push('left'),
    onOutput: () => void seen.push('left'),
  });
  state.subscribe({
    onToken: ({ eventId, text }) => void seen.push(`${eventId} ${text}`),
    onAnswerAborted: (eventId, reason) => void seen.push(`${eventId} ${reason}`),
    onOutput: ({ toolCallId, text }) => void seen.push(`${toolCallId} ${text}`),
  });
  state.subscribe({ onEvent: () => {} });
  left.unsubscribe();
  state.subscriptions.tell((cursor) =>
    cursor.give((subscriber) => subscriber.onToken?.({ kind: 'text', text: 'do', attempt: 1, eventId: 'a', order: 0 })),
  );
  state.subscriptions.tell((cursor) => cursor.give((subscriber) => subscriber.onAnswerAborted?.('a', 'cancelled')));
  state.subscriptions.tell((cursor) =>
    cursor.give((subscriber) => subscriber.onOutput?.({ toolCallId: 'c', text: 'begun' })),
  );
  expect(seen).toEqual(['a do', 'a cancelled', 'c begun']);
  expect(errors).toEqual([new Error('thrown'), new Error('thrown'), new Error('thrown')]);
});
