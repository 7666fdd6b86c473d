import { randomUUID } from 'node:crypto';

import { expect, test } from 'vitest';

import { Bench, KINDS } from '../support/bench.ts';

/** A clock that stands still, or was set back: nothing can be numbered by it. */
const CLOCKS: readonly (readonly [string, { readonly time?: string }])[] = [
  ['whose clock goes forward', {}],
  ['whose clock stands still', { time: '2026-01-01T00:00:00.000000' }],
];

for (const [kind, capabilities] of KINDS)
  for (const [clock, stamp] of CLOCKS)
    test(`P11: a log of more than a page ${clock} is opened while every request finds it longer (${kind})`, async () => {
      await using bench = await Bench.start({ capabilities });
      const { id } = await bench.open();
      const { conversation: fake } = bench.server;
      fake.fill(450, stamp);
      bench.server.options = {
        ...bench.server.options,
        fault: () => (fake.fill(fake.log.length + 3, stamp), undefined),
      };
      const conversation = await bench.open({ id, create: 'never' });
      for (const index of [0, 7, 449, conversation.events.length - 1])
        expect((await conversation.events.at(index))?.id).toBe(fake.log[index]?.id);
    });

test('a log whose events are not in the order of their times is numbered by counting', async () => {
  await using bench = await Bench.start();
  const { id } = await bench.open();
  const { conversation: fake } = bench.server;
  fake.fill(20, { time: '2099-01-01T00:00:00.000000' });
  fake.fill(300);
  bench.server.options = { ...bench.server.options, fault: () => (fake.fill(fake.log.length + 1), undefined) };
  const conversation = await bench.open({ id, create: 'never' });
  expect((await conversation.events.at(250))?.id).toBe(fake.log[250]?.id);
});

test('a pause is over although the server announces events without end', async () => {
  await using bench = await Bench.start();
  const conversation = await bench.open();
  const { conversation: fake } = bench.server;
  await bench.until(() => fake.listeners.size > 0);
  const announce = (): void => {
    const event = { ...fake.snapshot(), kind: 'PauseEvent', id: randomUUID(), source: 'user' };
    for (const socket of bench.server.sockets) socket.send(event);
  };
  bench.server.options = { ...bench.server.options, fault: () => (announce(), undefined) };
  await conversation.pause();
  expect(conversation.state.executionStatus).toBe('paused');
});

/** The places from which a person goes through a part of a log, by half a page. */
const PARTS = Array.from({ length: 10 }, (_, step) => 200 + step * 50);

for (const [kind, capabilities] of KINDS)
  for (const [direction, parts] of [
    ['on', PARTS],
    ['back', PARTS.toReversed()],
  ] as const)
    test(`reading ${direction} in a log asks for no event twice but the last one of each page (${kind})`, async () => {
      await using bench = await Bench.start({ capabilities });
      const { id } = await bench.open();
      bench.server.conversation.fill(1_000);
      const conversation = await bench.open({ id, create: 'never' });
      const asked = bench.server.requests.length;
      for (const from of parts)
        expect((await conversation.events.slice(from, from + 50)).map((event) => event.id)).toEqual(
          bench.server.conversation.log.slice(from, from + 50).map((event) => event.id),
        );
      const { log } = bench.server.conversation;
      const begins = bench.server.requests
        .slice(asked)
        .map(({ query }) => log.findIndex((event) => event.id === query.get('page_id')))
        .filter((place) => place >= 0 && (direction === 'back' || place < 700));
      expect(begins.length).toBeGreaterThan(3);
      expect(new Set(begins).size).toBe(begins.length);
    });

test('the number of an event in the middle of a long log is found by the times of events, not by counting', async () => {
  await using bench = await Bench.start();
  const { id } = await bench.open();
  const { log } = bench.server.conversation;
  bench.server.conversation.fill(8_000);
  const conversation = await bench.open({ id, create: 'never' });
  const asked = bench.server.requests.length;
  expect(await conversation.events.indexOf(log[3_000]?.id ?? '')).toBe(3_000);
  expect(bench.server.requests.length - asked).toBeLessThan(20);
  expect((await conversation.events.at(3_010))?.id).toBe(log[3_010]?.id);
});

test('a log whose times are out of order in the middle is numbered by counting', async () => {
  await using bench = await Bench.start();
  const { id } = await bench.open();
  const { log } = bench.server.conversation;
  bench.server.conversation.fill(4_000);
  bench.server.conversation.fill(4_010, { time: '2000-01-01T00:00:00.000000' });
  bench.server.conversation.fill(5_000);
  const conversation = await bench.open({ id, create: 'never' });
  expect(await conversation.events.indexOf(log[3_000]?.id ?? '')).toBe(3_000);
});
