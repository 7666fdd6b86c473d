import { setImmediate as turn } from 'node:timers/promises';

import type { Subscriber, SubscribeOptions, Subscription } from '@conv/core';
import { drafts, type Event } from '@conv/core/events';
import { systemPlatform } from '@conv/core/platform';
import { toEventIndex } from '@conv/core/store';
import { ManualPlatform } from '@conv/testing-harness';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';

import type { LiveSubscriber } from '../../src/hosting/live-conversation.ts';
import { ConversationFeed } from '../../src/sockets/conversation-feed.ts';
import { EventStream } from '../../src/sockets/event-stream.ts';
import { FeedRegistry } from '../../src/sockets/feed-registry.ts';
import { FrameReader } from '../support/frame-reader.ts';
import { startBench } from '../support/socket-bench.ts';

const LARGE = 'x'.repeat(400_000);

test('P11: a stream holds a megabyte and brings each event once and in order, however slowly it is read', async () => {
  const bench = await startBench();
  const feeds = new FeedRegistry(bench.host, systemPlatform);
  using lease = await feeds.open(bench.id);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ large: fc.boolean(), read: fc.constantFrom(0, 0, 0, 1, 4) }), { maxLength: 20 }),
      async (plan) => {
        const { events } = bench.state();
        const from = events.length;
        const ended = new AbortController();
        const frames = new FrameReader(new EventStream(lease.feed, { from, ended: ended.signal }));
        const seen: string[] = [];
        let next: Promise<void> | undefined;
        const take = async (): Promise<void> => {
          seen.push(...(/^id: .*\ndata: (.*)$/m.exec(await frames.next())?.slice(1) ?? []));
          next = undefined;
        };
        /** Reads a number of frames, or all that there are. */
        const read = async (count: number): Promise<void> => {
          for (let taken = 0; taken < count; taken++) await Promise.race([(next ??= take()), turn()]);
        };
        for (const { large, read: count } of plan) {
          await bench.state().append([drafts.environmentMessage(large ? LARGE : 'small')]);
          await read(count);
        }
        const expected = (await events.slice(from)).map(({ id }) => id);
        while (seen.length < expected.length) await read(1);
        ended.abort();
        expect(seen.map((json) => (JSON.parse(json) as Event).id)).toEqual(expected);
      },
    ),
    { numRuns: 40 },
  );
  expect(lease.feed.size).toBe(0);
});

test('P11: the state comes after the log and no event comes twice where the feed is behind the log', async () => {
  const bench = await startBench();
  await bench.append('one');
  const { conversation } = await bench.host.follow(bench.id);
  let hear: NonNullable<Subscriber['onEvent']> = () => undefined;
  const late = new Proxy(conversation, {
    get: (target, key) => {
      if (key !== 'subscribe') return Reflect.get(target, key, target) as unknown;
      return (given: LiveSubscriber, options?: SubscribeOptions): Subscription => {
        if ('onEvent' in given) hear = (event, index) => given.onEvent?.(event, index);
        return target.subscribe({ ...given, onEvent: () => undefined }, options);
      };
    },
  });
  const feed = new ConversationFeed(late, systemPlatform, () => undefined);
  onTestFinished(() => feed.close());
  await bench.append('two', 'three');
  expect([feed.position, bench.state().events.length]).toEqual([1, 3]);
  const ended = new AbortController();
  const frames = new FrameReader(new EventStream(feed, { from: 0, ended: ended.signal }));
  const next = async (): Promise<string> => (await frames.next()).split('\n')[0] as string;
  const first = [await next(), await next(), await next(), await next(), await next()];
  expect(first).toEqual(['retry: 1000', 'id: 0', 'id: 1', 'id: 2', 'event: state']);
  await bench.append('four');
  for (const [index, event] of (await bench.state().events.slice()).entries())
    if (index > 0) await hear(event, toEventIndex(index));
  expect(await next()).toBe('id: 3');
  ended.abort();
});

test('a stream that falls behind withdraws the answer in progress', async () => {
  const bench = await startBench();
  const feeds = new FeedRegistry(bench.host, systemPlatform);
  using lease = await feeds.open(bench.id);
  const ended = new AbortController();
  const from = bench.state().events.length;
  const frames = new FrameReader(new EventStream(lease.feed, { from, ended: ended.signal }));
  const next = async (): Promise<string> => (await frames.next()).split('\n')[0] as string;
  expect([await next(), await next()]).toEqual(['retry: 1000', 'event: state']);
  const say = (order: number, text: string): void => {
    const piece = { kind: 'text', attempt: 1, eventId: 'answer', order, text } as const;
    bench.state().subscriptions.tell((cursor) => cursor.give((subscriber) => subscriber.onToken?.(piece)));
  };
  say(0, 'short');
  expect([await next(), await next()]).toEqual(['event: item_started', 'event: delta']);
  say(1, LARGE);
  say(2, LARGE);
  say(3, LARGE);
  expect([await next(), await next()]).toEqual(['event: item_aborted', 'event: state']);
  ended.abort();
});

test('followers that take what comes get each frame as the same bytes, and a heartbeat after 15 seconds', async () => {
  const platform = new ManualPlatform();
  const bench = await startBench();
  const { conversation } = await bench.host.follow(bench.id);
  const feed = new ConversationFeed(conversation, platform, () => undefined);
  onTestFinished(() => feed.close());
  const ended = new AbortController();
  const followers = [1, 2].map(() => {
    const taken: Uint8Array[] = [];
    const stream = new EventStream(feed, { from: 0, ended: ended.signal });
    stream.begin({ take: (bytes) => taken.push(bytes) > 0, end: () => void taken.push(Buffer.from('end')) });
    stream.more();
    return taken;
  });
  await expect.poll(() => followers.every((taken) => String(taken.at(-1)).startsWith('event: state'))).toBe(true);
  await bench.append('one');
  await expect.poll(() => followers.every((taken) => String(taken.at(-1)).startsWith('id: 0'))).toBe(true);
  const [one, other] = followers;
  expect(one?.at(-1)).toBe(other?.at(-1));
  platform.pass(14_999);
  expect(String(one?.at(-1))).toMatch(/^id: 0/);
  platform.pass(1);
  expect(String(one?.at(-1))).toBe(':\n\n');
  ended.abort();
  expect(String(one?.at(-1))).toBe('end');
  expect([feed.size, platform.waits]).toEqual([0, []]);
});
