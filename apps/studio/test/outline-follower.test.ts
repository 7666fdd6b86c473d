import { ConversationError, type pastViews } from '@conv/core';
import { expect, test } from 'vitest';
import { type FollowedOutline, OutlineFollower } from '../src/page/time/outline-follower.ts';
import { readBefore } from '../src/page/time/use-outline.ts';

type Answer = (options?: pastViews.OutlineOptions) => Promise<pastViews.Outline> | pastViews.Outline;

const TIMES = { pause: 1, within: 5 };

/** Returns the outline of a log whose every event is a message. */
function messages(from: number, events: number): pastViews.Outline {
  const marks = Array.from({ length: events - from }, (_, offset): pastViews.OutlineMark => {
    const event = from + offset;
    return { kind: 'message', event, last: event, count: 1, label: `${event}`, timestamp: '' };
  });
  return { from, events, marks, cost: [] };
}

/** Follows the outline that `answer` gives. `until` resolves with the first of the shown outlines that is meant. */
function followed(answer: Answer): {
  readonly follower: OutlineFollower;
  readonly until: (isMeant: (shown: FollowedOutline) => boolean) => Promise<FollowedOutline>;
} {
  const outline = async (options?: pastViews.OutlineOptions): Promise<pastViews.Outline> => answer(options);
  const at = (): never => expect.fail('no state is asked for');
  const follower = new OutlineFollower({ history: { at, outline } }, TIMES);
  const until = (isMeant: (shown: FollowedOutline) => boolean): Promise<FollowedOutline> =>
    new Promise((resolve) => {
      const unsubscribe = follower.subscribe(() => {
        if (!isMeant(follower.snapshot())) return;
        unsubscribe();
        resolve(follower.snapshot());
      });
    });
  return { follower, until };
}

test('a log that the server reads in parts is shown part by part, and each part is asked for once', async () => {
  const asked: pastViews.OutlineOptions[] = [];
  const { follower, until } = followed((options = {}) => {
    asked.push(options);
    return messages(options.after ?? 0, (options.after ?? 0) + 4);
  });
  const shown: [string, number][] = [];
  follower.subscribe(() => shown.push([follower.snapshot().covers, follower.snapshot().outline.events]));
  const whole = until(({ covers }) => covers === 'whole');
  follower.follow(12);
  expect((await whole).outline).toEqual(messages(0, 12));
  expect(shown).toEqual([
    ['part', 4],
    ['part', 8],
    ['whole', 12],
  ]);
  expect(asked).toEqual([0, 4, 8].map((after) => ({ after, within: 5 })));
  follower.close();
});

test('P12: marks that come in many answers are asked for anew, joined, before there are too many', async () => {
  const asked: number[] = [];
  let held = 0;
  const { follower, until } = followed(({ after = 0 } = {}) => {
    asked.push(after);
    // a server joins the marks of an answer
    const { marks, ...rest } = messages(after, asked.length * 250);
    return { ...rest, marks: marks.slice(-250) };
  });
  follower.subscribe(() => {
    held = Math.max(held, follower.snapshot().outline.marks.length);
  });
  const whole = until(({ covers }) => covers === 'whole');
  follower.follow(2_000);
  expect((await whole).outline.events).toBe(2_000);
  expect(asked).toEqual([0, 250, 500, 0, 1_000, 1_250, 0, 1_750]);
  expect(held).toBe(750);
  follower.close();
});

test('an answer is shown that comes after the log has grown, and the growth is asked for', async () => {
  const answered = Promise.withResolvers<void>();
  let [running, most] = [0, 0];
  const { follower, until } = followed(async (options = {}) => {
    most = Math.max(most, ++running);
    await answered.promise;
    running--;
    return messages(options.after ?? 0, options.after === 0 ? 3 : 5);
  });
  const first = until(({ covers }) => covers === 'whole');
  const second = until(({ outline }) => outline.events === 5);
  follower.follow(3);
  follower.follow(4);
  follower.follow(5);
  answered.resolve();
  expect((await first).outline).toEqual(messages(0, 3));
  expect((await second).outline).toEqual(messages(0, 5));
  expect(most).toBe(1);
  follower.close();
});

test('an outline is asked for again after a failure', async () => {
  let asked = 0;
  const { follower, until } = followed(() => {
    if (++asked === 1) throw new Error('the server is away');
    return messages(0, 2);
  });
  const whole = until(({ covers }) => covers === 'whole');
  follower.follow(2);
  expect((await whole).outline.events).toBe(2);
  follower.close();
});

test('a server without outlines is asked once', async () => {
  let asked = 0;
  const { follower, until } = followed(() => {
    asked++;
    throw new ConversationError('UNSUPPORTED', 'no outlines here');
  });
  const missing = until(({ covers }) => covers === 'missing');
  follower.follow(2);
  expect((await missing).outline.events).toBe(0);
  follower.close();
  follower.follow(3);
  expect(asked).toBe(1);
  follower.close();
});

test('an answer to a follower that was closed is not shown', async () => {
  const answered = Promise.withResolvers<void>();
  const { follower } = followed(async () => {
    await answered.promise;
    return messages(0, 2);
  });
  follower.follow(2);
  follower.close();
  answered.resolve();
  await answered.promise;
  await new Promise((resolve) => setImmediate(resolve));
  expect(follower.snapshot().covers).toBe('nothing');
});

test('a look at a point waits until the server has passed it, and no longer than it answers', async () => {
  const waits = (covers: FollowedOutline['covers'], events: number): number | undefined =>
    readBefore({ covers, outline: messages(0, events) }, 7);
  expect([waits('nothing', 0), waits('part', 7), waits('part', 8)]).toEqual([0, 7, undefined]);
  // a server that fails or gives no outlines is asked at once
  expect([waits('whole', 7), waits('missing', 0), waits('failed', 0)]).toEqual([undefined, undefined, undefined]);
  const { follower, until } = followed(() => Promise.reject(new ConversationError('SERVER_FAILED', 'no')));
  const failed = until(({ covers }) => covers === 'failed');
  follower.follow(12);
  await failed;
  follower.close();
});
