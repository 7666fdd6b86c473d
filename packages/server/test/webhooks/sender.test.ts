import { RegistryError } from '@conv/store-kit/registry';
import { ManualPlatform } from '@conv/testing-harness';
import { expect, test } from 'vitest';

import type { DeliveryResult } from '../../src/webhooks/conversation-delivery.ts';
import { DeliveryError } from '../../src/webhooks/post-message.ts';
import { WebhookSender } from '../../src/webhooks/webhook-sender.ts';

const AWAY = new DeliveryError('away', { isOfReceiver: true });
const REFUSED = new DeliveryError('refused', { isOfReceiver: false });

/** A sender whose deliveries end as a test says, and the conversations that it has tried. */
function senderWith(result: (id: string) => DeliveryResult | Error): {
  readonly sender: WebhookSender;
  readonly platform: ManualPlatform;
  readonly tried: string[];
  readonly since: (number | undefined)[];
} {
  const platform = new ManualPlatform(1000);
  const tried: string[] = [];
  const since: (number | undefined)[] = [];
  const sender: WebhookSender = new WebhookSender({
    platform,
    backoff: { first: 100, most: 1000 },
    flushDelay: 5000,
    heldFor: 7000,
    deliver: async (id, { flush }) => {
      tried.push(flush ? `${id} at once` : id);
      const ended = result(id);
      if (ended instanceof Error) throw ended;
      if (ended === 'settled') sender.took(id);
      return ended;
    },
    failed: (_error, _id, from) => void since.push(from),
  });
  return { sender, platform, tried, since };
}

test('a receiver that is away is tried with one conversation at a time, after longer and longer waits', async () => {
  let isAway = true;
  const { sender, platform, tried, since } = senderWith(() => (isAway ? AWAY : 'settled'));
  for (const id of ['a', 'b', 'c']) sender.add(id);
  // requests in flight fail with the first one, and begin no wait of their own
  await platform.untilWaiting(75);
  expect(platform.waits).toEqual([75]);
  const before = tried.length;
  platform.pass(75);
  await platform.untilWaiting(150);
  expect(tried.length).toBe(before + 1);
  isAway = false;
  platform.pass(150);
  while (sender.has('a') || sender.has('b') || sender.has('c')) await platform.nextTurn();
  expect(platform.waits).toEqual([]);
  expect(new Set(since)).toEqual(new Set([1000]));
});

test('a receiver that fails at one conversation is tried with another one first after the wait', async () => {
  const { sender, platform, tried } = senderWith((id) => (id === 'a' ? AWAY : 'settled'));
  sender.add('a');
  await platform.untilWaiting(75);
  platform.pass(75);
  await platform.untilWaiting(150);
  sender.add('b');
  platform.pass(150);
  expect(tried.slice(0, 3)).toEqual(['a', 'a at once', 'b']);
});

test('a registry that does not answer makes all conversations wait, and the receiver is not blamed', async () => {
  let isDown = true;
  const down = new RegistryError('UNAVAILABLE', 'the registry is down');
  const { sender, platform, tried, since } = senderWith(() => (isDown ? down : 'settled'));
  for (const id of ['a', 'b', 'c']) sender.add(id);
  while (platform.waits.length === 0) await platform.nextTurn();
  expect(tried).toEqual(['a', 'b', 'c']);
  expect(platform.waits).toEqual([2000]);
  expect(since).toEqual([undefined]);
  isDown = false;
  platform.pass(2000);
  while (sender.has('a') || sender.has('b') || sender.has('c')) await platform.nextTurn();
  expect(platform.waits).toEqual([]);
});

test('a conversation that cannot be read waits alone, and the receiver is not blamed', async () => {
  const { sender, platform, since } = senderWith(() => new Error('the log cannot be read'));
  sender.add('a');
  await platform.untilWaiting(75);
  expect(since).toEqual([undefined]);
});

test('a receiver that asks for a wait gets it', async () => {
  const { sender, platform } = senderWith(() => new DeliveryError('busy', { isOfReceiver: true, wait: 9000 }));
  sender.add('a');
  await platform.untilWaiting(9000);
});

test('a conversation that is refused waits alone, whatever happens in it', async () => {
  const { sender, platform, tried } = senderWith((id) => (id === 'a' ? REFUSED : 'settled'));
  sender.add('a');
  await platform.untilWaiting(75);
  sender.add('a');
  sender.add('b');
  while (sender.has('b')) await platform.nextTurn();
  expect(tried).toEqual(['a', 'b']);
  platform.pass(75);
  await platform.untilWaiting(150);
  expect(tried).toEqual(['a', 'b', 'a at once']);
});

test('few events wait for more, and each change starts the wait again', async () => {
  const { sender, platform, tried } = senderWith(() => 'buffered');
  sender.add('a');
  await platform.untilWaiting(5000);
  platform.pass(4000);
  sender.add('a');
  await platform.untilWaiting(5000);
  expect(platform.waits).toEqual([5000]);
  platform.pass(5000);
  await platform.untilWaiting(5000);
  expect(tried).toEqual(['a', 'a', 'a at once']);
});

test('a conversation that another server tells is tried again', async () => {
  const { sender, platform, tried } = senderWith(() => 'held');
  sender.add('a');
  await platform.untilWaiting(7000);
  platform.pass(7000);
  await platform.untilWaiting(7000);
  expect(tried).toEqual(['a', 'a at once']);
});

test('a closed sender begins nothing', async () => {
  const { sender, platform, tried } = senderWith(() => AWAY);
  sender.add('a');
  await platform.untilWaiting(75);
  await sender.close(0);
  sender.add('b');
  platform.pass(10_000);
  await platform.nextTurn();
  expect(tried).toEqual(['a']);
});
